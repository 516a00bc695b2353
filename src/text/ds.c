/* The one place that compiles stb_ds.h's functions; its conversions are not written for our warnings. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define STB_DS_IMPLEMENTATION
#include "text/ds.h"
