/* The rows: what is measured, on how many entities, and how near to the limit stoa has to come. */
#include "data.h"
#include "sides.h"

#define THOUSAND 1000
#define MILLION 1000000

/* `part` is what the time of a pass is divided by; last come the target and what else there is. */
#define ROW_AS(row, side, count, times, part, ...)                                                 \
    {                                                                                              \
        .name = (row), .size = {(count), (times)}, .operations = (part),                           \
        .limit = &limit_side_##side, .stoa = &stoa_side_##side, __VA_ARGS__                        \
    }

/* A row whose target is a multiple of the limit, or 0 for none. */
#define ROW(row, side, count, times, part, multiple)                                               \
    ROW_AS(row, side, count, times, part, .target = (multiple))

/* A row whose target is in nanoseconds. */
#define ROW_MOST(row, side, count, times, part, nanoseconds)                                       \
    ROW_AS(row, side, count, times, part, .most = (nanoseconds))

const bench_row bench_rows[] = {
    ROW("create_empty", create_empty, MILLION, 1, MILLION, 3.0),
    ROW("create_pv", create_pv, MILLION, 1, MILLION, 2.5),
    ROW("create_pv_cold", create_pv_cold, MILLION, 1, MILLION, 2.5),
    ROW("create_pv_bulk", create_pv_bulk, MILLION, 1, MILLION, 1.3),
    ROW("create_pv_bulk_cold", create_pv_bulk_cold, MILLION, 1, MILLION, 1.5),
    ROW("destroy_fwd", destroy_fwd, MILLION, 1, MILLION, 2.5),
    ROW("destroy_rand", destroy_rand, MILLION, 1, MILLION, 1.5),
    ROW("destroy_bulk", destroy_bulk, MILLION, 1, MILLION, 0),
    ROW("destroy_bulk_rand", destroy_bulk_rand, MILLION, 1, MILLION, 0),
    ROW("iterate_1", iterate_1, MILLION, 4, MILLION, 1.05),
    ROW("iterate_2", iterate_2, THOUSAND, 1000, THOUSAND, 1.10),
    ROW("iterate_2", iterate_2, 100 * THOUSAND, 20, 100 * THOUSAND, 1.10),
    ROW("iterate_2", iterate_2, MILLION, 4, MILLION, 1.05),
    ROW("iterate_2", iterate_2, 4 * MILLION, 1, 4 * MILLION, 1.05),
    ROW("frag_iter", frag_iter, 520, 100, 520, 1.5),
    ROW("frag_1000", frag_1000, 100 * THOUSAND, 10, 100 * THOUSAND, 1.4),
    ROW("add_remove", add_remove, 100 * THOUSAND, 5, 100 * THOUSAND, 2.5),
    ROW("add_remove_wide", add_remove_wide, 100 * THOUSAND, 2, 100 * THOUSAND, 1.8),
    ROW("get_rand", get_rand, MILLION, 1, MILLION, 1.2),
    ROW("has_rand", has_rand, MILLION, 2, MILLION, 1.5),
    ROW("query_build", query_build, 1024, 200, 1, 6.0),
    ROW("query_walk", query_walk, 1024, 200, 1, 20.0),
    ROW("deferred_add", deferred_add, 100 * THOUSAND, 1, 100 * THOUSAND, 4.0),
    ROW("deferred_destroy", deferred_destroy, 100 * THOUSAND, 1, 100 * THOUSAND, 3.0),
    ROW("hook_add", hook_add, 100 * THOUSAND, 1, 100 * THOUSAND, 3.0),
    ROW_MOST("add_remove_sparse", add_remove_sparse, 100 * THOUSAND, 5, 100 * THOUSAND, 10.0),
    ROW("change_write", change_write, MILLION, 20, DATA_CHANGES, 1.4),
    ROW("change_find_scattered", change_find_scattered, MILLION, 1, DATA_CHANGES, 1.2),
    ROW("change_find_clustered", change_find_clustered, MILLION, 1, DATA_CHANGES, 1.2),
    ROW("event_send_read", event_send_read, 100 * THOUSAND, 5, 100 * THOUSAND, 0),
    ROW("enable_toggle", enable_toggle, 100 * THOUSAND, 5, 100 * THOUSAND, 0),
    ROW_MOST("query_add", query_add, MILLION, 1, MILLION, 3.5),
    ROW_MOST("query_add_tag", query_add_tag, MILLION, 1, MILLION, 0.1),
    ROW("sparse_iter_1pct", sparse_iter_1, MILLION, 10, MILLION / 100, 0),
    ROW("sparse_iter_10pct", sparse_iter_10, MILLION, 4, MILLION / 10, 0),
    ROW("sparse_iter_100pct", sparse_iter_100, MILLION, 2, MILLION, 0),
    ROW_MOST("sched_overhead", sched_overhead, 100, 1000, 100, 20.0),
    ROW_AS("sched_overhead_2t", sched_overhead_2t, 100, 1000, 100, .most = 20.0, .threads = 2),
    ROW_AS("frame_small", frame_small, THOUSAND, 100, 1, .over = 5000.0),
    ROW_AS("parallel_2t", parallel_2t, 10 * THOUSAND, 5, 10 * THOUSAND, .target = 1.05,
           .threads = 2),
    ROW_AS("parallel_speedup", parallel_speedup, 10 * THOUSAND, 5, 10 * THOUSAND, .target = 1 / 1.9,
           .threads = 2),
    ROW_AS("parallel_light", parallel_light, MILLION, 16, MILLION, .target = 1.15, .threads = 2),
    ROW_AS("parallel_spawn", parallel_spawn, 100 * THOUSAND, 8, 100 * THOUSAND, .target = 0.75,
           .threads = 2),
    ROW("name_lookup", name_lookup, 100 * THOUSAND, 5, 100 * THOUSAND, 1.5),
    ROW("prefab", prefab, 100 * THOUSAND, 1, 100 * THOUSAND, 3.0),
    {.name = "prefab_bulk",
     .size = {100 * THOUSAND, 1},
     .operations = 100 * THOUSAND,
     .target = 2.0,
     .limit = &limit_side_prefab,
     .stoa = &stoa_side_prefab_bulk},
    ROW("sort", sort, 100 * THOUSAND, 1, 100 * THOUSAND, 2.0),
    ROW("sort_key", sort_key, 100 * THOUSAND, 1, 100 * THOUSAND, 2.0),
    ROW("hierarchy", hierarchy, 100 * THOUSAND, 1, 100 * THOUSAND, 1.3),
    ROW("hierarchy_static", hierarchy_static, 100 * THOUSAND, 1, 100 * THOUSAND, 1.0 / 30),
    ROW("index_find", index_find, 100 * THOUSAND, 2, 100 * THOUSAND, 2.0),
    ROW("index_update", index_update, 100 * THOUSAND, 1, 100 * THOUSAND, 2.0),
    ROW("relation_cascade", relation_cascade, 100 * THOUSAND, 1, 100 * THOUSAND, 2.0),
    ROW("snapshot_save", snapshot_save, MILLION, 1, MILLION, 1.3),
    ROW("snapshot_load", snapshot_load, MILLION, 1, MILLION, 2.0),
    ROW("reload", reload, 100 * THOUSAND, 1, 1, 0),
    ROW("reload_migrate", reload_migrate, 100 * THOUSAND, 1, 1, 0),
    ROW_AS("history_save_1pct", history_save_1, 100 * THOUSAND, 1, 1, .most = 50000.0),
    ROW("history_save_10pct", history_save_10, 100 * THOUSAND, 1, 1, 1.3),
    ROW_AS("history_save_100pct", history_save_100, 100 * THOUSAND, 1, 1, .target = 1.3,
           .most = 700000.0),
    ROW_AS("history_restore", history_restore, 100 * THOUSAND, 1, 1, .target = 1.3,
           .most = 700000.0),
#ifdef BENCH_JSON
    ROW("json_save", json_save, 20 * THOUSAND, 1, 20 * THOUSAND, 0),
    ROW("json_load", json_load, 20 * THOUSAND, 1, 20 * THOUSAND, 0),
#endif
    ROW_AS("hash", hash, 100 * THOUSAND, 1, 100 * THOUSAND, .target = 1.5, .most = 4.0),
    ROW("delta_make", delta_make, 100 * THOUSAND, 1, 100 * THOUSAND, 0),
    ROW("delta_apply", delta_apply, 100 * THOUSAND, 1, 100 * THOUSAND, 0),
    {.name = "memory",
     .size = {MILLION, 1},
     .operations = 1,
     .target = 43.0 / 36.0,
     .limit_figure = limit_memory,
     .stoa_figure = stoa_memory},
};

const int32_t bench_row_count = (int32_t)(sizeof bench_rows / sizeof bench_rows[0]);
