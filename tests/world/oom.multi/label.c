/* Labels: a component that owns a text, and counts them all. */
#include "oom.h"

#include <stdlib.h>

int label_count;
bool label_copy_refused;

char *text_make(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        abort();
    }
    label_count++;
    return memcpy(copy, text, size);
}

void label_drop(void *items, int32_t count, void *user) {
    (void)user;
    Label *labels = items;
    for (int32_t i = 0; i < count; i++) {
        label_count -= labels[i].text != NULL ? 1 : 0;
        free(labels[i].text);
    }
}

void label_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        ((Label *)to)[i] = ((Label *)from)[i];
        ((Label *)from)[i].text = NULL;
    }
}

bool label_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    if (label_copy_refused) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        const char *text = ((const Label *)from)[i].text;
        ((Label *)to)[i].text = text == NULL ? NULL : text_make(text);
    }
    return true;
}
