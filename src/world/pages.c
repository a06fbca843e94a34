/* Pages of frames.
 *
 * A page is a line with its head, then the bytes. It is cut from a slab, of which each is larger
 * than the one before up to the size of a huge page; a very large one is a block of its own.
 * Classes of sizes are a quarter of a doubling apart, so at most a fifth of a page is not used.
 * Taking a page is O(1). Slabs go at the end. One thread at a time. */
#include "world/pages.h"

#include "base/far.h"
#include "stoa/stream.h"
#include "storage/row.h"

/* Bytes that sizes are counted in. */
#define UNIT STOA__LINE

/* The class of a size, and the bytes that its pages have. */
static uint32_t size_class(size_t size, size_t *room) {
    size_t units = (size + UNIT - 1) / UNIT;
    uint32_t doubling = 0;
    while (units >> (doubling + 3) != 0) {
        doubling++;
    }
    size_t step = (size_t)1 << doubling;
    size_t steps = (units + step - 1) / step;
    *room = steps * step * UNIT;
    return doubling * 4 + (uint32_t)steps;
}

/* A block that pages are cut from. */
typedef struct stoa__page_slab {
    uint8_t *data;
    size_t size;
} slab;

/* Sizes of slabs: the first, and those that huge pages are for. */
#define SLAB_FIRST ((size_t)32 << 10)
#define SLAB_SIZE ((size_t)2 << 20)
/* Values of so many bytes are copied past the caches, since most frames are never gone back to...
 */
#define FAR_LEAST ((size_t)4 << 10)
/* ...if the frame copies as many: fewer do the caches no harm, and are copied quicker into them. */
#define FRAME_LARGE ((size_t)1 << 20)
/* Pages beyond this have a slab of their own. */
#define PAGE_LARGE (SLAB_SIZE / 4)

static size_t slab_alignment(size_t size) {
    return size == SLAB_SIZE ? SLAB_SIZE : STOA__LINE;
}

/* A new slab of that size; NULL on lack of memory. */
static uint8_t *slab_new(stoa__pages *pages, size_t size) {
    if (!stoa__heap_grow(pages->heap, &pages->slabs, &pages->slab_capacity, pages->slab_count + 1,
                         sizeof(slab))) {
        return NULL;
    }
    uint8_t *data = stoa__heap_alloc(pages->heap, size, slab_alignment(size));
    if (data != NULL) {
        pages->slabs[pages->slab_count++] = (slab){data, size};
    }
    return data;
}

/* Raw memory for a page of so many bytes, its head included; NULL on lack of memory. */
static stoa__page *page_cut(stoa__pages *pages, size_t size) {
    if (size > PAGE_LARGE) {
        return (stoa__page *)(void *)slab_new(pages, size);
    }
    if (pages->cut_left < size) {
        size_t length = SLAB_FIRST << (pages->slab_count < 6 ? pages->slab_count : 6);
        while (length < size) {
            length *= 2;
        }
        uint8_t *data = slab_new(pages, length);
        if (data == NULL) {
            return NULL;
        }
        pages->cut = data;
        pages->cut_left = length;
    }
    stoa__page *page = (stoa__page *)(void *)pages->cut;
    pages->cut += size;
    pages->cut_left -= size;
    return page;
}

void stoa__pages_init(stoa__pages *pages, stoa__heap *heap) {
    *pages = (stoa__pages){.heap = heap, .scratch.allocator = &heap->hooks};
}

void stoa__pages_fini(stoa__pages *pages) {
    stoa__pages_unstage(pages);
    for (uint32_t i = 0; i < pages->slab_count; i++) {
        slab *block = &pages->slabs[i];
        stoa__heap_free(pages->heap, block->data, block->size, slab_alignment(block->size));
    }
    stoa__heap_grow_free(pages->heap, pages->slabs, pages->slab_capacity, sizeof *pages->slabs);
    stoa_blob_free(&pages->scratch);
    stoa__heap_grow_free(pages->heap, pages->staged, pages->staged_capacity, sizeof *pages->staged);
}

