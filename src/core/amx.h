/* amx.h: AMX, the matrix unit of current Intel CPUs. Each thread has eight registers, here all of 16 rows of 64 bytes.
   tmm0..3 are the sums of a tile of c, 32 rows of 32 columns; tmm4 and 5 are 32 rows of a, tmm6 and 7 32 columns of b.
   The registers are undefined until amx_enter, and other code of the thread may use them after amx_leave. */
#ifndef TIDE_AMX_H
#define TIDE_AMX_H

#include <stdbool.h>

enum {
    AMX_ROWS = 16,  /* of a register */
    AMX_BYTES = 64, /* of a row of a register */
    AMX_TILE = 32   /* rows and columns of a tile of c */
};

/* Whether this CPU has AMX for bfloat16 and int8, and the system permits its use. Asks for the permission, which the
   process then keeps. */
bool amx_permitted(void);

/* Configures the registers of the calling thread, unless it has done so after the last amx_leave. */
void amx_enter(void);
/* Releases the registers of the calling thread. */
void amx_leave(void);

#endif
