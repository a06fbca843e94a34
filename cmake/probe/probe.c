/* Makes the mistake it is asked for, which a sanitizer must catch; ends with 0 if nobody does. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *shared_increase(void *user) {
    for (int i = 0; i < 100000; i++) {
        shared++;
    }
    return user;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    volatile int number = INT_MAX - 2 + argc;
    if (strcmp(kind, "address") == 0) {
        volatile char *block = malloc((size_t)argc);
        block[argc] = 1;
    } else if (strcmp(kind, "undefined") == 0) {
        number = number + 1;
    } else if (strcmp(kind, "thread") == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, shared_increase, NULL) == 0) {
            shared_increase(NULL);
            pthread_join(thread, NULL);
        }
    }
    printf("nothing caught: %d %d\n", shared, number);
    return 0;
}