stoa__page *stoa__page_new(stoa__pages *pages, size_t size) {
    if (size > PTRDIFF_MAX / 2) {
        stoa__error_memory("a page of a frame");
        return NULL;
    }
    size_t room;
    uint32_t class = size_class(size, &room);
    stoa__page *page = pages->free[class];
    if (page != NULL) {
        pages->free[class] = page->next;
        /* By the time this page is filled the next one's head is there. */
        STOA_PREFETCH(page->next);
    } else {
        page = page_cut(pages, sizeof *page + room);
        if (page == NULL) {
            stoa__error_memory("a page of a frame");
            return NULL;
        }
    }
    *page = (stoa__page){.size = size, .room = room, .uses = 1, .class = class};
    return page;
}

void stoa__page_leave(stoa__pages *pages, stoa__page *page) {
    if (page == NULL || --page->uses > 0) {
        return;
    }
    if (page->component != NULL) {
        stoa__component_drop(page->component, stoa__page_data(page), page->count);
    }
    page->next = pages->free[page->class];
    pages->free[page->class] = page;
}

stoa__keep stoa__keep_of(const stoa__component *component) {
    const stoa_component_info *info = &component->info;
    if (info->hooks.copy != NULL) {
        return STOA__KEEP_COPIES;
    }
    if (info->hooks.drop == NULL) {
        return STOA__KEEP_BYTES;
    }
    bool saved =
        info->persist != NULL && info->persist->save != NULL && info->persist->load != NULL;
    return saved ? STOA__KEEP_SAVED : STOA__KEEP_NOT;
}

/* Bytes of so many values, without gaps. */
static size_t items_size(const stoa__component *component, int32_t count) {
    return (size_t)count * component->info.size;
}

static uint8_t *item_at(const stoa__items *items, int32_t i) {
    return items->at + ((items->first + (size_t)i) & items->mask) * items->stride;
}

/* How many values of so many are handed to a hook at once. */
static int32_t items_each(const stoa__items *items, const stoa__component *component,
                          int32_t count) {
    return items->stride == component->info.size && items->mask == SIZE_MAX ? count : 1;
}

static stoa__page *page_copies(stoa__pages *pages, const stoa__component *component,
                               stoa__items items, int32_t count) {
    const stoa_hooks *hooks = &component->info.hooks;
    stoa__page *page = stoa__page_new(pages, items_size(component, count));
    int32_t each = items_each(&items, component, count);
    for (int32_t i = 0; i < count && page != NULL; i += each) {
        uint8_t *to = stoa__page_data(page) + items_size(component, i);
        if (!hooks->copy(to, item_at(&items, i), each, hooks->user)) {
            /* Those that were made go with the page. */
            stoa__page_leave(pages, page);
            stoa__error(STOA_NO_MEMORY, "component '%s' could not be copied", component->name);
            return NULL;
        }
        page->component = component;
        page->count = i + each;
    }
    return page;
}

static stoa__page *page_saved(stoa__pages *pages, const stoa__component *component,
                              stoa__items items, int32_t count) {
    const stoa_persist *persist = component->info.persist;
    stoa_sink sink = stoa_blob_sink(&pages->scratch);
    int32_t each = items_each(&items, component, count);
    stoa_status status = STOA_OK;
    pages->scratch.size = 0;
    for (int32_t i = 0; i < count && status == STOA_OK; i += each) {
        status = persist->save(&sink, item_at(&items, i), each, persist->user);
    }
    return status == STOA_OK ? stoa__page_bytes(pages, pages->scratch.data, pages->scratch.size)
                             : NULL;
}

static stoa__page *page_plain(stoa__pages *pages, const stoa__component *component,
                              stoa__items items, int32_t count) {
    stoa__page *page = stoa__page_new(pages, items_size(component, count));
    if (page == NULL) {
        return NULL;
    }
    int32_t each = items_each(&items, component, count);
    pages->copied += page->size;
    if (pages->far && each == count && page->size >= FAR_LEAST) {
        stoa__far_copy(stoa__page_data(page), item_at(&items, 0), page->size);
        return page;
    }
    for (int32_t i = 0; i < count; i += each) {
        memcpy(stoa__page_data(page) + items_size(component, i), item_at(&items, i),
               items_size(component, each));
    }
    return page;
}

