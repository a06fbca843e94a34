/* Files: reading one as a whole, and replacing one as a whole.
 *
 * The order is what makes it safe: the bytes, then fsync, then rename, then fsync of the folder. A
 * call that a signal interrupts is made again. Each file is for one thread. */
#define _POSIX_C_SOURCE 200809L

#include "os/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names tried for a file that is being written; others are taken by writers that were killed. */
#define NAMES_MAX 100000
/* Room for the name, beside its folder. */
#define NAME_SIZE ((size_t)64)
/* How much is asked for at once where the size is not known. */
#define READ_SIZE ((size_t)64 << 10)

static _Thread_local int32_t calls_left = -1;
static _Thread_local size_t piece_size;

void stoa__file_fail_after(int32_t count) {
    calls_left = count;
}

void stoa__file_piece(size_t size) {
    piece_size = size;
}

/* True if a test wants the next call to fail. */
static bool call_fails(void) {
    if (calls_left < 0) {
        return false;
    }
    if (calls_left == 0) {
        errno = EIO;
        return true;
    }
    calls_left--;
    return false;
}

static size_t piece_of(size_t size) {
    return piece_size != 0 && size > piece_size ? piece_size : size;
}

static stoa_status file_error(const char *doing, const char *path, int reason) {
    char text[128];
    if (strerror_r(reason, text, sizeof text) != 0) {
        snprintf(text, sizeof text, "error %d", reason);
    }
    return stoa__error(STOA_IO, "cannot %s '%s': %s", doing, path, text);
}

static int handle_open(const char *path, int flags) {
    int handle = -1;
    do {
        handle = call_fails() ? -1 : open(path, flags | O_CLOEXEC, 0666);
    } while (handle < 0 && errno == EINTR);
    return handle;
}

