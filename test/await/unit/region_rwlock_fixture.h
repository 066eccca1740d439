/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_AWAIT_REGION_RWLOCK_FIXTURE_H
#define FW_TEST_AWAIT_REGION_RWLOCK_FIXTURE_H

#include "region_fixture.h"

/* A read-write lock in the region, and operations that ask for it. */
static struct asked a, b, c;
static fw_ipc_rwlock *l;

static void make_lock(void)
{
    l = (fw_ipc_rwlock *)(void *)(shared + 64);
    assert_int_equal(fw_ipc_rwlock_init(l), 0);
    shared[0] = shared[1] = shared[2] = 0;
}

static int ask_to_read(struct asked *o, unsigned task)
{
    ask_for(o, TASK(task));
    return fw_await_ipc_rdlock(&o->op, l, NULL);
}

static int ask_to_write(struct asked *o, unsigned task)
{
    ask_for(o, TASK(task));
    return fw_await_ipc_wrlock(&o->op, l, NULL);
}

#endif
