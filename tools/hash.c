/* `stoa hash`: the hash of a saved world, which is that of the world itself. */
#include <inttypes.h>

#include "tool.h"

static int hash_run(const tool_command *command, int argc, char **argv) {
    int count = options_read(command, argc, argv, NULL, 0);
    if (count != 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes one file");
    }
    stoa_world *world = world_open(command, argv[0]);
    if (world == NULL) {
        return EXIT_WRONG;
    }
    output out;
    output_open(&out, command, NULL);
    printf("%016" PRIx64 "\n", stoa_hash(world));
    stoa_world_free(world);
    return output_close(&out, EXIT_FINE);
}

const tool_command hash_command = {
    "hash",
    "FILE",
    "Prints the hash of a saved world",
    "The hash is that of stoa_hash: equal for equal worlds, on every machine, and the same that\n"
    "`stoa run` printed when it saved the file.\n",
    hash_run,
};
