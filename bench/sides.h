/* The two sides of every row: limit_side_* in limit_*.c, stoa_side_* in rows_*.c. Where the limit
 * is stoa itself, on one thread or without an app, it is beside stoa's. */
#ifndef BENCH_SIDES_H
#define BENCH_SIDES_H

#include "bench.h"

extern const bench_side limit_side_create_empty, stoa_side_create_empty;
extern const bench_side limit_side_create_pv, stoa_side_create_pv;
extern const bench_side limit_side_create_pv_cold, stoa_side_create_pv_cold;
extern const bench_side limit_side_create_pv_bulk, stoa_side_create_pv_bulk;
extern const bench_side limit_side_create_pv_bulk_cold, stoa_side_create_pv_bulk_cold;
extern const bench_side limit_side_destroy_fwd, stoa_side_destroy_fwd;
extern const bench_side limit_side_destroy_rand, stoa_side_destroy_rand;
extern const bench_side limit_side_destroy_bulk, stoa_side_destroy_bulk;
extern const bench_side limit_side_destroy_bulk_rand, stoa_side_destroy_bulk_rand;
extern const bench_side limit_side_iterate_1, stoa_side_iterate_1;
extern const bench_side limit_side_iterate_2, stoa_side_iterate_2;
extern const bench_side limit_side_frag_iter, stoa_side_frag_iter;
extern const bench_side limit_side_frag_1000, stoa_side_frag_1000;
extern const bench_side limit_side_add_remove, stoa_side_add_remove;
extern const bench_side limit_side_add_remove_wide, stoa_side_add_remove_wide;
extern const bench_side limit_side_get_rand, stoa_side_get_rand;
extern const bench_side limit_side_has_rand, stoa_side_has_rand;
extern const bench_side limit_side_query_build, stoa_side_query_build;
extern const bench_side limit_side_query_walk, stoa_side_query_walk;
extern const bench_side limit_side_deferred_add, stoa_side_deferred_add;
extern const bench_side limit_side_deferred_destroy, stoa_side_deferred_destroy;
extern const bench_side limit_side_hook_add, stoa_side_hook_add;
extern const bench_side limit_side_add_remove_sparse, stoa_side_add_remove_sparse;
extern const bench_side limit_side_change_write, stoa_side_change_write;
extern const bench_side limit_side_change_find_scattered, stoa_side_change_find_scattered;
extern const bench_side limit_side_change_find_clustered, stoa_side_change_find_clustered;
extern const bench_side limit_side_event_send_read, stoa_side_event_send_read;
extern const bench_side limit_side_enable_toggle, stoa_side_enable_toggle;
extern const bench_side limit_side_query_add, stoa_side_query_add;
extern const bench_side limit_side_query_add_tag, stoa_side_query_add_tag;
extern const bench_side limit_side_sparse_iter_1, stoa_side_sparse_iter_1;
extern const bench_side limit_side_sparse_iter_10, stoa_side_sparse_iter_10;
extern const bench_side limit_side_sparse_iter_100, stoa_side_sparse_iter_100;
extern const bench_side limit_side_relation_cascade, stoa_side_relation_cascade;
extern const bench_side limit_side_snapshot_save, stoa_side_snapshot_save;
extern const bench_side limit_side_snapshot_load, stoa_side_snapshot_load;
extern const bench_side limit_side_index_find, stoa_side_index_find;
extern const bench_side limit_side_index_update, stoa_side_index_update;
extern const bench_side limit_side_sched_overhead, stoa_side_sched_overhead;
extern const bench_side limit_side_sched_overhead_2t, stoa_side_sched_overhead_2t;
extern const bench_side limit_side_frame_small, stoa_side_frame_small;
extern const bench_side limit_side_parallel_2t, stoa_side_parallel_2t;
extern const bench_side limit_side_parallel_speedup, stoa_side_parallel_speedup;
extern const bench_side limit_side_parallel_light, stoa_side_parallel_light;
extern const bench_side limit_side_parallel_spawn, stoa_side_parallel_spawn;
extern const bench_side limit_side_name_lookup, stoa_side_name_lookup;
extern const bench_side limit_side_sort, stoa_side_sort;
extern const bench_side limit_side_sort_key, stoa_side_sort_key;
extern const bench_side limit_side_prefab, stoa_side_prefab, stoa_side_prefab_bulk;
extern const bench_side limit_side_hierarchy, stoa_side_hierarchy;
extern const bench_side limit_side_hierarchy_static, stoa_side_hierarchy_static;
extern const bench_side limit_side_reload, stoa_side_reload;
extern const bench_side limit_side_reload_migrate, stoa_side_reload_migrate;
extern const bench_side limit_side_history_save_1, stoa_side_history_save_1;
extern const bench_side limit_side_history_save_10, stoa_side_history_save_10;
extern const bench_side limit_side_history_save_100, stoa_side_history_save_100;
extern const bench_side limit_side_history_restore, stoa_side_history_restore;

/* Only where there is the JSON library. */
extern const bench_side limit_side_json_save, stoa_side_json_save;
extern const bench_side limit_side_json_load, stoa_side_json_load;
extern const bench_side limit_side_hash, stoa_side_hash;
extern const bench_side limit_side_delta_make, stoa_side_delta_make;
extern const bench_side limit_side_delta_apply, stoa_side_delta_apply;

/* Bytes per entity with a position and a velocity. */
double limit_memory(int32_t n);
double stoa_memory(int32_t n);

#endif
