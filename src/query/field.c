/* Fields: from a term of a query to its data in the rows at hand.
 *
 * A column is handed out for all rows of a run at once, a component by row for any kind of storage.
 * What is handed out for writing is marked: the chunk, and the rows where they have ticks. Every
 * call is checked, in a release build too; the inline look-ups of the header come here when the
 * quick answer is no. */
#include "query/field.h"

#include "storage/row.h"
#include "storage/sparse.h"

/* True if there is an iteration to ask; otherwise the failure is reported. */
static bool iter_open(const stoa_iter *it) {
    if (STOA_LIKELY(it != NULL && it->query != NULL)) {
        return true;
    }
    if (it == NULL) {
        stoa__world_null(NULL, "iteration");
    } else {
        stoa__world_report(it->world, stoa__error(STOA_ACCESS, "the iteration has ended"));
    }
    return false;
}

static STOA__COLD void field_refuse(const stoa_iter *it, int32_t index, stoa_status status,
                                    const char *problem) {
    stoa__world_report(it->world, stoa__error(status, "field %d of query '%s': %s", index,
                                              stoa_query_name(it->query), problem));
}

/* True if the term is of that component and has data that may be used so; otherwise the failure is
 * reported. */
static bool term_check(const stoa_iter *it, stoa_component id, int32_t index, bool write) {
    const stoa__terms *terms = &it->query->terms;
    bool there = index >= 0 && (uint32_t)index < terms->count;
    uint32_t able = write ? terms->writes : terms->data;
    if (STOA_LIKELY(there && terms->ids[index] == id && (able >> index & 1) != 0)) {
        return true;
    }
    field_refuse(it, index, STOA_ACCESS,
                 !there                            ? "there is no such term"
                 : terms->ids[index] != id         ? "the term is of another component"
                 : (terms->data >> index & 1) == 0 ? "the term has no data"
                                                   : "the term only reads");
    return false;
}

void stoa__field_mark(const stoa_iter *it, uint32_t index, int32_t row, int32_t count) {
    const stoa__terms *terms = &it->query->terms;
    uint32_t tick = it->world->storage.head.tick;
    stoa__column_noted(&it->world->storage, it->columns[it->indexes[index]]);
    if ((terms->marks >> index & 1) != 0) {
        void *lane = it->columns[it->indexes[terms->count + index]];
        uint32_t *ticks = (uint32_t *)lane + it->first + (size_t)row;
        for (int32_t i = 0; i < count; i++) {
            ticks[i] = tick;
        }
    }
}

void *stoa__field_sparse(const stoa_iter *it, uint32_t index, int32_t row, bool write) {
    const stoa__term *term = &it->query->terms.items[index];
    const stoa__sparse *set = term->component->set;
    uint32_t position = stoa__sparse_find(set, it->entities[row].index);
    if (position == STOA__NONE) {
        return NULL;
    }
    if (set->off != NULL && set->off[position] != 0 && !stoa__access_requires(term->access)) {
        return NULL;
    }
    if (write) {
        STOA_STORE(&set->changed[position], it->world->storage.head.tick);
    }
    return stoa__sparse_value(set, position);
}

/* The component of a row in a column of these rows. */
static void *column_at(const stoa_iter *it, uint32_t index, int32_t row) {
    size_t size = it->query->terms.items[index].component->info.size;
    return it->columns[it->indexes[index]] + (it->first + (size_t)row) * size;
}

/* The column of a term for all rows of the run. */
static void *field_find(const stoa_iter *it, stoa_component id, int32_t index, bool write) {
    if (!term_check(it, id, index, write)) {
        return NULL;
    }
    if ((it->query->terms.sparse >> index & 1) != 0) {
        field_refuse(it, index, STOA_ACCESS,
                     "the component is sparse and has no column; use stoa_field_at");
        return NULL;
    }
    if ((it->fields >> index & 1) == 0) {
        return NULL;
    }
    if (write) {
        stoa__field_mark(it, (uint32_t)index, 0, it->count);
    }
    return column_at(it, (uint32_t)index, 0);
}

/* The component of one row, wherever it is kept. */
static void *field_find_at(const stoa_iter *it, stoa_component id, int32_t index, int32_t row,
                           bool write) {
    if (!term_check(it, id, index, write)) {
        return NULL;
    }
    if (!STOA_LIKELY(row >= 0 && row < it->count)) {
        field_refuse(it, index, STOA_INVALID, "there is no such row");
        return NULL;
    }
    if ((it->query->terms.sparse >> index & 1) != 0) {
        return stoa__field_sparse(it, (uint32_t)index, row, write);
    }
    if ((it->fields >> index & 1) == 0) {
        return NULL;
    }
    if (write) {
        stoa__field_mark(it, (uint32_t)index, row, 1);
    }
    return column_at(it, (uint32_t)index, row);
}

const void *stoa_field_type(const stoa_iter *it, stoa_type *type, int32_t index) {
    return iter_open(it) ? field_find(it, stoa_type_find(it->world, type), index, false) : NULL;
}

const void *stoa_field_none(stoa_world *world, stoa_query *query, stoa_type *type, int32_t index) {
    const stoa_iter it = {.world = world, .query = query};
    return stoa_field_type(&it, type, index);
}

void *stoa_field_mut_type(const stoa_iter *it, stoa_type *type, int32_t index) {
    return iter_open(it) ? field_find(it, stoa_type_find(it->world, type), index, true) : NULL;
}

const void *stoa_field_id(const stoa_iter *it, stoa_component id, int32_t index) {
    return iter_open(it) ? field_find(it, id, index, false) : NULL;
}

void *stoa_field_mut_id(const stoa_iter *it, stoa_component id, int32_t index) {
    return iter_open(it) ? field_find(it, id, index, true) : NULL;
}

const void *stoa_field_at_type(const stoa_iter *it, stoa_type *type, int32_t index, int32_t row) {
    return iter_open(it) ? field_find_at(it, stoa_type_find(it->world, type), index, row, false)
                         : NULL;
}

void *stoa_field_at_mut_type(const stoa_iter *it, stoa_type *type, int32_t index, int32_t row) {
    return iter_open(it) ? field_find_at(it, stoa_type_find(it->world, type), index, row, true)
                         : NULL;
}

const void *stoa_field_at_id(const stoa_iter *it, stoa_component id, int32_t index, int32_t row) {
    return iter_open(it) ? field_find_at(it, id, index, row, false) : NULL;
}

void *stoa_field_at_mut_id(const stoa_iter *it, stoa_component id, int32_t index, int32_t row) {
    return iter_open(it) ? field_find_at(it, id, index, row, true) : NULL;
}
