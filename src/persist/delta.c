/* Deltas: checking and applying them.
 *
 * Commands are gone through twice. The first time nothing is written: numbers are whole, each copy
 * is inside of the base, and the sizes add up to what the header says. Only then memory is taken,
 * and the second time writes nowhere else, whatever the base is. Base and target are hashed on the
 * way, and what was made is kept if both are right. O(delta) and O(base + target). */
#include "persist/delta.h"

#include "base/error.h"
#include "base/far.h"

/* Bytes that are worth hashing as they are copied; fewer wait until more have come. */
#define COPY_LEAST 512u
/* Targets of that size do not stay in the caches. */
#define FAR_LEAST ((uint64_t)16 << 20)

/* Commands that are read one after the other. */
typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
    uint64_t cursor; /* where a copy without a jump begins */
} reader;

/* Bytes of the delta, then bytes of the base. */
typedef struct command {
    const uint8_t *literal;
    uint64_t literal_size;
    uint64_t from;
    uint64_t copy_size;
} command;

/* A number of 7 bits a byte, the low ones first; false if it does not end or is too large. */
static bool number_take(reader *r, uint64_t *number) {
    *number = 0;
    for (uint32_t shift = 0; r->at < r->end && shift < 64; shift += 7) {
        uint8_t byte = *r->at++;
        uint64_t bits = byte & 0x7f;
        if (bits << shift >> shift != bits) {
            return false;
        }
        *number |= bits << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

/* The next command; false if there is no whole one. */
static bool command_take(reader *r, command *c) {
    uint64_t copy;
    uint64_t jump = 0;
    if (!number_take(r, &c->literal_size) || c->literal_size > (uint64_t)(r->end - r->at)) {
        return false;
    }
    c->literal = r->at;
    r->at += c->literal_size;
    if (!number_take(r, &copy) || ((copy & 1) != 0 && !number_take(r, &jump))) {
        return false;
    }
    c->copy_size = copy >> 1;
    c->from = r->cursor + c->literal_size + (jump >> 1 ^ (0 - (jump & 1)));
    r->cursor = c->from + c->copy_size;
    return c->literal_size > 0 || c->copy_size > 0;
}

static stoa_status commands_check(const uint8_t *delta, size_t size, stoa_delta_info *info) {
    reader r = {.at = delta + STOA__DELTA_HEADER, .end = delta + size};
    uint64_t left = info->target_size;
    while (r.at < r.end) {
        command c;
        size_t place = (size_t)(r.at - delta);
        if (!command_take(&r, &c)) {
            return stoa__error(STOA_CORRUPT, "byte %zu of the delta begins no command", place);
        }
        if (c.copy_size > 0 &&
            (c.from > info->base_size || c.copy_size > info->base_size - c.from)) {
            return stoa__error(STOA_CORRUPT,
                               "the command at byte %zu of the delta copies what the base has not",
                               place);
        }
        if (c.literal_size > left || c.copy_size > left - c.literal_size) {
            return stoa__error(STOA_CORRUPT, "the delta makes more bytes than it says");
        }
        left -= c.literal_size + c.copy_size;
        info->literal_size += c.literal_size;
        info->copied_size += c.copy_size;
    }
    return left == 0 ? STOA_OK
                     : stoa__error(STOA_CORRUPT, "the delta makes fewer bytes than it says");
}

static stoa_status header_check(const uint8_t *delta, size_t size, stoa_delta_info *info) {
    if (size < STOA__DELTA_HEADER || (uint32_t)stoa__word(delta) != STOA__DELTA_MAGIC) {
        return stoa__error(STOA_CORRUPT, "these bytes are no delta");
    }
    *info = (stoa_delta_info){.version = (uint32_t)(stoa__word(delta) >> 32),
                              .size = stoa__word(delta + 8),
                              .base_size = stoa__word(delta + 16),
                              .base_hash = stoa__word(delta + 24),
                              .target_size = stoa__word(delta + 32),
                              .target_hash = stoa__word(delta + 40)};
    if (info->version != STOA_DELTA_VERSION) {
        return stoa__error(STOA_CORRUPT, "the delta is of version %u, and %d is known",
                           info->version, STOA_DELTA_VERSION);
    }
    if (info->size != size) {
        return stoa__error(STOA_CORRUPT, "the delta has %zu bytes and says %llu", size,
                           (unsigned long long)info->size);
    }
    if (stoa__word(delta + STOA__DELTA_CHECKSUM) != stoa__delta_checksum(delta, size)) {
        return stoa__error(STOA_CORRUPT, "the checksum of the delta is wrong");
    }
    return STOA_OK;
}

static stoa_status base_size_check(size_t size, const stoa_delta_info *info) {
    return size == info->base_size
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "the delta is for a base of %llu bytes, not of %zu",
                             (unsigned long long)info->base_size, size);
}

static stoa_status hashes_check(uint64_t base, uint64_t target, const stoa_delta_info *info) {
    if (base != info->base_hash) {
        return stoa__error(STOA_CORRUPT, "the delta is for a base of hash %016llx, not of %016llx",
                           (unsigned long long)info->base_hash, (unsigned long long)base);
    }
    return target == info->target_hash
               ? STOA_OK
               : stoa__error(STOA_CORRUPT,
                             "the delta does not make the target that it was made of");
}

/* A target that is being made; it and its base are hashed on the way. */
typedef struct applier {
    stoa__delta_walk base;
    stoa__delta_walk target;
    uint8_t *to;
    size_t at;  /* bytes made so far */
    bool alike; /* all of them are what the base begins with, so one hash is that of both */
    bool far;   /* the target is too large for the caches */
} applier;

static void part_copy(applier *a, size_t from, size_t size) {
    const uint8_t *bytes = a->base.bytes + from;
    a->alike = a->alike && from == a->at;
    if (a->alike) {
        stoa__hasher_copy(&a->base.hasher, a->to + a->at, bytes, size, a->far);
        a->base.hashed += size;
        a->target.hasher = a->base.hasher;
        a->target.hashed += size;
    } else if (size >= COPY_LEAST) {
        stoa__delta_walk_to(&a->base, from + size);
        stoa__delta_walk_to(&a->target, a->at);
        stoa__hasher_copy(&a->target.hasher, a->to + a->at, bytes, size, a->far);
        a->target.hashed += size;
    } else {
        stoa__delta_walk_to(&a->base, from + size);
        memcpy(a->to + a->at, bytes, size);
    }
    a->at += size;
}

static void commands_run(applier *a, const uint8_t *delta, size_t delta_size) {
    reader r = {.at = delta + STOA__DELTA_HEADER, .end = delta + delta_size};
    command c;
    while (r.at < r.end && command_take(&r, &c)) {
        if (c.literal_size > 0) {
            memcpy(a->to + a->at, c.literal, (size_t)c.literal_size);
            a->at += (size_t)c.literal_size;
            a->alike = false;
        }
        for (size_t from = (size_t)c.from, end = from + (size_t)c.copy_size; from < end;) {
            size_t part = end - from < STOA__DELTA_PART ? end - from : STOA__DELTA_PART;
            part_copy(a, from, part);
            from += part;
        }
    }
}

/* Room for so many bytes and one more, so that there is memory even for none. */
static stoa_status room_make(stoa_blob *blob, uint64_t size) {
    if (size >= SIZE_MAX / 2 - blob->size) {
        return stoa__error_memory("the target of a delta");
    }
    return stoa_blob_reserve(blob, blob->size + (size_t)size + 1);
}

uint64_t stoa__delta_checksum(const uint8_t *delta, size_t size) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add(&hasher, delta, STOA__DELTA_CHECKSUM);
    stoa__hasher_add(&hasher, delta + STOA__DELTA_HEADER, size - STOA__DELTA_HEADER);
    return stoa__hasher_result(&hasher);
}

