/* SPDX-License-Identifier: MIT */
/*
 * What it costs to become a participant: how many system calls a thread's first call makes; and in
 * a region whose participant slots are all taken, how many questions about who lives (tkill).  A
 * slot whose thread died unmarked is found by the first call; but calls that fail again and again
 * ask little.  And a thread that waits for many of whom the kernel does not know asks about few of
 * them between two sleeps, and in the end about all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/ipc/named.h>

#include "ipc/region/head.h"
#include "ipc/wait.h"
#include "processes.h"
#include "sys/call_waitv.h"
#include "traced.h"

/*
 * A call may put four questions, and beyond them all together one in ten milliseconds.
 */
enum { CALLS = 3, ASKED_AT_ONCE = 4 };
#define QUESTION_NS UINT64_C(10000000)

/* The first call of a process, and one of a thread that is known already: with room to spare. */
enum { FIRST_MOST = 8, NEXT_MOST = 4 };

enum { UNITS = 100 };

static fw_region *region;
static fw_ipc_permits *units; /* each has a holder that stays, but one, which has ended unmarked */
static struct fw_ipc_plan_ plan;
static struct fw_ipc_participant_ *slots;

static fw_ipc_mutex *mutex_in(unsigned flags)
{
    fw_ipc_mutex *m;

    CHECK(fw_region_mutex(region, "m", flags, &m) == 0);
    return m;
}

static void make_region(size_t size)
{
    int fd = memfd_create("full", MFD_CLOEXEC);

    CHECK(fw_region_open_fd(fd, size, FW_REGION_CREATE, &region) == 0);
    close(fd);
    CHECK(fw_ipc_plan_(size, 0, &plan) == 0);
    slots = (struct fw_ipc_participant_ *)((char *)fw_region_base(region) + plan.participants_at);
}

/* Each slot seems to be this thread's. */
static void make_full(size_t size)
{
    make_region(size);
    mutex_in(FW_REGION_CREATE);
    for (uint32_t i = 1; i < plan.participant_count; i++)
        slots[i] = slots[0];
}

static void end_as_full(void)
{
    memset(slots + 1, 0, (plan.participant_count - 1) * sizeof *slots);
    CHECK(fw_region_close(region) == 0);
}

