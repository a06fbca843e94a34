/* Taking a snapshot apart: header, sections, and which may follow which.
 *
 * Bytes may be anything. Sizes are compared with what is there before they are used; nothing here
 * allocates. O(size), and next to nothing without checksums. Any thread. */
#include "base/error.h"
#include "persist/snapshot.h"

#include <string.h>

const void *stoa__cursor_take(stoa__cursor *cursor, uint64_t size) {
    if (cursor->failed || size > stoa__cursor_left(cursor)) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *taken = cursor->at;
    cursor->at += size;
    return taken;
}

uint8_t stoa__cursor_u8(stoa__cursor *cursor) {
    const uint8_t *bytes = stoa__cursor_take(cursor, 1);
    return bytes != NULL ? *bytes : 0;
}

uint32_t stoa__cursor_u32(stoa__cursor *cursor) {
    const uint8_t *bytes = stoa__cursor_take(cursor, 4);
    return bytes != NULL ? stoa__read_u32(bytes) : 0;
}

uint64_t stoa__cursor_u64(stoa__cursor *cursor) {
    const uint8_t *bytes = stoa__cursor_take(cursor, 8);
    return bytes != NULL ? stoa__read_u64(bytes) : 0;
}

uint32_t stoa__cursor_count(stoa__cursor *cursor, uint32_t size) {
    uint32_t count = stoa__cursor_u32(cursor);
    if (cursor->failed || count > stoa__cursor_left(cursor) / size) {
        cursor->failed = true;
        return 0;
    }
    return count;
}

stoa_status stoa__snapshot_header_read(stoa__snapshot_header *header, const uint8_t *bytes,
                                       bool checked) {
    if (stoa__read_u32(bytes) != STOA__SNAPSHOT_MAGIC) {
        return stoa__error(STOA_CORRUPT, "this is no snapshot: it does not begin with ECS");
    }
    *header = (stoa__snapshot_header){
        .version = stoa__read_u32(bytes + 4),
        .section_count = stoa__read_u32(bytes + 8),
        .archetype_count = stoa__read_u32(bytes + 12),
        .slot_count = stoa__read_u32(bytes + 16),
        .entity_count = stoa__read_u32(bytes + 20),
        .size = stoa__read_u64(bytes + 24),
    };
    /* First, since the rest may mean something else in a version to come. */
    if (header->version > STOA_SNAPSHOT_VERSION) {
        return stoa__error(STOA_REFUSED,
                           "the snapshot has version %u of the format, and this library reads "
                           "versions up to %d",
                           header->version, STOA_SNAPSHOT_VERSION);
    }
    if (checked && stoa__hash_bytes(bytes, STOA__SNAPSHOT_HEADER - 8) !=
                       stoa__read_u64(bytes + STOA__SNAPSHOT_HEADER - 8)) {
        return stoa__error(STOA_CORRUPT, "the header of the snapshot is damaged: its checksum "
                                         "is wrong");
    }
    if (header->version == 0 || header->size < STOA__SNAPSHOT_HEADER) {
        return stoa__error(STOA_CORRUPT, "the header of the snapshot makes no sense");
    }
    return STOA_OK;
}

stoa_status stoa__section_head_read(stoa__section *section, const uint8_t *bytes, uint64_t left,
                                    uint64_t *size) {
    *section = (stoa__section){.kind = STOA__SECTION_OTHER};
    section->body_size = left < STOA__SECTION_HEAD ? 0 : stoa__read_u64(bytes);
    section->flags = left < STOA__SECTION_HEAD ? 0 : stoa__read_u32(bytes + 8);
    section->name_size = left < STOA__SECTION_HEAD ? 0 : stoa__read_u32(bytes + 12);
    if (section->name_size == 0 || section->name_size > STOA__SECTION_NAME_MAX ||
        (section->flags & ~(STOA__SECTION_REQUIRED | STOA__SECTION_EXTENSION)) != 0) {
        return stoa__error(STOA_CORRUPT, "a section of the snapshot has no name");
    }
    /* In this order, so that the sum cannot wrap. */
    if (section->body_size > left ||
        stoa__section_size(section->name_size, section->body_size) > left) {
        return stoa__error(STOA_CORRUPT, "a section of the snapshot is longer than the snapshot");
    }
    *size = stoa__section_size(section->name_size, section->body_size);
    return STOA_OK;
}

