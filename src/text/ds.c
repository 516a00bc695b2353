#define STB_DS_IMPLEMENTATION
#include "text/ds.h"
