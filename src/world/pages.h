/* Pages: blocks of values that frames share.
 *
 * A page is counted by those who have it. Its memory goes back to a list of its size class, so that
 * a ring of frames that has found its size needs none. Values with hooks are objects of their own
 * in a page, or what their save function wrote. */
#ifndef STOA_WORLD_PAGES_H
#define STOA_WORLD_PAGES_H

#include "stoa/persist.h"
#include "storage/storage.h"

/* Classes of sizes, four for each doubling. */
#define STOA__PAGE_CLASSES 256u

typedef struct stoa__page {
    _Alignas(STOA__LINE) struct stoa__page *next; /* in a list of free ones */
    const stoa__component *component;             /* of objects that go with the page, or NULL */
    size_t size;                                  /* bytes in use */
    size_t room;                                  /* bytes that there are */
    uint32_t uses;
    uint32_t class;
    int32_t count; /* of objects */
} stoa__page;

/* How values of a component are kept in a page. */
typedef enum stoa__keep {
    STOA__KEEP_BYTES,
    STOA__KEEP_COPIES, /* objects that its copy hook made */
    STOA__KEEP_SAVED,  /* what its save function wrote */
    STOA__KEEP_NOT     /* they cannot be */
} stoa__keep;

typedef struct stoa__pages {
    stoa__heap *heap;
    stoa__page *free[STOA__PAGE_CLASSES];
    struct stoa__page_slab *slabs; /* what pages are cut from */
    uint32_t slab_count;
    uint32_t slab_capacity;
    uint8_t *cut;        /* where the next page is cut from the last slab */
    size_t cut_left;     /* bytes there */
    stoa_blob scratch;   /* what a save function writes first */
    stoa__page **staged; /* objects made in advance, so that putting them in place cannot fail */
    uint32_t staged_count;
    uint32_t staged_capacity;
    uint32_t staged_next; /* to be put in place */
    size_t copied;        /* bytes of values, for the frame that is being made */
    bool far;             /* these go past the caches */
} stoa__pages;

static inline uint8_t *stoa__page_data(const stoa__page *page) {
    return (uint8_t *)(uintptr_t)(page + 1);
}

/* Values that stand so many bytes apart, maybe in a ring of them. */
typedef struct stoa__items {
    uint8_t *at;
    size_t stride;
    size_t first; /* the first one */
    size_t mask;  /* of a ring: its length less one, which is a power of two; else SIZE_MAX */
} stoa__items;

/* Values without gaps. */
static inline stoa__items stoa__items_dense(void *at, size_t size) {
    return (stoa__items){at, size, 0, SIZE_MAX};
}

void stoa__pages_init(stoa__pages *pages, stoa__heap *heap);
void stoa__pages_fini(stoa__pages *pages);

/* A page with room for so many bytes, which has one user; NULL with the thread's error set. */
stoa__page *stoa__page_new(stoa__pages *pages, size_t size);

/* One user more; NULL is fine. */
static inline stoa__page *stoa__page_share(stoa__page *page) {
    if (page != NULL) {
        page->uses++;
    }
    return page;
}

/* One user less; with the last its objects are dropped. NULL is fine. */
void stoa__page_leave(stoa__pages *pages, stoa__page *page);

/* How values of a component can be kept. */
stoa__keep stoa__keep_of(const stoa__component *component);

/* Before the values of a frame are kept, and after. */
void stoa__pages_begin(stoa__pages *pages);
void stoa__pages_end(void);

/* A page that keeps `count` values, one at least, of a component that has some size. NULL with the
 * thread's error set. */
stoa__page *stoa__page_keep(stoa__pages *pages, const stoa__component *component, stoa__items items,
                            int32_t count);

/* A page with bytes. */
stoa__page *stoa__page_bytes(stoa__pages *pages, const void *bytes, size_t size);

/* Makes the values of a page in advance, if they need more than a copy of bytes. */
stoa_status stoa__page_stage(stoa__pages *pages, const stoa__page *page,
                             const stoa__component *component, int32_t count);

/* Puts the values of a page into raw memory; in the order they were staged. */
void stoa__page_put(stoa__pages *pages, const stoa__page *page, const stoa__component *component,
                    stoa__items items, int32_t count);

/* Drops what was staged and not put in place. */
void stoa__pages_unstage(stoa__pages *pages);

#endif
