/* multipart.h: the parts of a form of type multipart/form-data (RFC 7578). The parser of libmicrohttpd is not used: it
   refuses a name without quotes, as .NET's HttpClient writes it, and a parameter after the boundary, as Apache's
   HttpClient writes it. */
#ifndef TIDE_SERVE_MULTIPART_H
#define TIDE_SERVE_MULTIPART_H

#include <stdbool.h>
#include <stddef.h>

enum { BOUNDARY_SIZE = 71 }; /* RFC 2046 allows 70 characters */

/* Copies the parameter `boundary` of a Content-Type. Returns 0, or -1 if it is missing, empty or too long. */
int multipart_boundary(const char *content_type, char boundary[BOUNDARY_SIZE]);

/* One part; the texts point into the body. */
typedef struct FormPart {
    const char *name, *value, *file; /* file: the name of a file; NULL: the part is no file */
    size_t name_length, value_length, file_length;
} FormPart;

/* Reads the next part of a body that ends at `end`. *at is the start of the body for the first call; each call moves it
   to the end of the part. Returns 1; 0 if there is no further part; or -1 if the body is not a form with this
   boundary. */
int multipart_next(const char **at, const char *end, const char *boundary, FormPart *part);

#endif
