/* Frames of a world whose buffers are filled by threads.
 *
 * What a buffer records follows from the seed, the frame and the buffer's number. Threads are
 * disturbed by yields and small waits that follow from chance alone. */
#define _GNU_SOURCE
#include "game.h"

#include <sched.h>
#include <stdlib.h>

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT_WITH(Mood, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_TAG(Frozen);

atomic_int texts_alive;

static void text_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (char **text = items; count-- > 0; text++) {
        texts_alive -= *text != NULL;
        free(*text);
        *text = NULL;
    }
}

STOA_COMPONENT_WITH(Text, STOA_OPTIONS(.hooks = {.drop = text_drop}), { char *bytes; });

static Text text_make(uint32_t number) {
    Text text = {malloc(16)};
    if (text.bytes != NULL) {
        snprintf(text.bytes, 16, "%u", number);
        texts_alive++;
    }
    return text;
}

static void *shared_alloc(size_t size, size_t alignment, void *user) {
    game *g = user;
    pthread_mutex_lock(&g->mutex);
    void *block = g->counting.alloc(size, alignment, g->counting.user);
    pthread_mutex_unlock(&g->mutex);
    return block;
}

static void shared_free(void *block, size_t size, size_t alignment, void *user) {
    game *g = user;
    pthread_mutex_lock(&g->mutex);
    g->counting.free(block, size, alignment, g->counting.user);
    pthread_mutex_unlock(&g->mutex);
}

/* Lets other threads go first, now and then. */
static void disturb(game_part *part) {
    uint32_t chance = support_random_next(&part->chance);
    if (part->game->way == GAME_THREADS && chance % 16 == 0) {
        for (uint32_t i = chance / 16 % 4; i > 0; i--) {
            sched_yield();
        }
    }
}

/* A handle to record something for: one made in this frame, or before. */
static stoa_entity target(const game_part *part, uint32_t number) {
    const game *g = part->game;
    if (part->made_count > 0 && (number % 3 != 0 || g->known_count == 0)) {
        return part->made[number / 3 % (uint32_t)part->made_count];
    }
    const stoa_entity nobody = {1000000, 1};
    return g->known_count > 0 ? g->known[number / 3 % (uint32_t)g->known_count] : nobody;
}

/* Reads the world, which all threads do at the same time. */
static void world_look(game_part *part, uint32_t number) {
    const stoa_world *w = part->game->world;
    stoa_entity e = target(part, number * 3);
    const Health *health = stoa_try_get(w, e, Health);
    part->wrong += health != NULL && !stoa_alive(w, e);
    part->wrong += health != NULL && health->points < 0;
    part->wrong += stoa_has(w, e, Mood) && !stoa_alive(w, e);
    part->wrong += part->made_count > 0 && stoa_alive(w, part->made[0]);
}

static void part_create(game_part *part, uint32_t number) {
    stoa_commands *c = part->commands;
    if (part->made_count == MADE_MAX) {
        return;
    }
    Text text = {NULL};
    if (number % 4 == 0) {
        text = text_make(number);
    }
    stoa_entity e =
        number % 2 == 0
            ? stoa_commands_create_with(c, STOA_VALUE(Health, {(int32_t)(number % 1000)}),
                                        STOA_VALUE_FROM(Text, &text))
            : stoa_commands_create(c);
    part->wrong += stoa_entity_is_null(e);
    part->made[part->made_count++] = e;
}

