/* SPDX-License-Identifier: MIT */
/* A fair lock, or a fair release, serves waiters in the order in which they came. */
#include "contract.h"
#include "measure/watchdog.h"

enum { WAITERS = 6 };

/* A lock without fair releases of its own is fair always. */
static void (*fair_unlock(void))(void *)
{
    return subject->unlock_fair != NULL ? subject->unlock_fair : subject->unlock;
}

struct queue {
    unsigned served;
    struct waiter {
        struct queue *queue;
        unsigned turn;
    } waiters[WAITERS];
};

static void take_turn(void *arg)
{
    struct waiter *p = arg;

    p->turn = p->queue->served++;
}

static void check_order(void)
{
    void *lock = lock_make(false);
    struct queue q = {0};
    struct helper helpers[WAITERS] = {0};
    unsigned n = kind_tasks(WAITERS);

    watchdog_start(patience, "waiters are served in order", lock, subject->size, NULL, NULL);
    subject->lock(lock);
    for (unsigned i = 0; i < n; i++) {
        q.waiters[i].queue = &q;
        helpers[i] = (struct helper){
            .lock = lock, .got = take_turn, .arg = &q.waiters[i], .unlock = fair_unlock()};
        helper_start(&helpers[i]);
    }
    fair_unlock()(lock);
    for (unsigned i = 0; i < n; i++)
        helper_join(&helpers[i]);
    watchdog_stop();

    for (unsigned i = 0; i < n; i++)
        assert_int_equal(q.waiters[i].turn, i);
    lock_unmake(lock);
}

TEST(test_waiters_are_served_in_order)
{
    /* Who polls stands in no queue: a fair release serves one of those who wait, not the first. */
    if (!subject_is(ADAPTER_BLOCKS) && !subject_is(ADAPTER_FAIR))
        skip();
    for (int i = 0; i < 5; i++)
        check_order();
}

TEST(test_the_unlocker_does_not_overtake)
{
    void *lock = lock_make(false);

    for (unsigned round = 0; round < kind_rounds(400); round++) {
        struct queue q = {.waiters[0].queue = &q};
        struct helper h = {
            .lock = lock, .got = take_turn, .arg = &q.waiters[0], .unlock = fair_unlock()};
        watchdog_start(patience, "an unlocker relocks", lock, subject->size, NULL, NULL);
        subject->lock(lock);
        helper_start(&h);
        fair_unlock()(lock);
        subject->lock(lock);
        unsigned mine = q.served++;
        subject->unlock(lock);
        helper_join(&h);
        watchdog_stop();
        assert_int_equal(mine, 1);
        assert_int_equal(q.waiters[0].turn, 0);
    }
    lock_unmake(lock);
}

TEST(test_a_fair_release_without_waiters_frees)
{
    void *lock = lock_make(false);

    for (int i = 0; i < 3; i++) {
        subject->lock(lock);
        fair_unlock()(lock);
    }
    if (subject->trylock != NULL) {
        assert_int_equal(subject->trylock(lock), 0);
        fair_unlock()(lock);
    }
    lock_unmake(lock);
}

struct mix {
    void *lock;
    unsigned rounds;
    uint64_t count;
    uint64_t successes;
};

/* Greedy and fair releases, waits with and without a deadline, mixed at random. */
static void mix_releases(unsigned index, void *arg)
{
    struct mix *c = arg;
    uint64_t successes = 0;

    for (unsigned i = 0; i < c->rounds; i++) {
        if (subject->timedlock != NULL && (i + index) % 3 == 0) {
            struct timespec at = clock_in_ns((int64_t)(i % 7) * 20000);
            if (subject->timedlock(c->lock, &at) != 0)
                continue;
        } else {
            subject->lock(c->lock);
        }
        successes++;
        c->count++;
        work_ns(i % 5 * 500);
        if ((i + index) % 2 == 0)
            fair_unlock()(c->lock);
        else
            subject->unlock(c->lock);
    }
    __atomic_fetch_add(&c->successes, successes, __ATOMIC_RELAXED);
}

TEST(test_fair_and_greedy_releases_mix)
{
    struct mix c = {.lock = lock_make(false), .rounds = kind_rounds(4000)};

    work_calibrate();
    tasks_run(kind_tasks(5), WORKER_THREADS, "fair and greedy releases mix", c.lock, mix_releases,
              &c);
    assert_int_equal(c.count, c.successes);
    lock_unmake(c.lock);
}

static bool applies(void)
{
    return subject_is(ADAPTER_FAIR) || subject->unlock_fair != NULL;
}

const struct contract_group group_order = {
    "order", &family_locks, applies,
    TESTS(cmocka_unit_test(test_waiters_are_served_in_order),
          cmocka_unit_test(test_the_unlocker_does_not_overtake),
          cmocka_unit_test(test_a_fair_release_without_waiters_frees),
          cmocka_unit_test(test_fair_and_greedy_releases_mix))};
