/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_VICTIM_H
#define FW_TEST_IPC_VICTIM_H

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/deadline.h>

#include "fixture.h"
#include "ipc/region/participant.h"
#include "test/support/deadline.h"
#include "test/support/robust_lists.h"
#include "unit.h"

/* For unit tests that kill children in certain roles.  The including file has this word: */
static uint64_t *said; /* by a child, when it has come so far; in the fixture */

static inline void say(uint64_t what)
{
    fw_store64_release(said, what);
}

static inline void await_said(uint64_t what)
{
    while (fw_load64_acquire(said) != what)
        sched_yield();
}

/* Until that many participants wait for the object, and sleep. */
static inline void await_waiters(const struct fixture *g, const void *object, unsigned n)
{
    uint64_t at = fw_ipc_offset_(g->mapping, object);
    unsigned waiting;

    do {
        sched_yield();
        waiting = 0;
        for (uint32_t i = 0; i < g->mapping->participant_count; i++) {
            const struct fw_ipc_participant_ *m = &g->mapping->participants[i];
            bool is_free = ((uint32_t)fw_load64_acquire(&m->life) & FW_ROBUST_OWNER) == 0;
            waiting += !is_free && fw_load64_acquire(&m->waits_for) == at;
        }
    } while (waiting != n);
    usleep(2000);
}

#endif