static void try_some(void *nothing)
{
    fw_ipc_mutex *m = mutex_in(0);

    (void)nothing;
    traced_begin();
    for (unsigned i = 0; i < CALLS; i++)
        if (fw_ipc_mutex_trylock(m) != EAGAIN)
            _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

static unsigned count_questions(void)
{
    pid_t child = traced_start(try_some, NULL);
    unsigned asked = 0;

    traced_tell_calls(child);
    while (traced_next(child, PTRACE_SYSCALL))
        asked += traced_call(child) == SYS_tkill;
    return asked;
}

/* All are there: once each is asked about, and then a few. */
static void few_questions(void)
{
    struct fw_ipc_head_ *head = fw_region_base(region);
    uint64_t began = now_ns_of(CLOCK_REALTIME), most;
    unsigned asked;

    head->asked_until = began;
    asked = count_questions();
    most = CALLS * ASKED_AT_ONCE + 1 + (now_ns_of(CLOCK_REALTIME) - began) / QUESTION_NS;
    if (asked > most)
        fail("%u questions in %u calls, not %u at most", asked, CALLS, (unsigned)most);
    head->asked_until = 0;
    asked = count_questions();
    most = CALLS * ASKED_AT_ONCE + plan.participant_count + 1 +
           (now_ns_of(CLOCK_REALTIME) - began) / QUESTION_NS;
    if (asked < plan.participant_count || asked > most)
        fail("%u questions about %u slots, not %u at most", asked, plan.participant_count,
             (unsigned)most);
}

static void end_at_once(void *nothing)
{
    (void)nothing;
}

static pid_t one_that_ended(void)
{
    pid_t gone = start(end_at_once, NULL);

    finish(gone);
    return gone;
}

static void find_one(void *nothing)
{
    fw_ipc_mutex *m = mutex_in(0);

    (void)nothing;
    CHECK(fw_ipc_mutex_trylock(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
}

/* As where the kernel has no robust lists. */
static void a_slot_of_a_dead_thread(void)
{
    const uint32_t indices[] = {1, plan.participant_count / 2, plan.participant_count - 1};

    for (unsigned i = 0; i < sizeof indices / sizeof *indices; i++) {
        slots[indices[i]].life = UINT64_C(1) << 32 | (uint32_t)one_that_ended();
        ((struct fw_ipc_head_ *)fw_region_base(region))->asked_until = 0; /* long ago */
        finish(start(find_one, NULL));
        slots[indices[i]] = slots[0];
    }
}

/* All but this one are dead: each call finds one, whatever was asked before. */
static void all_have_died(void)
{
    pid_t gone = one_that_ended();

    for (uint32_t i = 1; i < plan.participant_count; i++)
        slots[i].life = UINT64_C(1) << 32 | (uint32_t)gone;
    for (unsigned i = 0; i < 10; i++) {
        ((struct fw_ipc_head_ *)fw_region_base(region))->asked_until = now_ns_of(CLOCK_REALTIME);
        finish(start(find_one, NULL));
    }
    for (uint32_t i = 1; i < plan.participant_count; i++)
        slots[i] = slots[0];
}

/* A mark between two calls: a system call that the library does not make. */
static void mark(void)
{
    syscall(SYS_getppid);
}

static void come_twice(void *nothing)
{
    fw_ipc_mutex *m = mutex_in(0);

    (void)nothing;
    traced_begin();
    mark();
    CHECK(fw_ipc_mutex_trylock(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
    mark();
    if (fw_region_leave(region) != 0)
        _exit(EXIT_FAILURE);
    mark();
    CHECK(fw_ipc_mutex_trylock(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
    mark();
    _exit(EXIT_SUCCESS);
}

static void first_calls_are_cheap(void)
{
    unsigned calls[5] = {0}, marks = 0;
    pid_t child;

    CHECK(fw_region_adopt(share(FW_REGION_MIN_SIZE), FW_REGION_MIN_SIZE, FW_REGION_CREATE,
                          &region) == 0);
    mutex_in(FW_REGION_CREATE);
    child = traced_start(come_twice, NULL);
    traced_tell_calls(child);
    while (traced_next(child, PTRACE_SYSCALL)) {
        long call = traced_call(child);
        if (call == SYS_getppid)
            marks++;
        else
            calls[marks] += call >= 0;
    }
    CHECK(marks == 4);
    printf("first call of a process: %u system calls; of a thread: %u\n", calls[1], calls[3]);
    if (calls[1] > FIRST_MOST || calls[3] > NEXT_MOST)
        fail("%u and %u system calls, not %u and %u at most", calls[1], calls[3], FIRST_MOST,
             NEXT_MOST);
    CHECK(fw_region_close(region) == 0);
}

/* --- While it waits -------------------------------------------------------------------------- */

/* The slots 1 to UNITS seem to be this thread's, and not known to the kernel: each has a unit. */
static void lend_all(void)
{
    make_region(1 << 20);
    CHECK(plan.participant_count > UNITS + 1);
    CHECK(fw_region_permits(region, "units", UNITS, FW_REGION_CREATE, &units) == 0);
    CHECK(fw_ipc_permits_wait(units) == 0 && fw_ipc_permits_post(units) == 0);
    for (uint32_t i = 0; i < UNITS; i++) {
        slots[i + 1] = slots[0];
        slots[i + 1].life &= ~(uint64_t)FW_ROBUST_WAITERS;
        ((uint64_t *)(units + 1))[i] =
            UINT64_C(1) << 32 | (i + 2); /* the id: slot generation, slot + 1 */
    }
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
static unsigned count_sleeps(pid_t child)
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

/* The wait ends when the one of whom the kernel does not know was asked about. */
static void few_questions_between_sleeps(void)
{
    static const uint32_t dead[] = {0, UNITS / 2, UNITS - 1};

    lend_all();
    for (unsigned i = 0; i < sizeof dead / sizeof *dead; i++) {
        struct fw_ipc_participant_ *slot = &slots[dead[i] + 1], before = *slot;
        slot->life = UINT64_C(1) << 32 | (uint32_t)one_that_ended();
        printf("unit %u: found after %u sleeps\n", dead[i],
               count_sleeps(traced_start(wait_for_one, NULL)));
        *slot = before;
        ((uint64_t *)(units + 1))[dead[i]] = UINT64_C(1) << 32 | (dead[i] + 2);
    }
    end_as_full();
}

int main(void)
{
    static const size_t sizes[] = {8 << 20, FW_REGION_MIN_SIZE};

    if (is_constrained)
        skip("what a sanitizer does beside is too much to be led through");
    limit(110, "a full region");
    first_calls_are_cheap();
    few_questions_between_sleeps();
    for (unsigned i = 0; i < 2; i++) {
        make_full(sizes[i]);
        few_questions();
        a_slot_of_a_dead_thread();
        all_have_died();
        end_as_full();
    }
    return EXIT_SUCCESS;
}
