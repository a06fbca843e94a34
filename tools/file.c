/* Files and worlds: reading whole files, writing what must get there, opening snapshots, loading
 * modules. */
#include <errno.h>
#include <string.h>

#include <stoa/module.h>
#include <stoa/snapshot.h>

#include "tool.h"

#define BLOCK_SIZE 65536

bool file_read(const tool_command *command, const char *path, stoa_blob *blob) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        tool_fail(command, "%s: %s", path, strerror(errno));
        return false;
    }
    static char block[BLOCK_SIZE];
    stoa_sink sink = stoa_blob_sink(blob);
    stoa_status status = STOA_OK;
    size_t got = 1;
    while (status == STOA_OK && got > 0) {
        got = fread(block, 1, sizeof block, file);
        status = stoa_sink_write(&sink, block, got);
    }
    bool read = ferror(file) == 0;
    if (!read) {
        tool_fail(command, "%s: %s", path, strerror(errno));
    } else if (status != STOA_OK) {
        tool_fail_library(command, path);
    }
    fclose(file);
    return read && status == STOA_OK;
}

bool output_open(output *out, const tool_command *command, const char *path) {
    *out = (output){.command = command, .path = path, .file = stdout};
    if (path != NULL) {
        out->file = fopen(path, "wb");
        if (out->file == NULL) {
            tool_fail(command, "%s: %s", path, strerror(errno));
            return false;
        }
    }
    return true;
}

static stoa_status output_write(void *user, const void *bytes, size_t size) {
    output *out = user;
    return fwrite(bytes, 1, size, out->file) == size ? STOA_OK
                                                     : stoa_fail(STOA_IO, "%s", strerror(errno));
}

stoa_sink output_sink(output *out) {
    return (stoa_sink){output_write, out};
}

int output_close(output *out, int code) {
    errno = 0;
    bool good = ferror(out->file) == 0;
    good = fflush(out->file) == 0 && good;
    if (out->path != NULL) {
        good = fclose(out->file) == 0 && good;
    }
    if (good) {
        return code;
    }
    return tool_fail(out->command, "%s: %s", out->path != NULL ? out->path : "stdout",
                     errno != 0 ? strerror(errno) : "it could not be written");
}

/* A debug build of the library calls this on misuse; hostile files must not end the program. */
static void misuse_ignore(const stoa_error *error, void *user) {
    (void)error;
    (void)user;
}

stoa_world_desc world_desc(void) {
    return (stoa_world_desc){.on_assert = {.call = misuse_ignore}};
}

/* Says what of a snapshot could not be taken over. All its components are unknown here, and kept.
 */
static void notice_print(const stoa_notice *notice, void *user) {
    const tool_command *const *command = user;
    if (notice->kind == STOA_NOTICE_DROPPED || notice->kind == STOA_NOTICE_LOST) {
        tool_fail(*command, "%s", notice->text);
    }
}

stoa_world *world_open(const tool_command *command, const char *path) {
    stoa_world_desc desc = world_desc();
    stoa_world *world = stoa_world_new(&desc);
    /* What the library brings is known here; all else is taken as the snapshot describes it. */
    bool ready = world != NULL && stoa_id(world, Name) != 0 && stoa_id(world, Parent) != 0 &&
                 stoa_id(world, Children) != 0;
    stoa_snapshot_load_desc load = {
        .unknown = STOA_UNKNOWN_KEEP, .notice = notice_print, .user = &command};
    if (!ready || stoa_snapshot_load_file(world, &load, path) != STOA_OK) {
        tool_fail_library(command, path);
        stoa_world_free(world);
        return NULL;
    }
    return world;
}

void app_close(stoa_app *app) {
    if (stoa_app_free(app) != STOA_OK) {
        tool_fail_library(NULL, NULL);
    }
}

bool modules_open(const tool_command *command, stoa_app *app, char **paths, int count,
                  bool without_scene) {
    stoa_module_desc desc = {.scene = without_scene ? STOA_SCENE_NEVER : STOA_SCENE_KEEP};
    for (int i = 0; i < count; i++) {
        if (stoa_module_load(app, paths[i], &desc) == NULL) {
            tool_fail_library(command, paths[i]);
            return false;
        }
    }
    return true;
}
