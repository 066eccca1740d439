/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/ipc/region.h>

#include "fixture.h"
#include "ipc/recover.h"
#include "ipc/region/repairs.h"
#include "unit.h"

/* src/ipc/recover.c and src/ipc/region/repairs.c: what is done about holders that died. */

static fw_ipc_history *past;
static struct fw_ipc_me_ me;

static int make(void)
{
    fixture = fixture_make(4);
    past = fixture_object(&fixture, 0);
    return fw_ipc_enter_(past, &me);
}

/* The id of a participant that has left. */
static uint64_t dead(void)
{
    uint64_t id = me.id;

    fw_ipc_leave_(fixture.mapping);
    fw_ipc_enter_(past, &me);
    return id;
}

TEST(counts_generations)
{
    fw_ipc_history_begin_(past, &me);
    fw_ipc_history_begin_(past, &me);
    assert_int_equal(past->generation_, 2);
    assert_int_equal(past->since_, 0);
    me.flags |= FW_REGION_STAMP;
    fw_ipc_history_begin_(past, &me);
    assert_int_not_equal(past->since_, 0);
}

TEST(notes_who_died)
{
    fw_ipc_death death;

    assert_int_equal(fw_ipc_death_of_(past, &death), ENOENT);
    assert_int_equal(fw_ipc_recover_(&me, past, past, dead()), EOWNERDEAD);
    assert_int_equal(fw_ipc_death_of_(past, &death), 0);
    assert_int_equal(death.process, me.participant->ids >> 32);
    assert_int_equal(death.generation, 1); /* it had not come to count */
    past->generation_ = 41;
    assert_int_equal(fw_ipc_recover_(&me, past, past, UINT64_C(7) << 32 | 2), EOWNERDEAD);
    fw_ipc_death_of_(past, &death);
    assert_int_equal(death.process, 0); /* nobody knows */
    assert_int_equal(death.generation, 41);
    assert_int_equal(past->generation_, 42);
}

static int calls;

static int repair(void *arg, const fw_ipc_death *death)
{
    calls += death->generation != 0;
    return *(int *)arg;
}

TEST(calls_the_function_of_that_lock)
{
    int yes = 0, no = 1;
    fw_ipc_history *other = fixture_object(&fixture, 1);

    calls = 0;
    assert_int_equal(fw_ipc_on_death_(past, repair, &no), 0);
    assert_int_equal(fw_ipc_on_death_(other, repair, &no), 0);
    assert_int_equal(fw_ipc_recover_(&me, past, past, dead()), EOWNERDEAD);
    assert_int_equal(fw_ipc_on_death_(past, repair, &yes), 0); /* instead of the other */
    assert_int_equal(fw_ipc_recover_(&me, past, past, dead()), 0);
    assert_int_equal(calls, 2);
    assert_int_equal(fw_ipc_on_death_(past, NULL, NULL), 0);
    assert_int_equal(fw_ipc_on_death_(past, NULL, NULL), 0);
    assert_int_equal(fw_ipc_recover_(&me, past, past, dead()), EOWNERDEAD);
    assert_int_equal(calls, 2);
    fw_ipc_forget_repairs_(fixture.mapping);
    assert_int_equal(fw_ipc_recover_(&me, other, other, dead()), EOWNERDEAD);
    assert_int_equal(calls, 2);
}

/* A journal that leads nowhere is no reason to call data sound. */
TEST(a_broken_journal_is_left_to_the_caller)
{
    past->journal_ = UINT64_MAX - 7;
    assert_int_equal(fw_ipc_recover_(&me, past, past, dead()), EOWNERDEAD);
}

UNIT_MAIN(make, fixture_end)