stoa_status stoa__delta_apart(const stoa_blob *blob, const void *bytes, size_t size) {
    uintptr_t begin = (uintptr_t)blob->data;
    uintptr_t at = (uintptr_t)bytes;
    if (size > 0 && blob->capacity > 0 && at < begin + blob->capacity && begin < at + size) {
        return stoa__error(STOA_INVALID, "what is read is in the blob that is written to");
    }
    return STOA_OK;
}

stoa_status stoa_delta_verify(const void *delta, size_t delta_size, stoa_delta_info *info) {
    if (delta == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "a delta is needed");
    }
    stoa_delta_info found = {0};
    stoa_status status = header_check(delta, delta_size, &found);
    status = status == STOA_OK ? commands_check(delta, delta_size, &found) : status;
    if (status == STOA_OK && info != NULL) {
        *info = found;
    }
    return status;
}

stoa_status stoa_delta_apply(const void *base, size_t base_size, const void *delta,
                             size_t delta_size, uint64_t size_max, stoa_blob *target) {
    if (target == NULL || delta == NULL || (base == NULL && base_size > 0)) {
        return stoa__error(STOA_NULL_ARGUMENT, "a base, a delta and a blob are needed");
    }
    stoa_delta_info info = {0};
    stoa_status status = stoa__delta_apart(target, base, base_size);
    status = status == STOA_OK ? stoa__delta_apart(target, delta, delta_size) : status;
    status = status == STOA_OK ? stoa_delta_verify(delta, delta_size, &info) : status;
    if (status == STOA_OK && size_max != 0 && info.target_size > size_max) {
        status = stoa__error(STOA_LIMIT, "the target has %llu bytes, and %llu are allowed",
                             (unsigned long long)info.target_size, (unsigned long long)size_max);
    }
    status = status == STOA_OK ? base_size_check(base_size, &info) : status;
    status = status == STOA_OK ? room_make(target, info.target_size) : status;
    if (status != STOA_OK) {
        return status;
    }
    uint8_t *to = target->data + target->size;
    applier a = {.base = stoa__delta_walk_new(base, base_size),
                 .target = stoa__delta_walk_new(to, (size_t)info.target_size),
                 .to = to,
                 .alike = true,
                 .far = info.target_size >= FAR_LEAST};
    commands_run(&a, delta, delta_size);
    stoa__far_end();
    status = hashes_check(stoa__delta_walk_hash(&a.base), stoa__delta_walk_hash(&a.target), &info);
    target->size += status == STOA_OK ? (size_t)info.target_size : 0;
    return status;
}
