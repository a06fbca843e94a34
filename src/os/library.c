/* Shared libraries.
 *
 * The file of a module is copied, so that it can be written while the copy is in use, and so that
 * the system takes every version for a library of its own. The copy is looked at before it is
 * loaded: a file that ends too early, as one does that is being written, would end the program with
 * a signal. What is whole but wrong cannot be told apart from what is right: a library is code. One
 * thread at a time. */
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "os/library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <link.h>
#endif

#define COPY_BYTES 65536u

static stoa__file_id id_of(const struct stat *s) {
    stoa__file_id id = {.device = (uint64_t)s->st_dev,
                        .inode = (uint64_t)s->st_ino,
                        .size = (uint64_t)s->st_size,
                        .seconds = (int64_t)s->st_mtime};
#if defined(__linux__)
    id.nanoseconds = (int64_t)s->st_mtim.tv_nsec;
#endif
    return id;
}

bool stoa__file_identify(const char *path, stoa__file_id *id) {
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) {
        return false;
    }
    *id = id_of(&s);
    return true;
}

bool stoa__file_same(const stoa__file_id *a, const stoa__file_id *b) {
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

static stoa_status io_error(const char *what, const char *path) {
    return stoa__error(STOA_IO, "%s '%s': %s", what, path, strerror(errno));
}

/* Writes all bytes; false with errno set. */
static bool bytes_write(int file, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        size_t done = written > 0 ? (size_t)written : 0;
        bytes += done;
        size -= done;
    }
    return true;
}

/* Copies what is left of one file to another. */
static stoa_status content_copy(int from, int to, const char *path, uint8_t *room) {
    for (;;) {
        ssize_t got = read(from, room, COPY_BYTES);
        if (got == 0) {
            return STOA_OK;
        }
        if (got < 0 && errno != EINTR) {
            return io_error("cannot read", path);
        }
        if (got > 0 && !bytes_write(to, room, (size_t)got)) {
            return io_error("cannot write the copy of", path);
        }
    }
}

#if defined(__linux__)

/* Reads just so many bytes at a place of a file. */
static bool bytes_read(int file, void *bytes, size_t size, uint64_t at) {
    return at <= INT64_MAX && pread(file, bytes, size, (off_t)at) == (ssize_t)size;
}

static bool range_inside(uint64_t start, uint64_t length, uint64_t size) {
    return start <= size && length <= size - start;
}

/* True if every part that the headers of a library tell of is within the file. */
static bool library_whole(int file, uint64_t size) {
    ElfW(Ehdr) head;
    if (!bytes_read(file, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_type != ET_DYN || head.e_phentsize != sizeof(ElfW(Phdr)) || head.e_phnum == 0 ||
        !range_inside(head.e_shoff, (uint64_t)head.e_shnum * head.e_shentsize, size)) {
        return false;
    }
    bool dynamic = false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) part;
        if (!bytes_read(file, &part, sizeof part, head.e_phoff + i * sizeof part) ||
            !range_inside(part.p_offset, part.p_filesz, size)) {
            return false;
        }
        dynamic |= part.p_type == PT_DYNAMIC;
    }
    return dynamic;
}

/* Where the library that is looked for begins, and which addresses it takes up. */
typedef struct search {
    uintptr_t base;
    uintptr_t first;
    uintptr_t end;
} search;

static int object_look(struct dl_phdr_info *info, size_t size, void *user) {
    search *s = user;
    (void)size;
    if (info->dlpi_addr != s->base) {
        return 0;
    }
    s->first = UINTPTR_MAX;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD) {
            uintptr_t start = s->base + part->p_vaddr, end = start + part->p_memsz;
            s->first = start < s->first ? start : s->first;
            s->end = end > s->end ? end : s->end;
        }
    }
    return 1;
}

static void range_find(stoa__library *library) {
    struct link_map *map = NULL;
    if (library->handle != NULL && dlinfo(library->handle, RTLD_DI_LINKMAP, &map) == 0 &&
        map != NULL) {
        search s = {.base = (uintptr_t)map->l_addr};
        dl_iterate_phdr(object_look, &s);
        library->first = s.first;
        library->end = s.end;
    }
}

#else

