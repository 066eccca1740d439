/* SPDX-License-Identifier: MIT */
/*
 * The memory of a lock may go away the moment the next owner has the lock: the last user of a
 * reference-counted object, counting under the object's own lock, frees it.  The release before
 * must not touch it any more.  Freed to the heap, so that a sanitizer sees it; and unmapped, so
 * that everybody does.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "contract.h"

struct object {
    unsigned references;
    _Alignas(64) unsigned char lock[];
};

struct life {
    pthread_barrier_t meet;
    unsigned rounds;
    unsigned tasks;
    bool mapped;
    struct object *object;
    unsigned freed;
};

static size_t object_size(void)
{
    return (sizeof(struct object) + subject->size + 63) / 64 * 64;
}

static struct object *object_make(const struct life *life)
{
    struct object *o;

    if (life->mapped) {
        o = mmap(NULL, object_size(), PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
        if (o == MAP_FAILED)
            abort();
    } else {
        o = aligned_alloc(64, object_size());
        if (o == NULL)
            abort();
        memset(o, 0, object_size());
    }
    o->references = life->tasks;
    if (subject->init(o->lock, false) != 0)
        abort();
    return o;
}

static void object_free(const struct life *life, struct object *o)
{
    if (life->mapped)
        munmap(o, object_size());
    else
        free(o);
}

static void drop_reference(unsigned index, void *arg)
{
    struct life *life = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < life->rounds; i++) {
        if (index == 0)
            life->object = object_make(life);
        pthread_barrier_wait(&life->meet);
        struct object *o = life->object;
        work_ns(rng_below(&random, 500));
        subject->lock(o->lock);
        bool last = --o->references == 0;
        hold(&random, 100);
        subject->unlock(o->lock);
        if (last) {
            object_free(life, o);
            life->freed++;
        }
        pthread_barrier_wait(&life->meet);
    }
}

static void check_life(unsigned tasks, bool mapped)
{
    struct life life = {.rounds = kind_rounds(4000), .tasks = tasks, .mapped = mapped};

    work_calibrate();
    pthread_barrier_init(&life.meet, NULL, tasks);
    tasks_run(tasks, CREW_THREADS, "the last user frees the lock", &life, drop_reference, &life);
    assert_int_equal(life.freed, life.rounds);
    pthread_barrier_destroy(&life.meet);
}

static void test_the_next_owner_frees(void **state)
{
    (void)state;
    check_life(2, false);
    check_life(kind_tasks(4), false);
}

static void test_the_next_owner_unmaps(void **state)
{
    (void)state;
    check_life(2, true);
    check_life(kind_tasks(4), true);
}

static bool applies(const struct adapter *a)
{
    return (a->flags & ADAPTER_FREEABLE) != 0;
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_next_owner_frees),
        cmocka_unit_test(test_the_next_owner_unmaps),
    };
    return cmocka_run_group_tests_name("lifetime", tests, NULL, NULL);
}

const struct contract_group group_lifetime = {"lifetime", applies, run};
