/* Buffers that are filled by several threads at the same time.
 *
 * What the threads share is decided before they start: each buffer has handles of slots held for
 * it, as many as it gave out the last time, and beyond those it takes indexes past the entity table
 * by a rule. Where there are enough free slots it is as many as it gave out lately at most, and
 * some more: a buffer that creates now and then must not extend the table each time. Run r of
 * buffer k of n, of 8 indexes, starts at base + (r * n + k) * 8. So a handle depends on the order
 * of the buffers and on what each records. When the threads are done the table is extended to the
 * highest index taken, and what was not given out becomes free: those held come first, in the order
 * they would have been given out, then the gaps between runs, lowest first. Forking is O(handles
 * held), joining O(slots added), and O(1) if there are none. */
#include "stoa/resume.h"
#include "storage/entities.h"
#include "world/commands_buffer.h"

#include <string.h>

/* Handle number i past the table, of a buffer. */
static uint64_t beyond_index(const stoa_commands *commands, uint32_t i) {
    const stoa__buffers *buffers = &commands->world->buffers;
    uint64_t run = (uint64_t)(i / STOA__FORK_RUN) * buffers->forked_count + commands->fork_index;
    return buffers->forked_base + run * STOA__FORK_RUN + i % STOA__FORK_RUN;
}

stoa_entity stoa__commands_deal(stoa_commands *commands) {
    if (commands->handle_used < commands->handle_count) {
        return commands->handles[commands->handle_used++];
    }
    uint64_t index = beyond_index(commands, commands->beyond);
    if (index > STOA_ENTITY_MAX) {
        stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX);
        return STOA_NULL;
    }
    commands->beyond++;
    STOA_STORE(&commands->world->buffers.dealing, 1);
    return (stoa_entity){(uint32_t)index, 1};
}

/* Handles that each buffer gets beyond what it gave out lately, if any buffer of the fork did. */
#define HANDLES_SPARE 8u

/* How many handles the buffers of a fork want. */
typedef struct demand {
    uint64_t last;  /* as many as the last time */
    uint64_t most;  /* as many as lately at most, and some more */
    uint32_t spare; /* for each buffer, of those */
    bool ample;     /* there are so many free slots: they get the most */
} demand;

/* What a buffer gave out lately at most, and an eighth more. */
static uint32_t buffer_most(const stoa_commands *commands) {
    uint32_t most = commands->peak > commands->wanted ? commands->peak : commands->wanted;
    return most + most / 8;
}

static uint32_t buffer_wants(const stoa_commands *commands, const demand *wanted) {
    return wanted->ample ? buffer_most(commands) + wanted->spare : commands->wanted;
}

static uint64_t demand_sum(const demand *wanted) {
    return wanted->ample ? wanted->most : wanted->last;
}

/* STOA_OK if buffers can be forked now; otherwise reported. */
static stoa_status fork_check(stoa_world *world, stoa_commands *const *buffers, int32_t count) {
    if (world == NULL || (buffers == NULL && count > 0)) {
        return stoa__world_null(world, world == NULL ? "world" : "list of buffers");
    }
    if (count < 0) {
        return stoa__world_report(world, stoa__error(STOA_INVALID, "a count of %d buffers", count));
    }
    if ((world->storage.head.open & STOA__OPEN_HOOK) != 0) {
        return stoa__world_report(
            world, stoa__error(STOA_LOCKED, "command buffers cannot be forked inside a hook"));
    }
    return world->storage.head.open == 0 ? STOA_OK : stoa__world_busy(world);
}

/* Why a buffer cannot be forked, reported. */
STOA__COLD static stoa_status buffer_fail(stoa_world *world, const stoa_commands *commands,
                                          int32_t index) {
    stoa_status status = stoa__commands_usable(commands);
    if (status != STOA_OK) {
        return status;
    }
    return stoa__world_report(
        world, commands->world != world
                   ? stoa__error(STOA_INVALID, "buffer %d belongs to another world", index)
                   : stoa__error(STOA_INVALID, "a command buffer is listed twice"));
}

/* Marks the buffers as those of the next turn, and sums up the handles they want. */
static stoa_status buffers_mark(stoa_world *world, stoa_commands *const *buffers, int32_t count,
                                demand *wanted) {
    uint64_t turn = world->buffers.turn + 1;
    for (int32_t i = 0; i < count; i++) {
        stoa_commands *c = buffers[i];
        if (!STOA_LIKELY(c != NULL && !c->freed && c->world == world && c->turn != turn)) {
            return buffer_fail(world, c, i);
        }
        c->turn = turn;
        c->fork_index = (uint32_t)i;
        wanted->last += c->wanted;
        wanted->most += buffer_most(c);
    }
    if (wanted->most > 0) {
        wanted->spare = HANDLES_SPARE;
        wanted->most += (uint64_t)count * HANDLES_SPARE;
    }
    wanted->ample = world->storage.free_count >= wanted->most;
    return STOA_OK;
}

/* Room for the list of buffers and for the handles of each. */
static stoa_status fork_reserve(stoa_world *world, stoa_commands *const *buffers, int32_t count,
                                const demand *wanted) {
    stoa__buffers *lists = &world->buffers;
    uint64_t sum = demand_sum(wanted);
    if (sum > STOA_ENTITY_MAX) {
        return stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX);
    }
    for (int32_t i = 0; i < count && sum > 0; i++) {
        stoa_commands *c = buffers[i];
        if (!stoa__heap_grow(&c->heap, &c->handles, &c->handle_capacity, buffer_wants(c, wanted),
                             sizeof *c->handles)) {
            return stoa__error_memory("the handles of a command buffer");
        }
    }
    if (!stoa__heap_grow(&world->storage.heap, &lists->forked, &lists->forked_capacity,
                         (uint32_t)count, sizeof(stoa_commands *))) {
        return stoa__error_memory("the list of buffers");
    }
    return sum > 0 ? stoa__entities_reserve(&world->storage, (uint32_t)sum) : STOA_OK;
}