static void part_step(game_part *part, support_random *random) {
    stoa_commands *c = part->commands;
    uint32_t number = support_random_next(random) >> 3;
    stoa_entity e = target(part, number);
    Text text;
    stoa_status status = STOA_OK;
    switch (support_random_below(random, 9)) {
    case 0:
    case 1:
        part_create(part, number);
        break;
    case 2:
        status = stoa_commands_set(c, e, Position, {(float)(number % 100), 0, 1});
        break;
    case 3:
        status = stoa_commands_set(c, e, Mood, {(int32_t)number});
        break;
    case 4:
        text = text_make(number);
        status = stoa_commands_set_from(c, e, Text, &text);
        break;
    case 5:
        status = number % 4 == 0 ? stoa_commands_destroy(c, e) : stoa_commands_add(c, e, Frozen);
        break;
    case 6:
        status = stoa_commands_change(c, e, STOA_VALUE(Health, {3}), STOA_REMOVE(Position));
        break;
    case 7:
        status = stoa_commands_remove(c, e, Mood);
        break;
    default:
        world_look(part, number);
        break;
    }
    part->wrong += status != STOA_OK;
    disturb(part);
}

static void *part_fill(void *user) {
    game_part *part = user;
    const game *g = part->game;
    support_random random = {g->seed * 1000003 + (uint64_t)g->frame * 101 +
                             (uint64_t)part->number * 7 + 1};
    uint32_t steps = support_random_below(&random, 4) == 0 ? 1000 : 150;
    part->made_count = 0;
    for (uint32_t i = support_random_below(&random, steps); i > 0; i--) {
        part_step(part, &random);
    }
    return NULL;
}

static void frame_fill(game *g) {
    pthread_t threads[BUFFERS_MAX];
    for (int i = 0; i < g->buffer_count; i++) {
        int k = g->way == GAME_BACKWARDS ? g->buffer_count - 1 - i : i;
        if (g->way == GAME_THREADS) {
            assert_int_equal(pthread_create(&threads[k], NULL, part_fill, &g->parts[k]), 0);
        } else {
            part_fill(&g->parts[k]);
        }
    }
    for (int i = 0; i < g->buffer_count && g->way == GAME_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void frame_run(game *g) {
    stoa_commands *buffers[BUFFERS_MAX];
    for (int i = 0; i < g->buffer_count; i++) {
        buffers[i] = g->parts[i].commands;
    }
    assert_int_equal(stoa_commands_fork(g->world, buffers, g->buffer_count), STOA_OK);
    frame_fill(g);
    assert_int_equal(stoa_commands_join(g->world), STOA_OK);
    uint64_t handles = 0;
    for (int i = 0; i < g->buffer_count; i++) {
        const game_part *part = &g->parts[i];
        assert_int_equal(part->wrong, 0);
        assert_int_equal(stoa_commands_flush(buffers[i]), STOA_OK);
        for (int k = 0; k < part->made_count; k++) {
            handles = handles * 31 + stoa_entity_hash(part->made[k]);
            g->known[g->known_count++ % KNOWN_MAX] = part->made[k];
        }
    }
    g->known_count = g->known_count > KNOWN_MAX ? KNOWN_MAX : g->known_count;
    g->handles[g->frame] = handles;
    g->hashes[g->frame] = stoa_hash(g->world);
    assert_int_equal(stoa_check(g->world), STOA_OK);
}

void game_run(game *g, uint64_t seed, game_way way) {
    memset(g, 0, sizeof *g);
    pthread_mutex_init(&g->mutex, NULL);
    g->heap.no_resize = true;
    g->counting = support_allocator(&g->heap);
    stoa_allocator shared = {.alloc = shared_alloc, .free = shared_free, .user = g};
    g->world = stoa_world_new(&(stoa_world_desc){.allocator = &shared});
    g->seed = seed;
    g->way = way;
    g->buffer_count = 1 + (int)(seed % BUFFERS_MAX);
    for (int i = 0; i < g->buffer_count; i++) {
        g->parts[i] = (game_part){.game = g, .number = i, .chance = {seed * 77 + (uint64_t)i}};
        g->parts[i].commands = i == 1 ? stoa_deferred(g->world) : stoa_commands_new(g->world);
    }
    for (g->frame = 0; g->frame < FRAMES; g->frame++) {
        frame_run(g);
    }
    stoa_world_free(g->world);
    assert_int_equal(g->heap.bytes, 0);
    assert_int_equal(texts_alive, 0);
    pthread_mutex_destroy(&g->mutex);
}
