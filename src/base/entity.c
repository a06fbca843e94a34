/* Entity handles: hashing and printing. The rest is inline in the header. Any thread. */
#include "stoa/entity.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t stoa_entity_hash(stoa_entity e) {
    return stoa__hash_mix(stoa_entity_pack(e));
}

char *stoa_entity_print(stoa_entity e, char *buffer, size_t size) {
    if (buffer != NULL && size > 0) {
        snprintf(buffer, size, "%" PRIu32 "v%" PRIu32, e.index, e.generation);
    }
    return buffer;
}
