/* Names as bytes: the count, and for each, in the order that entities have the component, its
 * entity (index, generation) and its text (length, bytes); all numbers in 32 bits.
 *
 * Loading checks everything, since the bytes may come from a file. O(names). */
#include "base/bytes.h"
#include "base/error.h"
#include "model/name_index.h"
#include "model/name_text.h"
#include "stoa/extension.h"
#include "stoa/view.h"

/* Bytes of one at the least: an entity, a length, one letter. */
#define NAME_LEAST 13

/* What is being loaded: the entities that get names, and the component's values. */
typedef struct loading {
    stoa_entity *entities;
    Name *values;
    uint32_t capacity;
    uint32_t count;
} loading;

stoa_status stoa__names_save(const stoa_world *world, const stoa_sink *sink) {
    stoa_sparse_info named = {0};
    stoa_component id = stoa_type_find(world, STOA_TYPE_OF(Name));
    if (id != 0 && stoa_sparse_info_get(world, id, &named) != STOA_OK) {
        return stoa_last_error().status;
    }
    stoa__encoder output = {sink, STOA_OK};
    const Name *names = named.values;
    stoa__encode_u32(&output, (uint32_t)named.count);
    for (int32_t i = 0; i < named.count; i++) {
        stoa__encode_u32(&output, named.entities[i].index);
        stoa__encode_u32(&output, named.entities[i].generation);
        stoa__encode_text(&output, names[i].text);
    }
    return output.status;
}

/* Reads one name into the index. The text has no final zero in the bytes. */
static stoa_status name_read(stoa__names *names, stoa__decoder *input, loading *l) {
    stoa_entity e;
    e.index = stoa__decode_u32(input);
    e.generation = stoa__decode_u32(input);
    uint32_t length = stoa__decode_u32(input);
    const char *text = (const char *)stoa__decode_bytes(input, length);
    if (text == NULL || length > STOA_NAME_LENGTH) {
        return stoa__error(STOA_CORRUPT, "name %u does not fit into the data", l->count);
    }
    stoa__name *name = stoa__name_new(&names->heap, text, length);
    if (name == NULL) {
        return stoa__error_memory("a name");
    }
    uint32_t checked;
    bool right = stoa__name_text_check(name->text, &checked) == STOA_OK && checked == length;
    stoa__name_key key = stoa__name_key_of(name->text, length);
    if (!right || stoa__name_texts_find(&names->texts, &key) != STOA__NAME_NONE ||
        stoa__name_owners_find(&names->owners, e) != NULL) {
        stoa__name_free(&names->heap, name);
        return stoa__error(STOA_CORRUPT, "name %u is none, or is there twice", l->count);
    }
    name->entity = e;
    stoa__name_texts_insert(&names->texts, &key, name);
    stoa__name_owners_insert(&names->owners, name);
    l->entities[l->count] = e;
    l->values[l->count++].text = name->text;
    return STOA_OK;
}

static stoa_status names_read(stoa_world *world, stoa__names *names, stoa__decoder *input,
                              loading *l) {
    stoa_status status = STOA_OK;
    while (l->count < l->capacity && status == STOA_OK) {
        status = name_read(names, input, l);
    }
    if (status == STOA_OK && stoa__decode_left(input) > 0) {
        status = stoa__error(STOA_CORRUPT, "bytes follow the names");
    }
    return status == STOA_OK ? stoa_managed_fill(world, stoa_type_find(world, STOA_TYPE_OF(Name)),
                                                 l->entities, l->values, (int32_t)l->count)
                             : status;
}

stoa_status stoa__names_load(stoa_world *world, stoa__names *names, const void *bytes,
                             size_t size) {
    stoa__decoder input = {{bytes, size > 0 ? (const uint8_t *)bytes + size : bytes}, false};
    uint32_t count = size > 0 ? stoa__decode_count(&input, NAME_LEAST) : 0;
    if (input.short_of || count > (uint32_t)INT32_MAX) {
        return stoa__error(STOA_CORRUPT, "the names end too early");
    }
    if (count == 0) {
        return stoa__decode_left(&input) == 0 ? STOA_OK
                                              : stoa__error(STOA_CORRUPT, "bytes follow the names");
    }
    stoa__heap *heap = &names->heap;
    size_t entities_size = count * sizeof(stoa_entity), values_size = count * sizeof(Name);
    loading l = {stoa__heap_alloc(heap, entities_size, _Alignof(stoa_entity)),
                 stoa__heap_alloc(heap, values_size, _Alignof(Name)), count, 0};
    stoa_status status = STOA_OK;
    if (l.entities == NULL || l.values == NULL ||
        !stoa__name_texts_reserve(&names->texts, heap, count) ||
        !stoa__name_owners_reserve(&names->owners, heap, count)) {
        status = stoa__error_memory("the names of a world");
    } else {
        status = names_read(world, names, &input, &l);
    }
    stoa__heap_free(heap, l.entities, entities_size, _Alignof(stoa_entity));
    stoa__heap_free(heap, l.values, values_size, _Alignof(Name));
    if (status != STOA_OK) {
        stoa__names_clear(names);
    }
    names->version++;
    return status;
}
