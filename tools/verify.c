/* `stoa verify`: whether a file is a whole snapshot that makes a sound world. */
#include <inttypes.h>

#include <stoa/snapshot.h>

#include "tool.h"

static void info_print(const char *path, const stoa_snapshot_info *info) {
    printf("%s is a sound snapshot\n", path);
    printf("  version     %" PRIu32 "\n", info->version);
    printf("  bytes       %" PRIu64 "\n", info->size);
    printf("  entities    %" PRId32 "\n", info->entity_count);
    printf("  slots       %" PRId64 "\n", info->slot_count);
    printf("  types       %" PRId32 "\n", info->component_count);
    printf("  archetypes  %" PRId32 "\n", info->archetype_count);
    printf("  sparse sets %" PRId32 "\n", info->sparse_count);
    printf("  resources   %" PRId32 "\n", info->resource_count);
    printf("  extensions  %" PRId32 "\n", info->extension_count);
    if (info->app) {
        printf("  frames run  %" PRIu64 "\n", info->frame);
    }
}

/* The bytes are right; what they come to is, too. */
static bool world_verify(const tool_command *command, const char *path) {
    stoa_world *world = world_open(command, path);
    if (world == NULL) {
        return false;
    }
    bool sound = stoa_check(world) == STOA_OK;
    if (!sound) {
        tool_fail_library(command, path);
    }
    stoa_world_free(world);
    return sound;
}

static int verify_run(const tool_command *command, int argc, char **argv) {
    int count = options_read(command, argc, argv, NULL, 0);
    if (count != 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes one file");
    }
    stoa_blob blob = {0};
    stoa_snapshot_info info;
    bool sound = file_read(command, argv[0], &blob);
    if (sound && stoa_snapshot_verify(blob.data, blob.size, &info) != STOA_OK) {
        tool_fail_library(command, argv[0]);
        sound = false;
    }
    stoa_blob_free(&blob);
    if (!sound || !world_verify(command, argv[0])) {
        return EXIT_WRONG;
    }
    output out;
    output_open(&out, command, NULL);
    info_print(argv[0], &info);
    return output_close(&out, EXIT_FINE);
}

const tool_command verify_command = {
    "verify",
    "FILE",
    "Checks that a file is a whole snapshot, and tells what is in it",
    "Checksums, counts and order are checked, then it is loaded and the world is checked.\n"
    "Exit code 1 if anything is wrong.\n",
    verify_run,
};
