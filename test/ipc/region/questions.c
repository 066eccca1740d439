/* SPDX-License-Identifier: MIT */
/*
 * A thread that waits for many participants of which the kernel does not know asks the system about
 * them after a bounded wait: about few each time, however many they are, and in the end about all.
 *
 * Each unit has a holder that stays, but one, which has ended unmarked: the wait ends when that one
 * was asked about.  What is counted are the questions (tkill) between two sleeps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/ipc/named.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>

#include "ipc/region/head.h"
#include "ipc/wait.h"
#include "processes.h"
#include "sys/call_waitv.h"
#include "traced.h"

enum { UNITS = 100, SIZE = 1 << 20 };

static fw_region *region;
static fw_ipc_permits *units;
static struct fw_ipc_member_ *slots;

/* The slots 1 to UNITS seem to be this thread's, and not known to the kernel: each has a unit. */
static void lend_all(void)
{
    struct fw_ipc_plan_ plan;
    int fd = memfd_create("questions", MFD_CLOEXEC);

    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &region) == 0);
    close(fd);
    CHECK(fw_ipc_plan_(SIZE, 0, &plan) == 0 && plan.member_count > UNITS + 1);
    CHECK(fw_region_permits(region, "units", UNITS, FW_REGION_CREATE, &units) == 0);
    CHECK(fw_ipc_permits_wait(units) == 0 && fw_ipc_permits_post(units) == 0);
    slots = (struct fw_ipc_member_ *)((char *)fw_region_base(region) + plan.members_at);
    for (uint32_t i = 0; i < UNITS; i++) {
        slots[i + 1] = slots[0];
        slots[i + 1].life &= ~(uint64_t)FW_ROBUST_WAITERS;
        ((uint64_t *)(units + 1))[i] =
            UINT64_C(1) << 32 | (i + 2); /* the id: slot generation, slot + 1 */
    }
}

static void end_at_once(void *nothing)
{
    (void)nothing;
}

static void wait_for_one(void *nothing)
{
    uint32_t unit;

    (void)nothing;
    traced_begin();
    if (fw_ipc_permits_take(units, &unit, NULL, NULL) != EOWNERDEAD ||
        fw_ipc_permits_give(units, unit) != 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

/* Leads it until it ends.  Returns how many times it slept. */
static unsigned count_questions(pid_t child)
{
    unsigned asked = 0, sleeps = 0;

    traced_tell_calls(child);
    while (traced_next(child, PTRACE_SYSCALL)) {
        long call = traced_call(child);
        asked += call == SYS_tkill;
        if (asked > FW_IPC_QUESTIONS_)
            fail("more than %u questions in a look", FW_IPC_QUESTIONS_);
        if (call == FW_CALL_FUTEX_ || call == FW_CALL_FUTEX_WAITV_) {
            sleeps++;
            asked = 0;
        }
    }
    return sleeps;
}

int main(void)
{
    static const uint32_t dead[] = {0, UNITS / 2, UNITS - 1};

    if (is_constrained)
        skip("what a sanitizer does beside is too much to be led through");
    limit(110, "questions");
    lend_all();
    for (unsigned i = 0; i < sizeof dead / sizeof *dead; i++) {
        struct fw_ipc_member_ *slot = &slots[dead[i] + 1], before = *slot;
        pid_t gone = start(end_at_once, NULL);
        finish(gone);
        slot->life = UINT64_C(1) << 32 | (uint32_t)gone;
        printf("unit %u: found after %u sleeps\n", dead[i],
               count_questions(traced_start(wait_for_one, NULL)));
        *slot = before;
        ((uint64_t *)(units + 1))[dead[i]] = UINT64_C(1) << 32 | (dead[i] + 2);
    }
    return EXIT_SUCCESS;
}
