/* What both sides of the rows on reloading share: the files of the modules. */
#ifndef BENCH_RELOAD_H
#define BENCH_RELOAD_H

#include "bench.h"

/* A file that is one version of the module or the other: links, so that changing it takes no time.
 */
typedef struct reload_files {
    char folder[64];
    char live[96]; /* what is loaded */
} reload_files;

void reload_files_open(reload_files *files);
void reload_files_close(reload_files *files);

/* Makes the file version 1 or 2. */
void reload_files_set(const reload_files *files, int version);

#endif