stoa_status stoa_commands_fork(stoa_world *world, stoa_commands *const *buffers, int32_t count) {
    demand wanted = {0};
    stoa_status status = fork_check(world, buffers, count);
    if (status != STOA_OK) {
        return status;
    }
    status = buffers_mark(world, buffers, count, &wanted);
    if (status == STOA_OK) {
        status = stoa__world_report(world, fork_reserve(world, buffers, count, &wanted));
    }
    if (status != STOA_OK) {
        /* The turn that they are marked with never is. */
        world->buffers.turn += 2;
        return status;
    }
    world->buffers.turn++;
    for (int32_t i = 0; i < count && demand_sum(&wanted) > 0; i++) {
        stoa_commands *c = buffers[i];
        c->handle_count = buffer_wants(c, &wanted);
        stoa__entities_hold_many(&world->storage, c->handles, c->handle_count);
    }
    if (count > 0) {
        memcpy(world->buffers.forked, buffers, (size_t)count * sizeof *buffers);
    }
    STOA_STORE(&world->buffers.dealing, wanted.most > 0);
    world->buffers.forked_count = (uint32_t)count;
    world->buffers.forked_base = world->storage.head.record_count;
    stoa__rows_ready(&world->storage);
    world->storage.head.open |= STOA__OPEN_FORK;
    return STOA_OK;
}

/* One past the highest index that any buffer took. */
static uint32_t table_end(const stoa_world *world) {
    uint64_t end = world->buffers.forked_base;
    for (uint32_t i = 0; i < world->buffers.forked_count; i++) {
        const stoa_commands *c = world->buffers.forked[i];
        uint64_t own = c->beyond > 0 ? beyond_index(c, c->beyond - 1) + 1 : 0;
        end = own > end ? own : end;
    }
    return (uint32_t)end;
}

/* Frees the indexes past the old table that no buffer took, so that the lowest is taken first. */
static void gaps_free(stoa_world *world) {
    const stoa__buffers *buffers = &world->buffers;
    for (uint32_t i = world->storage.head.record_count; i-- > buffers->forked_base;) {
        uint32_t past = i - buffers->forked_base;
        uint32_t run = past / STOA__FORK_RUN;
        const stoa_commands *c = buffers->forked[run % buffers->forked_count];
        uint32_t number = run / buffers->forked_count * STOA__FORK_RUN + past % STOA__FORK_RUN;
        if (number >= c->beyond) {
            stoa__entities_unhold(&world->storage, (stoa_entity){i, 1}, false);
        }
    }
}

void stoa__commands_unfork(stoa_world *world) {
    world->buffers.forked_count = 0;
    world->buffers.turn++;
    world->storage.head.open &= ~STOA__OPEN_FORK;
}

/* Takes back what a buffer did not give out, and notes what it will want. A peak fades, so that a
 * fork does not hold for ever what was needed once; small ones cost nothing and stay. */
static void handles_settle(stoa__storage *storage, stoa_commands *commands) {
    for (uint32_t k = commands->handle_count; k-- > commands->handle_used;) {
        stoa__entities_unhold(storage, commands->handles[k], false);
    }
    commands->wanted = commands->handle_used + commands->beyond;
    commands->peak -= commands->peak / 16;
    commands->peak = commands->wanted > commands->peak ? commands->wanted : commands->peak;
    commands->handle_count = commands->handle_used = commands->beyond = 0;
}

/* Puts the entity table right for the handles that buffers gave out, and takes back the others. On
 * error nothing is done. */
static stoa_status handles_join(stoa_world *world) {
    stoa__storage *storage = &world->storage;
    stoa_status status = stoa__entities_extend(storage, table_end(world));
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    gaps_free(world);
    for (uint32_t i = world->buffers.forked_count; i-- > 0;) {
        stoa_commands *c = world->buffers.forked[i];
        if (!STOA_LIKELY((c->handle_count | c->beyond | c->wanted) == 0)) {
            handles_settle(storage, c);
        }
    }
    return STOA_OK;
}

stoa_status stoa_commands_join(stoa_world *world) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if ((world->storage.head.open & STOA__OPEN_FORK) == 0) {
        return stoa__world_report(world,
                                  stoa__error(STOA_INVALID, "no command buffers are forked"));
    }
    stoa_status status = STOA_LOAD(&world->buffers.dealing) != 0 ? handles_join(world) : STOA_OK;
    if (status == STOA_OK) {
        stoa__commands_unfork(world);
    }
    return status;
}

stoa_handle_habit stoa_commands_habit(const stoa_commands *commands) {
    return commands != NULL ? (stoa_handle_habit){commands->wanted, commands->peak}
                            : (stoa_handle_habit){0, 0};
}

stoa_status stoa_commands_habit_set(stoa_commands *commands, stoa_handle_habit habit) {
    stoa_status status = stoa__commands_usable(commands);
    if (status != STOA_OK) {
        return status;
    }
    if (stoa__commands_forked(commands)) {
        return stoa__world_report(commands->world,
                                  stoa__error(STOA_FORKED, "the command buffer is forked"));
    }
    if (habit.last > (uint32_t)STOA_ENTITY_MAX || habit.most > (uint32_t)STOA_ENTITY_MAX) {
        return stoa__world_report(
            commands->world,
            stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX));
    }
    commands->wanted = habit.last;
    commands->peak = habit.most;
    return STOA_OK;
}
