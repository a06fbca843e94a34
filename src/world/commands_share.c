/* Creations of several buffers that are applied together, by several threads if there are any.
 *
 * Jobs of one system mostly leave buffers full of creations of one bundle. Which row each of them
 * gets follows from how many came before, so rows are dealt out first and threads fill them: each
 * takes buffers, one by one, from its own portion and then from the others'. First they look
 * whether the creations of a buffer are alike; then the caller, alone, reserves rows for those in
 * front that are, and counts and marks them; then threads copy the values, and let the entities
 * live. So the world is the same as if one thread had applied one buffer after the other, and
 * nothing has changed if there is no memory for it. No memory of its own. O(creations). */
#include "world/commands_birth.h"

/* Lanes that are used at most. */
#define LANES_MAX 16
/* Creations that are worth waking threads for, and that are worth looking at all buffers first. */
#define CREATIONS_LEAST 1024
#define CREATIONS_LEAST_ALONE 128
/* Bytes of a creation with its parts, at most. */
#define STRIDE_MAX 1024

/* The buffers of a lane, on a line of their own: all lanes take from it. */
typedef struct portion {
    _Alignas(STOA__LINE) stoa_atomic next;
    uint32_t end;
} portion;

typedef struct share {
    stoa__births births; /* of the first buffer */
    stoa_commands *const *buffers;
    int32_t count;
    int32_t lanes;
    uint32_t slot; /* of the first row in the first chunk that gets any */
    stoa_chunk *chunks;
    void (*each)(const struct share *s, stoa_commands *commands);
    portion portions[LANES_MAX];
} share;

/* The next creations of a buffer that lie in a row, past which `place` moves; one that lies in two
 * blocks is put together in `aside`. NULL after the last, or if one is not of this size. */
static const uint8_t *stretch_next(const stoa__births *b, const stoa_commands *commands,
                                   stoa__arena_place *place, uint8_t *aside, uint32_t *count) {
    if (stoa__arena_peek(&commands->arena, place) == NULL) {
        return NULL;
    }
    const uint8_t *at = place->at;
    size_t size = 0, left = (size_t)(stoa__arena_block_end(&commands->arena, place->block) - at);
    *count = (uint32_t)(left / b->stride);
    if (*count > 0) {
        place->at += *count * b->stride;
        return at;
    }
    *count = 1;
    for (uint32_t i = 0; i <= b->count; i++) {
        const stoa__command *command = stoa__arena_peek(&commands->arena, place);
        size_t extent =
            i == 0 ? sizeof *command : (command != NULL ? command->extent * STOA__ARENA_UNIT : 0);
        if (command == NULL || extent == 0 || extent > b->stride - size) {
            return NULL;
        }
        memcpy(aside + size, command, extent);
        place->at += extent;
        size += extent;
    }
    return size == b->stride ? aside : NULL;
}

/* True if so many creations do what the first one of their buffer does. */
static bool stretch_alike(const stoa__births *b, const uint8_t *at, uint32_t count) {
    uint64_t differ = 0;
    for (; count > 0; count--, at += b->stride) {
        differ |= stoa__command_word(at) ^ b->does;
        for (uint32_t i = 0; i < b->count; i++) {
            differ |= stoa__command_word(at + b->parts[i].at) ^ b->parts[i].does;
        }
    }
    return differ == 0;
}

/* True if two bundles are the same, and lie the same way in their buffers. */
static bool births_same(const stoa__births *a, const stoa__births *b) {
    bool same = a->count == b->count && a->stride == b->stride;
    for (uint32_t i = 0; i < a->count && same; i++) {
        const stoa__birth_part *x = &a->parts[i], *y = &b->parts[i];
        same = x->id == y->id && x->at == y->at && x->zero == y->zero;
    }
    return same;
}

