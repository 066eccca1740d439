/* SPDX-License-Identifier: MIT */
#include "bench/classics/furwock.h"

#include "test/support/child.h"
#include "test/support/unit.h"

static classic_furwock *furwock(void)
{
    classic_furwock *l = share(sizeof *l);
    *l = (classic_furwock)CLASSIC_FURWOCK_INIT;
    return l;
}

static void expect(const classic_furwock *l, uint32_t entry, uint32_t count)
{
    assert_int_equal(l->entry.count, entry);
    assert_int_equal(l->count, count);
}

TEST(words)
{
    classic_furwock l = CLASSIC_FURWOCK_INIT;

    expect(&l, FUTEX_AVAILABLE, 0);
    assert_int_equal(l.drained.count, FUTEX_TAKEN);
    classic_furwock_read_down(&l);
    expect(&l, FUTEX_AVAILABLE, 1);
    assert_int_equal(classic_furwock_read_trydown(&l), 0);
    expect(&l, FUTEX_AVAILABLE, 2);
    assert_int_equal(classic_furwock_write_trydown(&l), EBUSY);
    expect(&l, FUTEX_AVAILABLE, 2);
    classic_furwock_read_up(&l);
    classic_furwock_read_up(&l);
    expect(&l, FUTEX_AVAILABLE, 0);

    classic_furwock_write_down(&l);
    expect(&l, FUTEX_TAKEN, FURWOCK_WRITER);
    assert_int_equal(classic_furwock_read_trydown(&l), EBUSY);
    assert_int_equal(classic_furwock_write_trydown(&l), EBUSY);
    classic_furwock_write_up(&l);
    expect(&l, FUTEX_AVAILABLE, 0);
    assert_int_equal(classic_furwock_write_trydown(&l), 0);
    expect(&l, FUTEX_TAKEN, FURWOCK_WRITER);
    classic_furwock_write_up(&l);
    assert_int_equal(l.drained.count, FUTEX_TAKEN);
}

static void write_once(void *arg)
{
    classic_furwock_write_down(arg);
    classic_furwock_write_up(arg);
}

static void read_once(void *arg)
{
    classic_furwock_read_down(arg);
    classic_furwock_read_up(arg);
}

TEST(a_writer_waits_for_the_last_reader)
{
    classic_furwock *l = furwock();

    for (int again = 0; again < 2; again++) { /* the first leaves `drained` contended */
        classic_furwock_read_down(l);
        classic_furwock_read_down(l);
        pid_t writer = start_asleep(write_once, l);
        expect(l, FUTEX_TAKEN, 1);
        classic_furwock_read_up(l);
        expect(l, FUTEX_TAKEN, 0);
        await_child_asleep(writer);
        classic_furwock_read_up(l);
        finish(writer);
        expect(l, FUTEX_AVAILABLE, 0);
    }
}

TEST(a_waiting_writer_keeps_readers_out)
{
    classic_furwock *l = furwock();

    classic_furwock_read_down(l);
    pid_t writer = start_asleep(write_once, l);
    pid_t reader = start_asleep(read_once, l);
    expect(l, FUTEX_CONTENDED, 0);
    classic_furwock_read_up(l);
    finish(writer);
    finish(reader);
    assert_int_equal(l->count, 0);
}

TEST(a_premature_up_is_kept)
{
    classic_furwock l = CLASSIC_FURWOCK_INIT;

    /* A writer has counted itself, and has not come to `drained`. */
    classic_furwock_read_down(&l);
    classic_futex_down(&l.entry);
    l.count--;
    classic_furwock_read_up(&l);
    assert_int_equal(l.count, FURWOCK_WRITER);
    assert_int_equal(l.drained.count, FUTEX_AVAILABLE);
    classic_futex_down(&l.drained); /* must not sleep */
    assert_int_equal(l.drained.count, FUTEX_TAKEN);
    classic_furwock_write_up(&l);
    expect(&l, FUTEX_AVAILABLE, 0);
}

UNIT_MAIN(NULL, NULL)
