/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>

#include <furwock/ipc/permits.h>

#include "ipc/announce.h"
#include "victim.h"

/* src/ipc/permits.c, with the real kernel; the victims are forked children. */

static fw_ipc_permits *u;
static uint64_t *permit;

enum { PERMITS = 3 };

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    u = fixture_object(&fixture, 0);
    permit = (uint64_t *)(u + 1);
    said = fixture_object(&fixture, 1);
    return fw_ipc_permits_init(u, PERMITS);
}

TEST(lends_and_takes_back)
{
    uint32_t i;

    assert_int_equal(fw_ipc_permits_count(u), PERMITS);
    for (unsigned n = 0; n < PERMITS; n++) {
        assert_int_equal(fw_ipc_permits_value(u), PERMITS - n);
        assert_int_equal(fw_ipc_permits_held_by_me(u), n);
        assert_int_equal(n % 2 == 0 ? fw_ipc_permits_wait(u) : fw_ipc_permits_trywait(u), 0);
    }
    assert_int_equal(fw_ipc_permits_trywait(u), EBUSY);
    assert_int_equal(fw_ipc_permits_give(u, 1), 0);
    assert_int_equal(fw_ipc_permits_give(u, 1), EPERM);
    assert_int_equal(fw_ipc_permits_give(u, PERMITS), EPERM);
    assert_int_equal(fw_ipc_permits_take(u, &i, NULL, NULL), 0);
    assert_int_equal(i, 1);
    for (unsigned n = 0; n < PERMITS; n++)
        assert_int_equal(fw_ipc_permits_post(u), 0);
    assert_int_equal(fw_ipc_permits_post(u), EPERM);
    assert_int_equal(fw_ipc_permits_value(u), PERMITS);
}

TEST(says_what_is_wrong)
{
    static _Alignas(64) fw_ipc_permits elsewhere;
    fw_ipc_permits *blank = fixture_object(&fixture, 2);
    fw_ipc_permits *last = (fw_ipc_permits *)(fixture.base + fixture.size - 64);
    fw_deadline never = {.clock = -1};

    assert_int_equal(fw_ipc_permits_size(0), 0);
    assert_int_equal(fw_ipc_permits_size(FW_IPC_PERMITS_MAX + 1), 0);
    assert_int_equal(fw_ipc_permits_size(4), sizeof(fw_ipc_permits) + 32);
    assert_int_equal(fw_ipc_permits_init(&elsewhere, 1), EINVAL);
    assert_int_equal(fw_ipc_permits_init(blank, 0), EINVAL);
    assert_int_equal(fw_ipc_permits_init(last, 1), ENOSPC);
    assert_int_equal(fw_ipc_permits_init((fw_ipc_permits *)((char *)blank + 4), 1), EINVAL);
    assert_int_equal(fw_ipc_permits_wait(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_permits_wait(blank), EINVAL);
    assert_int_equal(fw_ipc_permits_count(blank), 0);
    assert_int_equal(fw_ipc_permits_init(u, PERMITS), 0);
    assert_int_equal(fw_ipc_permits_init(u, PERMITS + 1), EEXIST);
    for (unsigned n = 0; n < PERMITS; n++)
        assert_int_equal(fw_ipc_permits_wait(u), 0);
    assert_int_equal(fw_ipc_permits_timedwait(u, &never), EINVAL);
}

/* Words that nobody can have written are left alone, and nobody waits for them. */
TEST(finds_what_was_written_over)
{
    fw_deadline soon = in_ms(60);

    permit[0] = 7;
    assert_int_equal(fw_ipc_permits_value(u), PERMITS - 1);
    assert_int_equal(fw_ipc_permits_wait(u), 0);
    assert_int_equal(fw_ipc_permits_wait(u), 0);
    assert_int_equal(fw_ipc_permits_wait(u), EUCLEAN);
    assert_int_equal(fw_ipc_permits_timedwait(u, &soon), EUCLEAN);
    permit[0] = UINT64_MAX;
    assert_int_equal(fw_ipc_permits_trywait(u), EUCLEAN);
    assert_int_equal(permit[0], UINT64_MAX);
    assert_int_equal(fw_ipc_permits_give(u, 0), EPERM);
    u->made_ = FW_IPC_PERMITS_MAX + 1;
    assert_int_equal(fw_ipc_permits_trywait(u), EUCLEAN);
    u->made_ = FW_IPC_PERMITS_MAX; /* the region ends before that */
    assert_int_equal(fw_ipc_permits_post(u), EUCLEAN);
    assert_int_equal(fw_ipc_permits_value(u), 0);
}

static void child_has_nothing(void *arg)
{
    (void)arg;
    _exit(fw_ipc_permits_held_by_me(u) != 0 || fw_ipc_permits_post(u) != EPERM);
}

TEST(a_child_holds_nothing)
{
    assert_int_equal(fw_ipc_permits_wait(u), 0);
    assert_int_equal(wait_for_child(start(child_has_nothing, NULL)), 0);
    assert_int_equal(fw_ipc_permits_post(u), 0);
}

UNIT_MAIN(make, fixture_end)