/* Notes whether a buffer's creations are all like those of the first buffer. */
static void buffer_look(const share *s, stoa_commands *commands) {
    _Alignas(8) uint8_t aside[STRIDE_MAX];
    stoa__births own;
    stoa__arena_place place = commands->place;
    int32_t total = 0;
    const uint8_t *at = stoa__arena_peek(&commands->arena, &place);
    commands->alike = commands->count == 0;
    if (at == NULL) {
        return;
    }
    own.end = stoa__arena_block_end(&commands->arena, place.block);
    if (!stoa__births_read(&own, commands, at) || !births_same(&own, &s->births)) {
        return;
    }
    uint32_t count;
    while ((at = stretch_next(&own, commands, &place, aside, &count)) != NULL) {
        if (!stretch_alike(&own, at, count)) {
            return;
        }
        total += (int32_t)count;
    }
    commands->alike = total == commands->count;
}

/* Fills the rows of a buffer. */
static void buffer_fill(const share *s, stoa_commands *commands) {
    _Alignas(8) uint8_t aside[STRIDE_MAX];
    const stoa__births *b = &s->births;
    uint32_t capacity = (uint32_t)b->edge->target->head.chunk_capacity, count;
    uint32_t row = s->slot + commands->row_first, slot = row % capacity;
    const stoa_chunk *chunk = s->chunks + row / capacity;
    stoa__arena_place place = commands->place;
    const uint8_t *at;
    while ((at = stretch_next(b, commands, &place, aside, &count)) != NULL) {
        for (uint32_t most; count > 0; count -= most, at += most * b->stride) {
            most = count < capacity - slot ? count : capacity - slot;
            stoa__births_fill(b, chunk, slot, at, most);
            slot += most;
            if (slot == capacity) {
                slot = 0;
                chunk++;
            }
        }
    }
}

/* What a lane does: buffers of its portion, then what is left of the others'. */
static void lane_work(int32_t lane, void *data) {
    share *s = data;
    for (int32_t i = 0; i < s->lanes; i++) {
        portion *p = &s->portions[(lane + i) % s->lanes];
        for (;;) {
            uint32_t n = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
            if (n >= p->end) {
                break;
            }
            s->each(s, s->buffers[n]);
        }
    }
}

/* Has the crew do something with each of the first `count` buffers. */
static void buffers_each(share *s, const stoa_flush_crew *crew, int32_t count,
                         void (*each)(const share *s, stoa_commands *commands)) {
    s->each = each;
    for (int32_t i = 0; i < s->lanes; i++) {
        uint32_t first = (uint32_t)((int64_t)count * i / s->lanes);
        atomic_store_explicit(&s->portions[i].next, first, memory_order_relaxed);
        s->portions[i].end = (uint32_t)((int64_t)count * (i + 1) / s->lanes);
    }
    if (s->lanes > 1) {
        crew->run(lane_work, s, s->lanes, crew->user);
    } else {
        lane_work(0, s);
    }
}

/* How many buffers hold nothing but creations, if anything; adds these up. They are marked as being
 * flushed, so that one that is listed twice is taken once. */
static int32_t buffers_gather(stoa_commands *const *buffers, int32_t count, uint64_t *creations) {
    const stoa_world *world = buffers[0]->world;
    for (int32_t i = 0; i < count; i++) {
        stoa_commands *c = buffers[i];
        if (c == NULL || c->freed || stoa__commands_forked(c) || c->flushing || c->world != world ||
            (uint32_t)c->count != c->creations) {
            return i;
        }
        c->flushing = true;
        *creations += c->creations;
    }
    return count;
}

/* Deals rows out to the buffers in front that are alike, and takes them into use; returns how many
 * buffers there are, 0 on lack of memory. */
static int32_t rows_deal(share *s) {
    stoa__births *b = &s->births;
    stoa__archetype *target = b->edge->target;
    uint64_t total = 0;
    int32_t count = 0;
    for (; count < s->count && s->buffers[count]->alike; count++) {
        s->buffers[count]->row_first = (uint32_t)total;
        total += s->buffers[count]->creations;
    }
    if (total > STOA_ENTITY_MAX ||
        stoa__archetype_reserve(b->storage, target, (uint32_t)total) != STOA_OK ||
        !stoa__births_aim(b)) {
        return 0;
    }
    bool fresh = target->head.chunk_count == 0;
    s->slot = fresh ? 0 : (uint32_t)target->tail->count;
    s->chunks = target->head.chunks + (fresh ? 0 : target->head.chunk_count - 1);
    return count;
}

