/* Memory from the operating system: the default allocator.
 *
 * Small blocks come from libc. Blocks of 2 MiB and more are mapped at 2 MiB boundaries and advised
 * as huge pages; growing one moves its pages, not its bytes. Any thread. */
#ifndef STOA_OS_MEMORY_H
#define STOA_OS_MEMORY_H

#include "stoa/allocator.h"

/* From this size on a block has pages of its own. */
#define STOA__OS_LARGE ((size_t)2 << 20)

void *stoa__os_alloc(size_t size, size_t alignment, void *user);
void stoa__os_free(void *block, size_t size, size_t alignment, void *user);
void *stoa__os_resize(void *block, size_t old_size, size_t size, size_t alignment, void *user);

#endif
