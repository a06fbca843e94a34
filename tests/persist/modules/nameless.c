/* A module without a name. */
#include "pond.h"

STOA_MODULE("") {
    (void)module;
    return STOA_OK;
}
