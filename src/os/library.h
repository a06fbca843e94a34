/* Shared libraries: a private copy of a file, loaded, asked and unloaded; and which version of a
 * file there is. */
#ifndef STOA_OS_LIBRARY_H
#define STOA_OS_LIBRARY_H

#include "base/heap.h"
#include "stoa/status.h"

/* What tells one version of a file from another. */
typedef struct stoa__file_id {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t seconds; /* of the last write */
    int64_t nanoseconds;
} stoa__file_id;

/* False if there is no such file now. */
bool stoa__file_identify(const char *path, stoa__file_id *id);

bool stoa__file_same(const stoa__file_id *a, const stoa__file_id *b);

/* A library that is loaded; it stays where it is. */
typedef struct stoa__library {
    void *handle;
    uintptr_t first; /* the addresses that it takes up, code and data */
    uintptr_t end;
    char *copy; /* the file that was loaded, or NULL if its name is gone */
} stoa__library;

/* Copies the file into the folder and loads the copy, whose name is gone at once; with a `folder`
 * the copy is there until the library is closed. NULL: the folder for temporary files. `*id` tells
 * which version was copied. What is no whole library is refused before the system sees it.
 * STOA_IO, with the thread's error set; STOA_NO_MEMORY. */
stoa_status stoa__library_open(stoa__heap *heap, const char *path, const char *folder,
                               stoa__library *library, stoa__file_id *id);

/* Unloads the library and removes its file; a zeroed one is fine. */
void stoa__library_close(stoa__heap *heap, stoa__library *library);

/* The function of that name, or NULL with no error. */
typedef void (*stoa__library_fn)(void);
stoa__library_fn stoa__library_find(const stoa__library *library, const char *name);

/* True if the address is one of the library's. */
static inline bool stoa__library_owns(const stoa__library *library, uintptr_t address) {
    return address >= library->first && address < library->end;
}

#endif
