/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "ipc/rwlock_task.h"
#include "rwlock_fixture.h"
#include "unit.h"

/* src/ipc/rwlock_task.c: the lock in the hands of tasks; and rwlock_write.c in steps. */

static struct fw_ipc_me_ agent;
static struct fw_rw_records_ records;
static uint64_t now;

static void begin(void)
{
    records = (struct fw_rw_records_){.mapping = fixture.mapping};
    assert_int_equal(fw_ipc_agent_(fixture.mapping, &agent), 0);
}

static int write_and_leave(fw_ipc_rwlock *lock)
{
    int error = fw_ipc_rwlock_trywrlock(lock);

    return error != 0 ? error : fw_ipc_rwlock_wrunlock(lock);
}

TEST(tasks_are_one_reader)
{
    uint64_t *record;

    begin();
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_INSIDE_);
    record = records.held.at;
    assert_non_null(record);
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_INSIDE_);
    assert_ptr_equal(records.held.at, record);
    assert_int_equal(elsewhere(write_and_leave), EBUSY);
    assert_null(fw_ipc_rw_task_leave_(l, &records));
    assert_int_equal(elsewhere(write_and_leave), 0);
}

TEST(tasks_wait_by_one_record)
{
    uint32_t expected;

    begin();
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_CLOSED_);
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    assert_int_equal(fw_load32_relaxed(fw_ipc_share_half_(records.waits.at)), expected);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0); /* admits it */
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_ADMITTED_);
    assert_null(records.waits.at);
    assert_null(fw_ipc_rw_task_leave_(l, &records));
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_CLOSED_);
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    assert_false(fw_ipc_rw_task_withdraw_(&records)); /* nobody waits */
    assert_null(records.waits.at);
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_CLOSED_);
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    assert_true(fw_ipc_rw_task_withdraw_(&records)); /* but it was admitted */
    assert_null(fw_ipc_rw_task_leave_(l, &records));
    assert_int_equal(elsewhere(write_and_leave), 0);
}

TEST(a_record_that_was_written_over_is_found)
{
    uint32_t expected;

    begin();
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_CLOSED_);
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    *records.waits.at = 0;
    now = word();
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EUCLEAN);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

TEST(one_that_was_told_looks_again)
{
    uint32_t expected;

    begin();
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_CLOSED_);
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    fw_ipc_shares_wake_(agent.mapping, l, UINT64_MAX);
    assert_int_not_equal(fw_load32_relaxed(fw_ipc_share_half_(records.waits.at)), expected);
    now = word();
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    assert_int_equal(fw_load32_relaxed(fw_ipc_share_half_(records.waits.at)), expected);
    assert_false(fw_ipc_rw_task_withdraw_(&records));
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

TEST(a_word_of_an_earlier_phase_is_found)
{
    uint32_t expected;

    begin();
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    now = fw_or64_seq_cst(&l->word_, IPC_RW_READERS) | IPC_RW_READERS; /* others wait */
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0); /* the same holder, and nobody waits */
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), 0);
    now = word();
    assert_int_equal(fw_ipc_rw_task_announce_(l, &records, now, &expected), EBUSY);
    assert_true(ipc_rw_has_readers(word()));
    assert_false(fw_ipc_rw_task_withdraw_(&records));
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

/* A writer that is a task waits also for tasks of its own process. */
TEST(a_task_drains)
{
    struct fw_ipc_rw_reader_ reader;

    begin();
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_INSIDE_);
    now = 0;
    assert_int_equal(fw_ipc_rw_close_(l, &agent, NULL, IPC_RW_DRAINING, &now), 0);
    assert_int_equal(fw_ipc_rw_task_drain_(l, &agent, &reader), EBUSY);
    assert_ptr_equal(reader.word, fw_ipc_share_half_(records.held.at));
    assert_ptr_equal(fw_ipc_rw_task_leave_(l, &records), reader.word); /* which it is to wake */
    assert_int_equal(fw_ipc_rw_task_drain_(l, &agent, &reader), 0);
    fw_ipc_rw_task_give_up_(l, &agent);
    assert_int_equal(word(), 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    now = word();
    assert_true(fw_ipc_rw_task_announce_writer_(l, &now));
    assert_true(ipc_rw_has_writers(word()));
    now = 1;
    assert_false(fw_ipc_rw_task_announce_writer_(l, &now));
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

/* --- In steps --------------------------------------------------------------------------------- */

TEST(it_is_closed_in_steps)
{
    struct fw_ipc_rw_reader_ reader = {0};
    int other;

    assert_int_equal(fw_ipc_rw_write_go_on_(l), EPERM);
    assert_int_equal(fw_ipc_rw_write_look_(l, &reader), EPERM);
    assert_int_equal(fw_ipc_rw_write_begin_(l), 0);
    assert_int_equal(fw_ipc_rw_write_begin_(l), EDEADLK);
    assert_int_equal(elsewhere(fw_ipc_rw_write_begin_), EBUSY);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    other = come(fw_ipc_rwlock_rdlock, 0);
    assert_int_equal(fw_ipc_rw_write_begin_(l), EINPROGRESS);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), EBUSY); /* it keeps others out */
    assert_int_equal(fw_ipc_rw_write_look_(l, &reader), EBUSY);
    assert_int_equal(fw_load32_relaxed(reader.word), reader.expected);
    assert_int_equal(fw_ipc_rw_write_go_on_(l), EINPROGRESS);
    fw_ipc_rw_write_give_up_(l);
    assert_int_equal(fw_ipc_rw_write_go_on_(l), EPERM);
    assert_int_equal(word(), 0);
    assert_int_equal(fw_ipc_rw_write_begin_(l), EINPROGRESS);
    kill_and_wait(other);
    assert_int_equal(fw_ipc_rw_write_look_(l, &reader), 0);
    assert_int_equal(fw_ipc_rw_write_go_on_(l), 0);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_WRITE);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

static int leave(fw_ipc_rwlock *lock)
{
    (void)lock;
    return fw_ipc_rw_task_leave_(l, &records) != NULL;
}

/* The reader leaves between two steps. */
TEST(readers_leave_between_steps)
{
    begin();
    assert_int_equal(fw_ipc_rw_task_enter_(l, &records, &now), FW_RW_INSIDE_);
    assert_int_equal(fw_ipc_rw_write_begin_(l), EINPROGRESS);
    assert_int_equal(fw_ipc_rw_write_go_on_(l), EINPROGRESS);
    assert_int_equal(elsewhere(leave), 0);
    assert_int_equal(fw_ipc_rw_write_go_on_(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

static void end(void)
{
    fw_ipc_agent_stop_(fixture.mapping);
    fixture_end();
}

UNIT_MAIN(rwlock_make, end)