void stoa__pages_begin(stoa__pages *pages) {
    /* Frames mostly copy as much as the one before. */
    pages->far = pages->copied >= FRAME_LARGE;
    pages->copied = 0;
}

void stoa__pages_end(void) {
    stoa__far_end();
}

stoa__page *stoa__page_keep(stoa__pages *pages, const stoa__component *component, stoa__items items,
                            int32_t count) {
    switch (stoa__keep_of(component)) {
    case STOA__KEEP_BYTES:
        return page_plain(pages, component, items, count);
    case STOA__KEEP_COPIES:
        return page_copies(pages, component, items, count);
    case STOA__KEEP_SAVED:
        return page_saved(pages, component, items, count);
    case STOA__KEEP_NOT:
        break;
    }
    stoa__error(STOA_NOT_COPYABLE,
                "component '%s' can be in no frame: it can neither be copied nor saved",
                component->name);
    return NULL;
}

stoa__page *stoa__page_bytes(stoa__pages *pages, const void *bytes, size_t size) {
    stoa__page *page = stoa__page_new(pages, size);
    if (page != NULL && size > 0) {
        memcpy(stoa__page_data(page), bytes, size);
    }
    return page;
}

/* Makes the objects of a page in raw memory. */
static stoa_status items_make(const stoa__page *page, const stoa__component *component, void *to,
                              int32_t count, stoa__keep keep) {
    if (keep == STOA__KEEP_COPIES) {
        const stoa_hooks *hooks = &component->info.hooks;
        return hooks->copy(to, stoa__page_data(page), count, hooks->user)
                   ? STOA_OK
                   : stoa__error(STOA_NO_MEMORY, "component '%s' could not be copied",
                                 component->name);
    }
    stoa_span span = {stoa__page_data(page), stoa__page_data(page) + page->size};
    stoa_source source = stoa_span_source(&span);
    const stoa_persist *persist = component->info.persist;
    return persist->load(&source, to, count, persist->user);
}

stoa_status stoa__page_stage(stoa__pages *pages, const stoa__page *page,
                             const stoa__component *component, int32_t count) {
    stoa__keep keep = stoa__keep_of(component);
    if (keep == STOA__KEEP_BYTES || count == 0) {
        return STOA_OK;
    }
    if (!stoa__heap_grow(pages->heap, &pages->staged, &pages->staged_capacity,
                         pages->staged_count + 1, sizeof(stoa__page *))) {
        return stoa__error_memory("values to be restored");
    }
    stoa__page *made = stoa__page_new(pages, items_size(component, count));
    if (made == NULL) {
        return STOA_NO_MEMORY;
    }
    stoa_status status = items_make(page, component, stoa__page_data(made), count, keep);
    if (status != STOA_OK) {
        stoa__page_leave(pages, made);
        return status;
    }
    made->component = component;
    made->count = count;
    pages->staged[pages->staged_count++] = made;
    return STOA_OK;
}

void stoa__page_put(stoa__pages *pages, const stoa__page *page, const stoa__component *component,
                    stoa__items items, int32_t count) {
    if (count == 0) {
        return;
    }
    bool objects = stoa__keep_of(component) != STOA__KEEP_BYTES;
    if (objects) {
        stoa__page *made = pages->staged[pages->staged_next++];
        made->component = NULL;
        page = made;
    }
    int32_t each = items_each(&items, component, count);
    for (int32_t i = 0; i < count; i += each) {
        uint8_t *from = stoa__page_data(page) + items_size(component, i);
        if (objects) {
            stoa__component_move(component, item_at(&items, i), from, each);
        } else {
            memcpy(item_at(&items, i), from, items_size(component, each));
        }
    }
}

void stoa__pages_unstage(stoa__pages *pages) {
    for (uint32_t i = 0; i < pages->staged_count; i++) {
        stoa__page_leave(pages, pages->staged[i]);
    }
    pages->staged_count = 0;
    pages->staged_next = 0;
}
