/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A user's program for ThreadSanitizer: it publishes plain data through large atomic objects in
 * every way that orders it, and has no data race.  With an argument it has one: what is published
 * is read after a relaxed load.  The library is not instrumented.
 *
 * Sizes for each way that the library deals with an object.
 */
#define FOR_EACH_SIZE(f) f(3) f(12) f(16) f(24) f(40) f(64) f(100) f(1000)

enum { STEPS = 60, WAYS = 4 };

static int n_wrong;
static int load_order = __ATOMIC_ACQUIRE;

#define DEFINE_SIZE(size)                                                                        \
    struct bytes_##size {                                                                        \
        unsigned char b[size];                                                                   \
    };                                                                                           \
    static _Alignas(16) struct bytes_##size object_##size;                                       \
    static int data_##size[STEPS + 1];                                                           \
                                                                                                 \
    static struct bytes_##size value_##size(int i)                                               \
    {                                                                                            \
        struct bytes_##size v;                                                                   \
                                                                                                 \
        memset(&v, i, sizeof v);                                                                 \
        return v;                                                                                \
    }                                                                                            \
                                                                                                 \
    static void publish_##size(int i)                                                            \
    {                                                                                            \
        struct bytes_##size was = value_##size(i - 1), next = value_##size(i), old;              \
                                                                                                 \
        data_##size[i] = i;                                                                      \
        if (i % WAYS == 0)                                                                       \
            __atomic_store(&object_##size, &next, __ATOMIC_RELEASE);                             \
        else if (i % WAYS == 1)                                                                  \
            __atomic_exchange(&object_##size, &next, &old, __ATOMIC_ACQ_REL);                    \
        else if (i % WAYS == 2)                                                                  \
            __atomic_compare_exchange(&object_##size, &was, &next, 0, __ATOMIC_RELEASE,          \
                                      __ATOMIC_RELAXED);                                         \
        else                                                                                     \
            __atomic_store(&object_##size, &next, __ATOMIC_SEQ_CST);                             \
    }                                                                                            \
                                                                                                 \
    static void look_##size(int i)                                                               \
    {                                                                                            \
        struct bytes_##size seen = value_##size(255), never = value_##size(255);                 \
                                                                                                 \
        if (i % 2 == 0)                                                                          \
            __atomic_load(&object_##size, &seen, load_order);                                    \
        else                                                                                     \
            __atomic_compare_exchange(&object_##size, &seen, &never, 0, load_order, load_order); \
        if (data_##size[seen.b[0]] != seen.b[0])                                                 \
            __atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);                                   \
    }

FOR_EACH_SIZE(DEFINE_SIZE)

#define PUBLISH(size) publish_##size(i);
#define LOOK(size) look_##size(i);

static void *publish(void *arg)
{
    for (int i = 1; i <= STEPS; i++) {
        FOR_EACH_SIZE(PUBLISH)
    }
    return arg;
}

static void *look(void *arg)
{
    for (int i = 0; i < 4 * STEPS; i++) {
        FOR_EACH_SIZE(LOOK)
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];

    (void)argv;
    if (argc > 1)
        load_order = __ATOMIC_RELAXED;
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, i == 0 ? publish : look, NULL) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (n_wrong > 0)
        printf("%d times data was seen too early\n", n_wrong);
    return n_wrong > 0 && argc == 1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
