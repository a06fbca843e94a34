/* When what was written, as a snapshot holds it: runs of rows that have the same ticks.
 *
 * A chunk is a run; so are neighbours with the same ticks. Only types that keep ticks of rows, and
 * sparse ones, have shorter runs. O(chunks), or O(rows) for those. */
#include "persist/snapshot_write.h"

#include "stoa/resource.h"

/* Joins neighbours into runs. */
typedef struct run_joiner {
    stoa__output *output; /* NULL: runs are only counted */
    uint32_t count;       /* of runs that are complete */
    uint32_t rows;        /* of the run under way; 0: none is */
    uint32_t changed;
    uint32_t added;
} run_joiner;

static void run_end(run_joiner *joiner) {
    if (joiner->rows == 0) {
        return;
    }
    joiner->count++;
    if (joiner->output != NULL) {
        const uint32_t run[3] = {joiner->rows, joiner->changed, joiner->added};
        stoa__output_u32s(joiner->output, run, 3);
    }
    joiner->rows = 0;
}

static void run_add(run_joiner *joiner, uint32_t rows, uint32_t changed, uint32_t added) {
    if (joiner->rows > 0 && (joiner->changed != changed || joiner->added != added)) {
        run_end(joiner);
    }
    joiner->rows += rows;
    joiner->changed = changed;
    joiner->added = added;
}

static void archetype_runs(const stoa__saver *saver, const stoa_archetype_info *info,
                           stoa_component id, run_joiner *joiner) {
    for (int32_t c = 0; c < info->chunk_count; c++) {
        stoa_chunk_info chunk = {0};
        stoa_chunk_times times = {0};
        stoa_chunk_info_get(saver->world, info->id, c, &chunk);
        stoa_chunk_times_get(saver->world, info->id, c, id, &times);
        if (times.row_changed == NULL) {
            run_add(joiner, (uint32_t)chunk.count, times.changed, times.added);
            continue;
        }
        for (int32_t i = 0; i < chunk.count; i++) {
            run_add(joiner, 1, times.row_changed[i], times.row_added[i]);
        }
    }
    run_end(joiner);
}

static void sparse_runs(const stoa__saver *saver, stoa_component id, run_joiner *joiner) {
    stoa_sparse_info info = {0};
    stoa_sparse_info_get(saver->world, id, &info);
    for (int32_t i = 0; i < info.count; i++) {
        run_add(joiner, 1, STOA_LOAD(&info.changed[i]), info.added[i]);
    }
    run_end(joiner);
}

void stoa__saver_ticks(stoa__saver *saver, stoa__output *output, int32_t index) {
    if (index < 0) {
        stoa_component id = saver->schema.types[stoa__ticks_of_sparse(index)].id;
        run_joiner counter = {0};
        run_joiner joiner = {.output = output};
        sparse_runs(saver, id, &counter);
        stoa__output_u32(output, counter.count);
        sparse_runs(saver, id, &joiner);
        return;
    }
    stoa_archetype_info info;
    output->status = stoa_archetype_info_get(saver->world, index, &info);
    if (output->status != STOA_OK) {
        return;
    }
    stoa__saver_pick(saver, &info);
    for (int32_t i = 0; i < info.component_count; i++) {
        stoa_component id = saver->schema.types[saver->picked[i]].id;
        run_joiner counter = {0};
        run_joiner joiner = {.output = output};
        archetype_runs(saver, &info, id, &counter);
        stoa__output_u32(output, counter.count);
        archetype_runs(saver, &info, id, &joiner);
    }
}

void stoa__saver_resource_ticks(const stoa__saver *saver, stoa__output *output) {
    for (int32_t type = 0; type < saver->schema.type_count; type++) {
        const stoa__schema_type *t = &saver->schema.types[type];
        if (t->component && stoa_resource_has_id(saver->world, t->id)) {
            stoa__output_u32(output, stoa_resource_tick(saver->world, t->id));
        }
    }
}