/* How many rows the first `count` buffers were dealt. */
static uint32_t rows_end(const share *s, int32_t count) {
    const stoa_commands *last = s->buffers[count - 1];
    return last->row_first + last->creations;
}

/* Counts and marks the rows that were filled, chunk by chunk. */
static void rows_note(const share *s, uint32_t total) {
    const stoa__births *b = &s->births;
    stoa__archetype *target = b->edge->target;
    uint32_t capacity = (uint32_t)target->head.chunk_capacity;
    while (total > 0) {
        if (target->tail->count >= target->head.chunk_capacity) {
            stoa__archetype_extend(b->storage, target);
        }
        uint32_t slot = (uint32_t)target->tail->count;
        uint32_t most = total < capacity - slot ? total : capacity - slot;
        stoa__births_note(b, target->tail, slot + most);
        total -= most;
    }
}

/* Nothing is left in a buffer. */
static void buffer_end(stoa_commands *commands) {
    commands->epoch++;
    commands->count = 0;
    commands->creations = 0;
    commands->owning = false;
    stoa__arena_clear(&commands->arena);
    commands->place = (stoa__arena_place){0};
}

/* Applies the creations of buffers in front that are alike; returns how many buffers there are. */
static int32_t buffers_apply(share *s, const stoa_flush_crew *crew) {
    stoa_commands *first = s->buffers[0];
    stoa__births *b = &s->births;
    b->storage = &first->world->storage;
    const uint8_t *at = stoa__arena_peek(&first->arena, &first->place);
    if (at == NULL || b->storage->watch_all) {
        return 0;
    }
    b->end = stoa__arena_block_end(&first->arena, first->place.block);
    if (!stoa__births_read(b, first, at) || b->stride > STRIDE_MAX || !stoa__births_aim(b)) {
        return 0;
    }
    buffers_each(s, crew, s->count, buffer_look);
    int32_t done = rows_deal(s);
    if (done > 0) {
        buffers_each(s, crew, done, buffer_fill);
        rows_note(s, rows_end(s, done));
    }
    return done;
}

/* How many lanes are worth it; with one the crew is not asked. */
static int32_t lanes_choose(const stoa_flush_crew *crew, int32_t buffers, uint64_t creations) {
    if (crew == NULL || creations < (uint64_t)(crew->least > 0 ? crew->least : CREATIONS_LEAST)) {
        return 1;
    }
    int32_t lanes = crew->lanes < LANES_MAX ? crew->lanes : LANES_MAX;
    lanes = buffers < lanes ? buffers : lanes;
    return lanes > 1 ? lanes : 1;
}

int32_t stoa__commands_share(stoa_commands *const *buffers, int32_t from, int32_t count,
                             const stoa_flush_crew *crew, int32_t *seen) {
    share s = {.buffers = buffers + from};
    uint64_t creations = 0;
    int32_t done = 0;
    s.count = buffers_gather(s.buffers, count - from, &creations);
    s.lanes = lanes_choose(crew, s.count, creations);
    if (creations >= (s.lanes > 1 ? 1 : CREATIONS_LEAST_ALONE)) {
        done = buffers_apply(&s, crew);
    }
    for (int32_t i = 0; i < s.count; i++) {
        s.buffers[i]->flushing = false;
    }
    /* Those left are looked at once more if a good part is done: not over and over where buffers
     * are of many sorts. */
    uint32_t applied = done > 0 ? rows_end(&s, done) : 0;
    for (int32_t i = 0; i < done; i++) {
        buffer_end(s.buffers[i]);
    }
    *seen = from + (applied < creations / 4 || done == 0 ? s.count : done);
    return done;
}