static bool bytes_are_zero(const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/* The kind of a section by its name; STOA_REFUSED for one that must be known. */
static stoa_status kind_find(stoa__section *section) {
    if ((section->flags & STOA__SECTION_EXTENSION) != 0) {
        section->kind = STOA__SECTION_OF_EXTENSION;
        return STOA_OK;
    }
    for (int i = 0; i < STOA__SECTION_OF_EXTENSION; i++) {
        if (strcmp(section->name, stoa__section_names[i]) == 0) {
            section->kind = (stoa__section_kind)i;
            return STOA_OK;
        }
    }
    return (section->flags & STOA__SECTION_REQUIRED) == 0
               ? STOA_OK
               : stoa__error(STOA_REFUSED,
                             "the snapshot has a section '%s', which this library does not know "
                             "and must not skip",
                             section->name);
}

stoa_status stoa__section_damaged(const stoa__section *section) {
    return stoa__error(STOA_CORRUPT, "section '%.64s' is damaged: its checksum is wrong",
                       section->name);
}

bool stoa__section_sound(const uint8_t *bytes, uint64_t size) {
    return stoa__hash_bytes(bytes, (size_t)size - 8) == stoa__read_u64(bytes + size - 8);
}

stoa_status stoa__section_read(stoa__section *section, const uint8_t *bytes) {
    const uint8_t *name = bytes + STOA__SECTION_HEAD;
    memcpy(section->name, name, section->name_size);
    section->name[section->name_size] = '\0';
    uint32_t name_padding = stoa__snapshot_padding(section->name_size);
    section->body = name + section->name_size + name_padding;
    if (memchr(section->name, '\0', section->name_size) != NULL ||
        !bytes_are_zero(name + section->name_size, name_padding) ||
        !bytes_are_zero(section->body + section->body_size,
                        stoa__snapshot_padding(section->body_size))) {
        return stoa__error(STOA_CORRUPT, "section '%.64s' is not as the format says",
                           section->name);
    }
    return kind_find(section);
}

/* True if a section of that kind may come now. */
static bool order_allows(const stoa__order *order, const stoa__section *section) {
    stoa__section_kind kind = section->kind;
    if (kind == STOA__SECTION_SCHEMA || !order->any) {
        return kind == STOA__SECTION_SCHEMA && !order->any;
    }
    if (kind == STOA__SECTION_SLOTS || order->last == STOA__SECTION_SCHEMA) {
        return kind == STOA__SECTION_SLOTS && order->last == STOA__SECTION_SCHEMA;
    }
    if (kind == STOA__SECTION_TICKS) {
        return order->ticks_due && order->tick;
    }
    if (kind == STOA__SECTION_RESOURCE_TICKS) {
        return order->last == STOA__SECTION_RESOURCES && order->tick;
    }
    if (kind >= STOA__SECTION_LOG && kind <= STOA__SECTION_APP) {
        return order->last < kind && order->tick;
    }
    if (kind == STOA__SECTION_ARCHETYPE || kind == STOA__SECTION_SPARSE) {
        return order->last <= kind;
    }
    if (kind == STOA__SECTION_OF_EXTENSION) {
        return order->last < kind || strcmp(order->extension, section->name) < 0;
    }
    return order->last < kind;
}

stoa_status stoa__order_next(stoa__order *order, const stoa__section *section) {
    order->section_count++;
    if (section->kind == STOA__SECTION_OTHER) {
        return STOA_OK;
    }
    if (!order_allows(order, section)) {
        return stoa__error(STOA_CORRUPT, "section '%.64s' is not where it belongs", section->name);
    }
    order->any = true;
    order->ticks_due =
        section->kind == STOA__SECTION_ARCHETYPE || section->kind == STOA__SECTION_SPARSE;
    order->tick = order->tick || section->kind == STOA__SECTION_TICK;
    order->archetype_count += section->kind == STOA__SECTION_ARCHETYPE;
    if (section->kind == STOA__SECTION_OF_EXTENSION) {
        memcpy(order->extension, section->name, sizeof order->extension);
    }
    if (section->kind != STOA__SECTION_TICKS) {
        order->last = section->kind;
    }
    return STOA_OK;
}

stoa_status stoa__order_end(const stoa__order *order, const stoa__snapshot_header *header) {
    if (!order->any || order->last == STOA__SECTION_SCHEMA ||
        order->section_count != header->section_count ||
        order->archetype_count != header->archetype_count) {
        return stoa__error(STOA_CORRUPT, "the snapshot has other sections than its header says");
    }
    return STOA_OK;
}