static bool handle_sync(int handle) {
    int result = -1;
    do {
        result = call_fails() ? -1 : fsync(handle);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* The bytes that were read, 0 at the end, or -1. */
static ssize_t handle_read(int handle, void *bytes, size_t size) {
    ssize_t got = -1;
    do {
        got = call_fails() ? -1 : read(handle, bytes, piece_of(size));
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Reads what is left of a file, up to `size_max` bytes. */
static stoa_status handle_drain(int handle, const char *path, uint64_t size_max, stoa_blob *blob) {
    size_t first = blob->size;
    for (;;) {
        if (blob->size == blob->capacity) {
            size_t more = blob->size - first < READ_SIZE ? READ_SIZE : blob->size - first;
            stoa_status status = stoa_blob_reserve(blob, blob->size + more);
            if (status != STOA_OK) {
                return status;
            }
        }
        ssize_t got = handle_read(handle, blob->data + blob->size, blob->capacity - blob->size);
        if (got < 0) {
            return file_error("read", path, errno);
        }
        if (got == 0) {
            return STOA_OK;
        }
        blob->size += (size_t)got;
        if (blob->size - first > size_max) {
            return stoa__error(STOA_LIMIT, "'%s' has more than %llu bytes", path,
                               (unsigned long long)size_max);
        }
    }
}

stoa_status stoa__file_read(const char *path, uint64_t size_max, stoa_blob *blob) {
    int handle = handle_open(path, O_RDONLY);
    if (handle < 0) {
        return file_error("open", path, errno);
    }
    struct stat about;
    size_t first = blob->size;
    stoa_status status = STOA_OK;
    if (call_fails() || fstat(handle, &about) != 0) {
        status = file_error("read", path, errno);
    } else if (S_ISREG(about.st_mode) && about.st_size > 0) {
        uint64_t size = (uint64_t)about.st_size;
        if (size > size_max) {
            status = stoa__error(STOA_LIMIT, "'%s' has %llu bytes, and may have %llu", path,
                                 (unsigned long long)size, (unsigned long long)size_max);
        } else if (size >= SIZE_MAX - first) {
            status = stoa__error_memory("a file");
        } else {
            /* With one to spare, which tells the end without growing. */
            status = stoa_blob_reserve(blob, first + (size_t)size + 1);
        }
    }
    if (status == STOA_OK) {
        status = handle_drain(handle, path, size_max, blob);
    }
    if (status != STOA_OK) {
        blob->size = first;
    }
    close(handle);
    return status;
}

/* The length of the folder of a path, with its final slash; 0 if it has none. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Makes a file of a new name in the folder of the path. */
static stoa_status temporary_open(stoa__file *file) {
    size_t length = folder_length(file->path);
    file->temporary = stoa__heap_alloc(&file->heap, length + NAME_SIZE, 1);
    if (file->temporary == NULL) {
        return stoa__error_memory("the name of a file");
    }
    memcpy(file->temporary, file->path, length);
    for (int32_t i = 0; i < NAMES_MAX; i++) {
        snprintf(file->temporary + length, NAME_SIZE, ".stoa-%ld-%d.tmp", (long)getpid(), i);
        file->handle = handle_open(file->temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (file->handle >= 0 || errno != EEXIST) {
            break;
        }
    }
    return file->handle >= 0 ? STOA_OK : file_error("write", file->path, errno);
}

static void file_free(stoa__file *file) {
    size_t length = file->temporary != NULL ? folder_length(file->path) : 0;
    stoa__heap_free(&file->heap, file->temporary, length + NAME_SIZE, 1);
    file->temporary = NULL;
    file->handle = -1;
}

stoa_status stoa__file_begin(stoa__file *file, const char *path, const stoa_allocator *allocator) {
    *file = (stoa__file){.path = path, .handle = -1};
    stoa__heap_init(&file->heap, allocator);
    struct stat about;
    bool there = stat(path, &about) == 0;
    stoa_status status = STOA_OK;
    if (there && S_ISDIR(about.st_mode)) {
        status = file_error("write", path, EISDIR);
    } else if (there && !S_ISREG(about.st_mode)) {
        file->handle = handle_open(path, O_WRONLY);
        status = file->handle >= 0 ? STOA_OK : file_error("write", path, errno);
    } else {
        status = temporary_open(file);
        /* The new file can be read by whoever could read the old one. */
        if (status == STOA_OK && there &&
            (call_fails() || fchmod(file->handle, about.st_mode & 0777) != 0)) {
            status = file_error("write", path, errno);
            stoa__file_cancel(file);
        }
    }
    if (status != STOA_OK) {
        file_free(file);
    }
    return status;
}

stoa_status stoa__file_write(stoa__file *file, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t put = call_fails() ? -1 : write(file->handle, at, piece_of(size));
        if (put == 0 || (put < 0 && errno != EINTR)) {
            return file_error("write", file->path, put == 0 ? EIO : errno);
        }
        at += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return STOA_OK;
}

/* Brings to the disk that a folder has a new file. Where that cannot be asked for there is nothing
 * more to be done. */
static stoa_status folder_sync(stoa__file *file) {
    size_t length = folder_length(file->path);
    if (length > 0) {
        file->temporary[length] = '\0';
    } else {
        memcpy(file->temporary, ".", 2);
    }
    int handle = handle_open(file->temporary, O_RDONLY | O_DIRECTORY);
    bool done = handle >= 0 && handle_sync(handle);
    int reason = errno;
    if (handle >= 0) {
        close(handle);
    }
    bool can = reason != EACCES && reason != EINVAL && reason != ENOTSUP;
    return done || !can ? STOA_OK
                        : file_error("bring to the disk the folder of", file->path, reason);
}

stoa_status stoa__file_commit(stoa__file *file) {
    bool whole = file->temporary != NULL;
    bool done = !whole || handle_sync(file->handle);
    int reason = errno;
    if ((close(file->handle) != 0 || (done && call_fails())) && done && errno != EINTR) {
        done = false;
        reason = errno;
    }
    file->handle = -1;
    if (done && whole && (call_fails() || rename(file->temporary, file->path) != 0)) {
        done = false;
        reason = errno;
    }
    stoa_status status = STOA_OK;
    if (!done) {
        status = file_error("write", file->path, reason);
        stoa__file_cancel(file);
        return status;
    }
    if (whole) {
        status = folder_sync(file);
    }
    file_free(file);
    return status;
}

void stoa__file_cancel(stoa__file *file) {
    if (file->handle >= 0) {
        close(file->handle);
    }
    if (file->temporary != NULL) {
        unlink(file->temporary);
    }
    file_free(file);
}
