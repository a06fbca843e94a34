/* Files: reading one as a whole, and replacing one as a whole.
 *
 * A file that is written stands under a name of its own in the same folder until all of it is on
 * the disk; then it takes the name that it is meant for. So whoever looks finds the old file or the
 * new one, also after a crash. What is there and is no file, such as a pipe, is written to as it
 * is. Failures are STOA_IO with the path and the reason, and leave nothing behind. */
#ifndef STOA_OS_FILE_H
#define STOA_OS_FILE_H

#include "base/heap.h"
#include "stoa/stream.h"

/* Appends what is in a file to a blob; on an error the blob holds what it held. STOA_LIMIT if it is
 * more than `size_max` bytes. */
stoa_status stoa__file_read(const char *path, uint64_t size_max, stoa_blob *blob);

/* A file that is being written. */
typedef struct stoa__file {
    stoa__heap heap;
    const char *path; /* the caller's; must stay until the end */
    char *temporary;  /* where it stands meanwhile; NULL if it is written where it is */
    int handle;
} stoa__file;

/* Begins; must be followed by stoa__file_commit or stoa__file_cancel unless it fails. */
stoa_status stoa__file_begin(stoa__file *file, const char *path, const stoa_allocator *allocator);

/* Writes all the bytes. After an error only stoa__file_cancel may follow. */
stoa_status stoa__file_write(stoa__file *file, const void *bytes, size_t size);

/* Puts the file in its place. After an error the old one is there, unless the error is that the
 * folder could not be brought to the disk. */
stoa_status stoa__file_commit(stoa__file *file);

/* Gives it up. */
void stoa__file_cancel(stoa__file *file);

/* Doors for tests, for the calling thread. Of the calls to the system that follow the first `count`
 * are made and later ones fail; a negative count fails none. No more than `size` bytes are read or
 * written at once; 0 is any number. */
void stoa__file_fail_after(int32_t count);
void stoa__file_piece(size_t size);

#endif
