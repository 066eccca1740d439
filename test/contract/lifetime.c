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
    const adapter_head *kind;
    bool (*drop)(void *lock, unsigned *references, struct rng *random);
    pthread_barrier_t meet;
    unsigned rounds;
    unsigned tasks;
    bool mapped;
    struct object *object;
    unsigned freed;
};

static size_t object_size(const struct life *life)
{
    return (sizeof(struct object) + life->kind->size + 63) / 64 * 64;
}

static struct object *life_begin(const struct life *life)
{
    struct object *o;

    if (life->mapped) {
        o = mmap(NULL, object_size(life), PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1,
                 0);
        if (o == MAP_FAILED)
            abort();
    } else {
        o = aligned_alloc(64, object_size(life));
        if (o == NULL)
            abort();
        memset(o, 0, object_size(life));
    }
    o->references = life->tasks;
    if (life->kind->init(o->lock, false) != 0)
        abort();
    return o;
}

static void life_end(const struct life *life, struct object *o)
{
    if (life->kind->destroy != NULL)
        life->kind->destroy(o->lock);
    if (life->mapped)
        munmap(o, object_size(life));
    else
        free(o);
}

static bool lock_and_drop(void *lock, unsigned *references, struct rng *random)
{
    subject->lock(lock);
    bool last = --*references == 0;
    hold(random, 100);
    subject->unlock(lock);
    return last;
}

static void drop_reference(unsigned index, void *arg)
{
    struct life *life = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < life->rounds; i++) {
        if (index == 0)
            life->object = life_begin(life);
        pthread_barrier_wait(&life->meet);
        struct object *o = life->object;
        work_ns(rng_below(&random, 500));
        if (life->drop(o->lock, &o->references, &random)) {
            life_end(life, o);
            life->freed++;
        }
        pthread_barrier_wait(&life->meet);
    }
}

void check_life(unsigned tasks, bool mapped, const adapter_head *a,
                bool (*drop)(void *object, unsigned *references, struct rng *random))
{
    struct life life = {
        .kind = a, .drop = drop, .rounds = kind_rounds(4000), .tasks = tasks, .mapped = mapped};

    work_calibrate();
    pthread_barrier_init(&life.meet, NULL, tasks);
    tasks_run(tasks, WORKER_THREADS, "the last user frees the lock", &life, drop_reference, &life);
    assert_int_equal(life.freed, life.rounds);
    pthread_barrier_destroy(&life.meet);
}

static void check_lock_life(unsigned tasks, bool mapped)
{
    check_life(tasks, mapped, (const adapter_head *)subject, lock_and_drop);
}

TEST(test_the_next_owner_frees)
{
    check_lock_life(2, false);
    check_lock_life(kind_tasks(4), false);
}

TEST(test_the_next_owner_unmaps)
{
    check_lock_life(2, true);
    check_lock_life(kind_tasks(4), true);
}

const struct contract_group group_lifetime = {"lifetime", &family_locks, is_freeable,
                                              TESTS(cmocka_unit_test(test_the_next_owner_frees),
                                                    cmocka_unit_test(test_the_next_owner_unmaps))};
