/* The entry of the module: what it brings, file by file. The order of systems that conflict is the
 * order of their naming: see, eat, move, live and die, count. */
#include "ecosystem.h"

STOA_MODULE("ecosystem", .scene = scene_build) {
    stoa_status (*const parts[])(stoa_module *) = {land_parts, grazer_parts, hunter_parts,
                                                   life_parts, census_parts};
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == STOA_OK; i++) {
        status = parts[i](module);
    }
    return status;
}
