/* library.h: loads an optional library when it is needed, so that other commands start without it. */
#ifndef TIDE_LIBRARY_H
#define TIDE_LIBRARY_H

/* Loads the library `file` ("libz.so.1") and looks up its functions; names: ended by NULL. functions[i] receives the
   address of names[i]. Returns a handle for library_close, or NULL if the library or one of the functions is missing.
 */
void *library_load(const char *file, const char *const *names, void **functions);
void library_close(void *library);

#endif
