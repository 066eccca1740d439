/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/mutex.h>

#include "core/operation.h"
#include "sys/thread.h"
#include "test/support/unit.h"
#include "thread/mutex_condition.h"

/* src/thread/mutex_condition.c: the list, and who is chosen from it. */

enum { N = 4 };

static fw_mutex m;
static struct fw_condition_ conditions[N];
static bool is_true[N];

static bool look(void *flag)
{
    return *(bool *)flag;
}

/* The caller has the mutex, and the first n wait in the list. */
static void queue(unsigned n)
{
    fw_mutex_init(&m);
    fw_mutex_lock(&m);
    for (unsigned i = 0; i < n; i++) {
        struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&m);

        conditions[i] = (struct fw_condition_){
            .id = (i + 1) << FW_ID_SHIFT | FW_ID_HELD,
            .m = &m,
            .predicate = look,
            .arg = &is_true[i],
        };
        is_true[i] = false;
        fw_condition_join_(bucket, &m, &conditions[i]);
        fw_waitqueue_unlock_(bucket);
    }
}

/* The releaser's part: who was granted the mutex, or -1. */
static int grant(const struct fw_condition_ *except)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&m);
    struct fw_conditions_ all = {0};

    bucket = fw_conditions_evaluate_(bucket, &m, &all, except);
    if (all.chosen == NULL) {
        fw_waitqueue_unlock_(bucket);
        return -1;
    }
    fw_conditions_grant_(bucket, &m, &all);
    assert_int_equal(owner_half(m.state_), all.chosen->id);
    assert_int_equal(all.chosen->state, CONDITION_GRANTED);
    return (int)(all.chosen - conditions);
}

static void assert_queued(unsigned first, unsigned n)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&m);
    const struct fw_condition_ *c = fw_condition_first_(bucket, &m);

    fw_waitqueue_unlock_(bucket);
    if (n == 0)
        assert_null(c);
    else
        assert_ptr_equal(c, &conditions[first]);
    for (unsigned i = 0; i < n; i++)
        c = c->next;
    assert_null(c);
    assert_int_equal(has_queue(m.state_), n != 0);
    assert_true(n == 0 || is_fenced(m.state_));
}

static void leave(unsigned i)
{
    conditions[i].state = CONDITION_LEFT;
    fw_condition_leave_(&m, &conditions[i]);
}

TEST(the_first_that_is_true_is_chosen)
{
    queue(N);
    assert_int_equal(grant(NULL), -1);
    is_true[2] = is_true[3] = true;
    assert_int_equal(grant(&conditions[2]), 3);
    assert_queued(0, 3);
    assert_int_equal(grant(NULL), 2);
    is_true[0] = is_true[1] = true;
    assert_int_equal(grant(NULL), 0);
    assert_queued(1, 1);
    assert_int_equal(grant(NULL), 1);
    assert_queued(0, 0);
}

TEST(those_that_have_left_are_not_chosen)
{
    queue(2);
    is_true[0] = is_true[1] = true;
    conditions[0].state = CONDITION_LEFT;
    assert_int_equal(grant(NULL), 1);
    assert_queued(0, 1);
    assert_int_equal(grant(NULL), -1);
    fw_condition_leave_(&m, &conditions[0]);
    assert_queued(0, 0);
}

TEST(they_leave_in_any_order)
{
    queue(N);
    leave(1);
    leave(3);
    leave(0);
    assert_queued(2, 1);
    leave(2);
    assert_queued(0, 0);
    queue(2);
    leave(1);
    is_true[0] = true;
    assert_int_equal(grant(NULL), 0);
    assert_queued(0, 0);
}

TEST(others_have_every_second_turn)
{
    queue(3);
    is_true[0] = is_true[1] = is_true[2] = true;
    assert_int_equal(grant(NULL), 0);
    m.state_ += MUTEX_WAITER;
    assert_int_equal(grant(NULL), -1);
    assert_int_equal(grant(NULL), 1);
    m.state_ -= MUTEX_WAITER;
    assert_int_equal(grant(NULL), 2); /* marked, and nobody else waits */
}

TEST(real_time_threads_go_first)
{
    queue(1);
    is_true[0] = true;
    m.state_ += MUTEX_WAITER | MUTEX_URGENT;
    assert_int_equal(grant(NULL), -1);
    assert_int_equal(grant(NULL), -1);
    m.state_ -= MUTEX_WAITER; /* URGENT may stay behind */
    assert_int_equal(grant(NULL), 0);
}

UNIT_MAIN(NULL, NULL)