static bool library_whole(int file, uint64_t size) {
    (void)file;
    return size > 0;
}

static void range_find(stoa__library *library) {
    (void)library;
}

#endif

/* Copies a file that is open, and looks at what came of it. */
static stoa_status copy_fill(stoa__heap *heap, int from, int to, const char *path,
                             stoa__file_id *id) {
    struct stat before, after;
    if (fstat(from, &before) != 0) {
        return io_error("cannot read", path);
    }
    if (!S_ISREG(before.st_mode)) {
        return stoa__error(STOA_IO, "'%s' is no file", path);
    }
    uint8_t *room = stoa__heap_alloc(heap, COPY_BYTES, 1);
    if (room == NULL) {
        return stoa__error_memory("the copy of a module");
    }
    stoa_status status = content_copy(from, to, path, room);
    stoa__heap_free(heap, room, COPY_BYTES, 1);
    if (status != STOA_OK) {
        return status;
    }
    *id = id_of(&before);
    if (fstat(from, &after) != 0) {
        return io_error("cannot read", path);
    }
    stoa__file_id now = id_of(&after);
    if (!stoa__file_same(id, &now)) {
        return stoa__error(STOA_IO, "'%s' is being written", path);
    }
    return library_whole(to, id->size)
               ? STOA_OK
               : stoa__error(STOA_IO, "'%s' is no shared library, or not a whole one", path);
}

/* The name of a copy to be made, for mkstemp; NULL on lack of memory. */
static char *copy_name(stoa__heap *heap, const char *folder) {
    if (folder == NULL) {
        const char *set = getenv("TMPDIR");
        folder = set != NULL && set[0] != '\0' ? set : "/tmp";
    }
    char name[4096];
    int length = snprintf(name, sizeof name, "%s/stoa-module-XXXXXX", folder);
    return length > 0 && (size_t)length < sizeof name ? stoa__heap_text(heap, name) : NULL;
}

/* Makes the copy; its name is set in the library, or it is gone. */
static stoa_status copy_make(stoa__heap *heap, const char *path, const char *folder,
                             stoa__library *library, stoa__file_id *id) {
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        return io_error("cannot open", path);
    }
    char *name = copy_name(heap, folder);
    stoa_status status = name != NULL ? STOA_OK : stoa__error_memory("the name of a copy");
    int to = name != NULL ? mkstemp(name) : -1;
    if (name != NULL && to < 0) {
        status = io_error("cannot make", name);
        stoa__heap_text_free(heap, name);
        name = NULL;
    }
    if (to >= 0) {
        status = copy_fill(heap, from, to, path, id);
        close(to);
    }
    close(from);
    library->copy = name;
    return status;
}

/* Removes the name of the copy, if it has one. */
static void copy_remove(stoa__heap *heap, stoa__library *library) {
    if (library->copy != NULL) {
        unlink(library->copy);
        stoa__heap_text_free(heap, library->copy);
        library->copy = NULL;
    }
}

stoa_status stoa__library_open(stoa__heap *heap, const char *path, const char *folder,
                               stoa__library *library, stoa__file_id *id) {
    *library = (stoa__library){.handle = NULL};
    stoa_status status = copy_make(heap, path, folder, library, id);
    if (status == STOA_OK) {
        library->handle = dlopen(library->copy, RTLD_NOW | RTLD_LOCAL);
        if (library->handle == NULL) {
            const char *why = dlerror();
            status = stoa__error(STOA_IO, "cannot load '%s': %s", path, why != NULL ? why : "");
        }
    }
    if (status != STOA_OK || folder == NULL) {
        copy_remove(heap, library);
    }
    if (status == STOA_OK) {
        range_find(library);
    }
    return status;
}

void stoa__library_close(stoa__heap *heap, stoa__library *library) {
    if (library->handle != NULL) {
        dlclose(library->handle);
    }
    copy_remove(heap, library);
    *library = (stoa__library){.handle = NULL};
}

stoa__library_fn stoa__library_find(const stoa__library *library, const char *name) {
    void *symbol = dlsym(library->handle, name);
    stoa__library_fn found = NULL;
    /* A pointer to data and one to a function are of one size where there are shared libraries. */
    memcpy(&found, &symbol, sizeof found);
    return found;
}
