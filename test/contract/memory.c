/* SPDX-License-Identifier: MIT */
/* A lock lives in the bytes it says, is ready when it says, and there may be very many. */
#include <stdlib.h>

#include "contract.h"
#include "measure/watchdog.h"

enum { LARGEST = 128, GUARD = 64, GUARD_BYTE = 0x5a, MANY = 5000 };

static void use(void *lock)
{
    subject->lock(lock);
    subject->unlock(lock);
    if (subject->trylock != NULL) {
        assert_int_equal(subject->trylock(lock), 0);
        subject->unlock(lock);
    }
}

/* From the heap, where a sanitizer watches it, if the lock works there; aligned to 64. */
static void *bytes_make(size_t size)
{
    void *bytes = subject_is(ADAPTER_REGION) ? adapter_head_memory(subject_head, size, false)
                                             : aligned_alloc(64, size);

    assert_non_null(bytes);
    return bytes;
}

static void bytes_unmake(void *bytes, size_t size)
{
    if (subject_is(ADAPTER_REGION))
        adapter_head_forget(subject_head, bytes, size);
    else
        free(bytes);
}

TEST(test_zeroed_memory_is_a_free_lock)
{
    if (!subject_is(ADAPTER_ZERO))
        skip();
    void *lock = bytes_make(LARGEST);
    assert_true(subject->size <= LARGEST);
    memset(lock, 0, LARGEST);
    watchdog_start(patience, "zeroed memory is locked", lock, subject->size, NULL, NULL);
    use(lock);
    watchdog_stop();
    bytes_unmake(lock, LARGEST);
}

struct guarded {
    unsigned char before[GUARD];
    unsigned char lock[GUARD * 4];
};

static void lock_often(unsigned index, void *arg)
{
    (void)index;
    for (unsigned i = 0; i < 1000; i++) {
        subject->lock(arg);
        subject->unlock(arg);
    }
}

TEST(test_a_lock_stays_in_its_bytes)
{
    struct guarded *g = bytes_make(sizeof *g);

    assert_true(subject->size <= sizeof g->lock - GUARD);
    assert_true(subject->align <= 64);
    memset(g, GUARD_BYTE, sizeof *g);
    memset(g->lock, 0, subject->size);
    assert_int_equal(subject->init(g->lock, false), 0);
    tasks_run(2, WORKER_THREADS, "threads lock between guards", g->lock, lock_often, g->lock);
    if (subject->destroy != NULL)
        subject->destroy(g->lock);
    for (size_t i = 0; i < sizeof g->before; i++)
        assert_int_equal(g->before[i], GUARD_BYTE);
    for (size_t i = subject->size; i < sizeof g->lock; i++)
        assert_int_equal(g->lock[i], GUARD_BYTE);
    bytes_unmake(g, sizeof *g);
}

struct visits {
    void *locks;
    unsigned n;
    unsigned counts[MANY];
};

static void visit_all(unsigned index, void *arg)
{
    struct visits *c = arg;

    for (unsigned i = 0; i < c->n; i++) {
        unsigned k = (i * 7 + index) % c->n;
        void *lock = adapter_at(subject, c->locks, k);
        subject->lock(lock);
        c->counts[k]++;
        subject->unlock(lock);
    }
}

TEST(test_there_may_be_very_many)
{
    static struct visits c;
    unsigned tasks = kind_tasks(4);

    c.n = MANY;
    c.locks = adapter_make(subject, c.n, false);
    if (c.locks == NULL && errno == ENOSPC) { /* kernel objects are few */
        c.n = 16;
        c.locks = adapter_make(subject, c.n, false);
    }
    assert_non_null(c.locks);
    tasks_run(tasks, WORKER_THREADS, "threads visit many locks", c.locks, visit_all, &c);
    unsigned sum = 0;
    for (unsigned k = 0; k < c.n; k++)
        sum += c.counts[k];
    assert_int_equal(sum, tasks * c.n);
    adapter_unmake(subject, c.locks, c.n);
}

const struct contract_group group_memory = {
    "memory", &family_locks, always,
    TESTS(cmocka_unit_test(test_zeroed_memory_is_a_free_lock),
          cmocka_unit_test(test_a_lock_stays_in_its_bytes),
          cmocka_unit_test(test_there_may_be_very_many))};
