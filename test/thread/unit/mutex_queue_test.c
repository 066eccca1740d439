/* SPDX-License-Identifier: MIT */
#include <furwock/await.h>

#include "core/operation.h"
#include "core/recheck.h"
#include "mutex_words.h"
#include "sys/thread.h"
#include "thread/mutex_queue.h"

/*
 * src/thread/mutex_queue.c: who joins, who leaves, and whose turn it is.  The operations have
 * wakers, which count; the other threads are words.
 */

enum { OPS = 3 };

#define TASK(i) HELD(FW_ID_ALIAS + 1 + (i))

static fw_await ops[OPS];
static unsigned n_told;

static void tell(void *op)
{
    assert_int_equal(((fw_await *)op)->state_, FW_OPERATION_GRANTED);
    n_told++;
}

static int reset(void)
{
    n_told = 0;
    for (unsigned i = 0; i < OPS; i++) {
        ops[i] = (fw_await){.task_ = (uint32_t)TASK(i),
                            .object_ = &m,
                            .generation_ = FW_HAS_WAKER_,
                            .call_.wake = tell};
        ops[i].more_.arg = &ops[i];
    }
    return reset_mutex();
}

static bool join(unsigned i)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&m);
    bool has_taken = fw_mutex_join_queue_(bucket, &m, &ops[i]);

    fw_waitqueue_unlock_(bucket);
    return has_taken;
}

static void leave(unsigned i)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&m);

    fw_waitqueue_remove_(bucket, fw_operation_node_(&ops[i]));
    fw_mutex_left_queue_(bucket, &m, &ops[i]);
    fw_waitqueue_unlock_(bucket);
}

TEST(a_free_mutex_is_taken_and_a_held_one_joined)
{
    static const struct {
        uint64_t before, after;
        unsigned fences;
    } cases[] = {
        {0, TASK(0), 0},
        {FENCED, TASK(0) | FENCED, 0},
        {FENCED | WAKING | WAITERS(2), TASK(0) | FENCED | WAKING | WAITERS(2), 0},
        {HELD(OWNER), HELD(OWNER) | QUEUED | FENCED, 1},
        {UNSIGNED, UNSIGNED | QUEUED | FENCED, 1},
        {HELD(OWNER) | FENCED, HELD(OWNER) | QUEUED | FENCED, 0},
        {HELD(OWNER) | WAITERS(1), HELD(OWNER) | QUEUED | FENCED | WAITERS(1), 1},
        {HELD(OWNER) | FENCED | WAKING | RETRY | STARVING | URGENT | WAITERS(3),
         HELD(OWNER) | QUEUED | FENCED | WAKING | RETRY | STARVING | URGENT | WAITERS(3), 0},
        {HANDOFF(5) | FENCED | WAKING | LATE | WAITERS(2),
         HANDOFF(5) | QUEUED | FENCED | WAKING | LATE | WAITERS(2), 0},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_taken = (cases[i].after & QUEUED) == 0;

        reset();
        m.state_ = cases[i].before;
        assert_int_equal(join(0), is_taken);
        assert_word(&m, cases[i].after);
        assert_int_equal(fake.fences, cases[i].fences);
        if (is_taken)
            continue;
        leave(0);
        assert_word(&m, cases[i].after & ~QUEUED);
        assert_int_equal(n_told, 0);
    }
}

TEST(what_is_of_another_generation_is_not_there)
{
    fake.fork_generation = 9; /* of which the word has 1 */
    m.state_ = MINE | FENCED | QUEUED | WAITERS(3) | GENERATION(2);
    assert_false(join(0));
    assert_word(&m, MINE | FENCED | QUEUED | GENERATION(1));
    leave(0);
    m.state_ = HANDOFF(5) | FENCED | QUEUED | WAKING | WAITERS(1) | GENERATION(2);
    assert_true(join(0));
    assert_int_equal(owner_half(m.state_), TASK(0));
    assert_false(has_queue(m.state_) || has_waiters(m.state_));
}

/* A plain release that had not seen QUEUED: the fence lets it end. */
static void release_plainly(void)
{
    m.state_ &= ~MUTEX_OWNER_HALF;
}

TEST(one_that_was_overlooked_takes_the_mutex)
{
    m.state_ = HELD(OWNER);
    fake.on_fence = release_plainly;
    assert_true(join(0));
    assert_word(&m, TASK(0) | FENCED);
}

static void join_as_thread(void)
{
    m.state_ += MUTEX_WAITER;
    release_plainly();
}

TEST(one_that_was_overlooked_takes_it_before_a_thread)
{
    m.state_ = HELD(OWNER);
    fake.on_fence = join_as_thread;
    assert_true(join(0));
    assert_word(&m, TASK(0) | FENCED | WAITERS(1));
}

TEST(where_the_fence_is_refused_it_waits)
{
    uint64_t begin = fake.now_ns;

    m.state_ = HELD(OWNER);
    fake.fence_result = -EPERM;
    assert_false(join(0));
    assert_true(fake.now_ns - begin >= FW_RECHECK_REFUSED_NS);
    assert_word(&m, HELD(OWNER) | QUEUED | FENCED);
    leave(0);
}

