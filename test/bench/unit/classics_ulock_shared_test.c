/* SPDX-License-Identifier: MIT */
#include "bench/classics/ulock_shared.h"

#include "test/support/child.h"
#include "test/support/unit.h"

#define READER ULOCK_SHARED_READER
#define WRITER ULOCK_SHARED_WRITER
#define WRITTEN ULOCK_SHARED_WRITTEN

struct fixture {
    classic_ulock_shared lock;
    uint32_t readers; /* how many children are inside to read */
    uint32_t written; /* how many have written */
    uint32_t go_on;   /* a child that reads stays inside until this is set */
};

static struct fixture *fixture_make(void)
{
    return share(sizeof(struct fixture));
}

static void expect_idle(struct fixture *a)
{
    assert_int_equal(a->lock.word, 0);
    assert_int_equal(a->lock.writers.units, 0);
    assert_int_equal(a->lock.readers.units, 0);
}

TEST(words)
{
    classic_ulock_shared l = CLASSIC_ULOCK_SHARED_INIT;

    classic_ulock_shared_rdlock(&l);
    assert_int_equal(l.word, READER);
    classic_ulock_shared_rdlock(&l);
    assert_int_equal(classic_ulock_shared_tryrdlock(&l), 0);
    assert_int_equal(l.word, 3 * READER);
    assert_int_equal(classic_ulock_shared_trywrlock(&l), EBUSY);
    for (int i = 0; i < 3; i++)
        classic_ulock_shared_rdunlock(&l);
    assert_int_equal(l.word, 0);

    classic_ulock_shared_wrlock(&l);
    assert_int_equal(l.word, WRITTEN);
    assert_int_equal(classic_ulock_shared_tryrdlock(&l), EBUSY);
    assert_int_equal(classic_ulock_shared_trywrlock(&l), EBUSY);
    classic_ulock_shared_wrunlock(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(classic_ulock_shared_trywrlock(&l), 0);
    assert_int_equal(l.word, WRITTEN);
}

static void read_for_a_while(void *arg)
{
    struct fixture *a = arg;
    classic_ulock_shared_rdlock(&a->lock);
    sc_fetch_add(&a->readers, 1);
    while (sc_load(&a->go_on) == 0)
        word_sleep(&a->go_on, 0, CLASSIC_SHARED);
    classic_ulock_shared_rdunlock(&a->lock);
}

static void write_once(void *arg)
{
    struct fixture *a = arg;
    classic_ulock_shared_wrlock(&a->lock);
    sc_fetch_add(&a->written, 1);
    classic_ulock_shared_wrunlock(&a->lock);
}

static bool three_read(void *arg)
{
    return sc_load(&((struct fixture *)arg)->readers) == 3;
}

static void let_readers_go_on(struct fixture *a)
{
    sc_store(&a->go_on, 1);
    word_wake(&a->go_on, FW_FUTEX_ALL, CLASSIC_SHARED);
}

TEST(readers_that_waited_come_in_together)
{
    struct fixture *a = fixture_make();
    pid_t tasks[4];

    classic_ulock_shared_wrlock(&a->lock);
    tasks[0] = start_asleep(write_once, a);
    assert_int_equal(a->lock.word, WRITTEN + WRITER);
    for (int i = 1; i < 4; i++)
        tasks[i] = start_asleep(read_for_a_while, a);
    assert_int_equal(a->lock.word, WRITTEN + WRITER + 3 * READER);

    classic_ulock_shared_wrunlock(&a->lock); /* the readers go first */
    assert_true(await_condition(three_read, a));
    assert_int_equal(a->lock.word, WRITER + 3 * READER);
    assert_int_equal(a->written, 0);

    /* A reader comes in past the writer that waits. */
    assert_int_equal(classic_ulock_shared_tryrdlock(&a->lock), 0);
    classic_ulock_shared_rdunlock(&a->lock);
    let_readers_go_on(a);
    for (int i = 0; i < 4; i++)
        finish(tasks[i]);
    assert_int_equal(a->written, 1);
    expect_idle(a);
}

TEST(writers_pass_the_lock_on)
{
    struct fixture *a = fixture_make();

    classic_ulock_shared_wrlock(&a->lock);
    pid_t first = start_asleep(write_once, a);
    pid_t second = start_asleep(write_once, a);
    assert_int_equal(a->lock.word, WRITTEN + 2 * WRITER);
    classic_ulock_shared_wrunlock(&a->lock);
    finish(first);
    finish(second);
    assert_int_equal(a->written, 2);
    expect_idle(a);
}

TEST(the_last_reader_passes_the_lock_to_a_writer)
{
    struct fixture *a = fixture_make();

    a->lock.word = READER + WRITER; /* a writer is counted, and has not come to its queue */
    classic_ulock_shared_rdunlock(&a->lock);
    assert_int_equal(a->lock.word, WRITTEN);
    assert_int_equal(a->lock.writers.units, KSEM_EARLY);
    classic_ksem_down(&a->lock.writers); /* now it comes, and must not sleep */
    classic_ulock_shared_wrunlock(&a->lock);
    expect_idle(a);
}

UNIT_MAIN(NULL, NULL)
