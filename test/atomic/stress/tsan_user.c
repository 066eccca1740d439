/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A user's program for ThreadSanitizer: it publishes plain data through large atomic objects in
 * every way that orders it, and has no data race.  With an argument it has one: what is published
 * is read after a relaxed load.  The library is not instrumented.
 */
enum { STEPS = 60, WAYS = 4, LARGEST = 1000 };

/* The calls that compilers make, which know only some forms of them by these names. */
void any_load(size_t, const void *, void *, int) __asm__("__atomic_load");
void any_store(size_t, void *, const void *, int) __asm__("__atomic_store");
void any_exchange(size_t, void *, const void *, void *, int) __asm__("__atomic_exchange");
_Bool any_compare_exchange(size_t, void *, void *, const void *, int,
                           int) __asm__("__atomic_compare_exchange");

/* Sizes for each way that the library deals with an object. */
static const size_t sizes[] = {3, 12, 16, 24, 40, 64, 100, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct {
    _Alignas(16) unsigned char object[LARGEST];
    int data[STEPS + 1];
} published[SIZES];

static int n_wrong;
static int load_order = __ATOMIC_ACQUIRE;

static void *publish(void *arg)
{
    for (int i = 1; i <= STEPS; i++) {
        for (int s = 0; s < SIZES; s++) {
            unsigned char was[LARGEST], next[LARGEST], *object = published[s].object;

            memset(was, i - 1, sizeof was);
            memset(next, i, sizeof next);
            published[s].data[i] = i;
            if (i % WAYS == 0)
                any_store(sizes[s], object, next, __ATOMIC_RELEASE);
            else if (i % WAYS == 1)
                any_exchange(sizes[s], object, next, was, __ATOMIC_ACQ_REL);
            else if (i % WAYS == 2)
                any_compare_exchange(sizes[s], object, was, next, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED);
            else
                any_store(sizes[s], object, next, __ATOMIC_SEQ_CST);
        }
    }
    return arg;
}

static void *look(void *arg)
{
    for (int i = 0; i < 4 * STEPS; i++) {
        for (int s = 0; s < SIZES; s++) {
            unsigned char seen[LARGEST], never[LARGEST];

            memset(seen, 255, sizeof seen);
            memset(never, 255, sizeof never);
            if (i % 2 == 0)
                any_load(sizes[s], published[s].object, seen, load_order);
            else
                any_compare_exchange(sizes[s], published[s].object, seen, never, load_order,
                                     load_order);
            if (published[s].data[seen[0]] != seen[0])
                __atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);
        }
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