/* With two operations; the first has waited for half a millisecond ('o'), or yields ('y'). */
TEST(releases_take_turns)
{
#define FREED(rest) (FENCED | QUEUED | (rest))
#define GRANTED(rest) (TASK(0) | FENCED | QUEUED | (rest))
    static const struct {
        const char *first;
        bool fair;
        uint64_t rest, after;
        unsigned wakes;
        bool next_yields;
    } cases[] = {
        {"", false, 0, GRANTED(0), 0, false},
        {"o", false, 0, GRANTED(0), 0, false},
        {"y", false, 0, GRANTED(0), 0, false},
        {"", true, 0, GRANTED(0), 0, false},
        {"", false, WAITERS(1), FREED(WAITERS(1) | WAKING), 1, false},
        {"", false, WAITERS(1) | WAKING, FREED(WAITERS(1) | WAKING), 0, false},
        {"", false, WAITERS(2) | RETRY, FREED(WAITERS(2) | WAKING), 1, false},
        {"", false, WAITERS(1) | STARVING, FREED(HANDOFF(FIRST_SERIAL) | WAITERS(1) | WAKING), 1,
         false},
        {"", true, WAITERS(1), GRANTED(WAITERS(1)), 0, true},
        {"o", false, WAITERS(1), GRANTED(WAITERS(1)), 0, true},
        {"o", false, WAITERS(1) | WAKING, GRANTED(WAITERS(1) | WAKING), 0, true},
        {"o", false, WAITERS(2) | WAKING | RETRY | STARVING,
         GRANTED(WAITERS(2) | WAKING | RETRY | STARVING), 0, true},
        {"o", false, WAITERS(2) | URGENT, FREED(WAITERS(2) | WAKING), 1, false},
        {"oy", false, WAITERS(1), FREED(WAITERS(1) | WAKING), 1, false},
        {"oy", false, WAITERS(1) | STARVING, FREED(HANDOFF(FIRST_SERIAL) | WAITERS(1) | WAKING), 1,
         false},
        {"oy", true, WAITERS(1), FREED(HANDOFF(FIRST_SERIAL) | WAITERS(1) | WAKING), 1, false},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_granted = (cases[i].after & MUTEX_OWNER_HALF) == TASK(0);

        reset();
        m.state_ = MINE;
        assert_false(join(0) || join(1));
        m.state_ |= cases[i].rest;
        if (strchr(cases[i].first, 'o') != NULL)
            fake.now_ns += FW_STARVATION_NS;
        ops[0].yields_ = strchr(cases[i].first, 'y') != NULL;
        if (cases[i].fair)
            fw_mutex_unlock_fair(&m);
        else
            fw_mutex_unlock(&m);
        assert_word(&m, cases[i].after);
        assert_int_equal(fake.wakes, cases[i].wakes);
        assert_int_equal(n_told, is_granted);
        assert_int_equal(ops[1].yields_, cases[i].next_yields);
        assert_false(!is_granted && ops[0].yields_);
        leave(1);
        assert_int_equal(has_queue(m.state_), !is_granted);
        if (!is_granted)
            leave(0);
    }
}

TEST(a_mark_goes_to_the_next_when_the_first_leaves)
{
    m.state_ = MINE | WAITERS(1);
    assert_false(join(0) || join(1) || join(2));
    fake.now_ns += FW_STARVATION_NS;
    fw_mutex_unlock(&m);
    assert_int_equal(owner_half(m.state_), TASK(0));
    leave(1);
    assert_true(ops[2].yields_);
    fw_task_mutex_unlock(&m, ops[0].task_); /* a thread's turn */
    assert_true(is_free(m.state_) && wake_is_under_way(m.state_));
    leave(2);
    assert_word(&m, FENCED | WAKING | WAITERS(1));
}

/* The owner may have been granted it before a thread, which nobody was there to be told of. */
TEST(the_first_behind_a_task_is_marked)
{
    m.state_ = TASK(2) | FENCED;
    assert_false(join(0) || join(1));
    assert_true(ops[0].yields_ && !ops[1].yields_);
    m.state_ |= WAITERS(1) | STARVING;
    fake.now_ns += FW_STARVATION_NS;
    fw_task_mutex_unlock(&m, ops[2].task_);
    assert_word(&m, HANDOFF(FIRST_SERIAL) | FENCED | QUEUED | WAKING | WAITERS(1));
    leave(0);
    leave(1);
}

TEST(one_after_the_other_and_then_it_is_free)
{
    m.state_ = MINE;
    assert_false(join(0) || join(1) || join(2));
    fw_mutex_unlock(&m);
    for (unsigned i = 0; i < OPS; i++) {
        assert_word(&m, TASK(i) | FENCED | (i < OPS - 1 ? QUEUED : 0));
        assert_int_equal(n_told, i + 1);
        fw_task_mutex_unlock(&m, ops[i].task_);
    }
    assert_word(&m, FENCED);
    assert_int_equal(fake.wakes, 0);
}

TEST(losers_of_a_group_are_passed_over)
{
    fw_await_group group = {.winner_ = &ops[2]};

    m.state_ = MINE | WAITERS(1);
    ops[0].group_ = ops[1].group_ = &group;
    assert_false(join(0) || join(1));
    fake.now_ns += FW_STARVATION_NS;
    fw_mutex_unlock(&m);
    assert_word(&m, FENCED | WAKING | WAITERS(1)); /* a thread has it, as if they had not come */
    assert_int_equal(ops[0].state_, FW_OPERATION_LOST);
    assert_int_equal(ops[1].state_, FW_OPERATION_LOST);
    m.state_ = MINE;
    assert_false(join(0) || join(2));
    fw_mutex_unlock(&m);
    assert_word(&m, TASK(2) | FENCED);
    assert_int_equal(n_told, 1);
}

UNIT_MAIN(reset, NULL)
