/* SPDX-License-Identifier: MIT */
/* A barrier: nobody leaves a round before all have come, and one of them is told apart. */
#include <stdlib.h>

#include "contract.h"

struct fixture {
    void *barrier;
    unsigned parties;
    unsigned rounds;
    unsigned came; /* of all rounds together */
    unsigned told_apart;
    unsigned early;
    uint64_t data[2]; /* plain: of this round, and of the next */
    unsigned stale;
};

/* Memory for one object; unmade by object_unmake. */
static void *barrier_for(unsigned parties, bool shared)
{
    void *b = object_make(shared); /* for one, first: it is unmade, and made again */

    if (barrier_subject->destroy != NULL)
        barrier_subject->destroy(b);
    memset(b, 0, barrier_subject->size);
    assert_int_equal(barrier_subject->init_for(b, shared, parties), 0);
    return b;
}

/* The serial thread writes what the others read in the next round. */
static void come_and_go(unsigned index, void *arg)
{
    struct fixture *h = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < h->rounds; i++) {
        work_ns(rng_below(&random, 4000));
        if (index == i % h->parties)
            h->data[i % 2] = i;
        __atomic_fetch_add(&h->came, 1, __ATOMIC_RELAXED);
        bool told_apart = barrier_subject->wait(h->barrier);
        if (__atomic_load_n(&h->came, __ATOMIC_RELAXED) < (i + 1) * h->parties)
            __atomic_fetch_add(&h->early, 1, __ATOMIC_RELAXED);
        if (h->data[i % 2] != i)
            __atomic_fetch_add(&h->stale, 1, __ATOMIC_RELAXED);
        if (told_apart)
            __atomic_fetch_add(&h->told_apart, 1, __ATOMIC_RELAXED);
    }
}

static void check_rounds(unsigned parties, unsigned rounds, unsigned kind)
{
    struct fixture *h = shared_make(sizeof *h);

    h->barrier = barrier_for(parties, (kind & WORKER_PROCESSES) != 0);
    h->parties = parties;
    h->rounds = kind_rounds(rounds);
    work_calibrate();
    tasks_run(parties, kind, "all come, and go", h->barrier, come_and_go, h);
    assert_int_equal(h->early, 0);
    assert_int_equal(h->stale, 0);
    assert_int_equal(h->told_apart, h->rounds);
    object_unmake(h->barrier);
    shared_unmake(h, sizeof *h);
}

TEST(test_nobody_leaves_early)
{
    check_rounds(1, 1000, WORKER_THREADS);
    check_rounds(2, 8000, WORKER_THREADS);
    check_rounds(5, 2000, WORKER_THREADS);
    check_rounds(50, 60, WORKER_THREADS);
}

TEST(test_processes_meet)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_rounds(4, 2000, WORKER_PROCESSES);
}

TEST(test_a_barrier_for_nobody_is_refused)
{
    _Alignas(64) unsigned char b[2048] = {0};

    assert_true(barrier_subject->size <= sizeof b);
    assert_int_equal(barrier_subject->init_for(b, false, 0), EINVAL);
}

const struct contract_group group_barrier_rounds = {
    "barrier-rounds", &family_barrier, always,
    TESTS(cmocka_unit_test(test_nobody_leaves_early), cmocka_unit_test(test_processes_meet),
          cmocka_unit_test(test_a_barrier_for_nobody_is_refused))};

/* --- One of them destroys it as soon as it is through ----------------------------------------- */

struct ruin {
    void *barrier;
    pthread_barrier_t meet;
    unsigned parties;
    unsigned rounds;
};

static void come_and_destroy(unsigned index, void *arg)
{
    struct ruin *r = arg;

    for (unsigned i = 0; i < r->rounds; i++) {
        if (index == 0) {
            r->barrier = aligned_alloc(64, 256);
            if (r->barrier == NULL)
                abort();
            memset(r->barrier, 0, 256);
            if (barrier_subject->init_for(r->barrier, false, r->parties) != 0)
                abort();
        }
        pthread_barrier_wait(&r->meet);
        if (barrier_subject->wait(r->barrier)) {
            if (barrier_subject->destroy != NULL)
                barrier_subject->destroy(r->barrier);
            memset(r->barrier, 0xa5, 256);
            free(r->barrier);
        }
        pthread_barrier_wait(&r->meet);
    }
}

TEST(test_one_destroys_it)
{
    for (unsigned parties = 2; parties <= 6; parties += 2) {
        struct ruin r = {.parties = parties, .rounds = kind_rounds(2000)};
        meeting_make(&r.meet, parties);
        tasks_run(parties, WORKER_THREADS, "one destroys the barrier", &r, come_and_destroy, &r);
        pthread_barrier_destroy(&r.meet);
    }
}

const struct contract_group group_barrier_lifetime = {
    "barrier-lifetime", &family_barrier, is_freeable,
    TESTS(cmocka_unit_test(test_one_destroys_it))};

/* --- A thread that waits for the others sleeps ------------------------------------------------ */

static int pair_init(void *b, bool shared)
{
    return barrier_subject->init_for(b, shared, 2);
}

static void come(void *b)
{
    barrier_subject->wait(b);
}

static void nothing(void *b)
{
    (void)b;
}

TEST(test_who_comes_first_sleeps)
{
    struct adapter pair = *subject;

    pair.init = pair_init;
    subject = &pair;
    check_idle(nothing, come, come, nothing);
}

const struct contract_group group_barrier_idle = {
    "barrier-idle", &family_barrier, blocks, TESTS(cmocka_unit_test(test_who_comes_first_sleeps))};
