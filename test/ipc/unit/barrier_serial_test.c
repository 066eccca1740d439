/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/barrier.h>

#include "victim.h"

/* Who is the serial thread of a round of fw_ipc_barrier?  With real processes. */

static fw_ipc_barrier *b;

enum { PARTIES = 3 };

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    b = fixture_object(&fixture, 0);
    said = fixture_object(&fixture, 1);
    say(0);
    return fw_ipc_barrier_init(b, PARTIES, FW_IPC_BARRIER_GO_ON);
}

static void come_and_tell(void *arg)
{
    (void)arg;
    _exit(fw_ipc_barrier_wait(b) == FW_IPC_BARRIER_SERIAL ? 'S' : 0);
}

static void wait_too(void)
{
    int error = fw_ipc_barrier_wait(b);

    assert_true(error <= 0);
    said[0] += error == FW_IPC_BARRIER_SERIAL;
}

static void only_arrive(void)
{
    uint64_t token;

    assert_int_equal(fw_ipc_barrier_arrive(b, &token), 0);
}

static void leave(void)
{
    assert_int_equal(fw_ipc_barrier_leave(b), 0);
}

/* Whoever ends a round: one of those who wait for it is its serial thread. */
TEST(one_who_waits_is_serial)
{
    static void (*const ends[])(void) = {wait_too, only_arrive, leave};
    int child[PARTIES - 1], serial;

    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(fw_ipc_barrier_join(b), 0);
        for (int i = 0; i < PARTIES - 1; i++)
            child[i] = start(come_and_tell, NULL);
        await_waiters(&fixture, b, PARTIES - 1);
        ends[n]();
        serial = (int)said[0];
        for (int i = 0; i < PARTIES - 1; i++)
            serial += wait_for_child(child[i]) == 'S';
        assert_int_equal(serial, 1);
        say(0);
    }
}

UNIT_MAIN(make, fixture_end)
