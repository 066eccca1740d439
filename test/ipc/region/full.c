/* SPDX-License-Identifier: MIT */
/*
 * A region all of whose lines are taken: a thread that finds none makes few system calls, however
 * many lines there are; and a line whose thread died unmarked is found in the course of some calls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "ipc/head.h"
#include "led.h"
#include "processes.h"

/* So many system calls a call may take: four lines, at a dozen for each, with room to spare. */
enum { CALLS = 3, SYSTEM_CALLS_MOST = 150 };

/* The first call of a process, and one of a thread that is known already: with room to spare. */
enum { FIRST_MOST = 8, NEXT_MOST = 4 };

static fw_region *region;
static struct fw_ipc_plan_ plan;
static struct fw_ipc_member_ *lines;

static fw_ipc_mutex *mutex_in(unsigned flags)
{
    fw_ipc_mutex *m;

    CHECK(fw_region_mutex(region, "m", flags, &m) == 0);
    return m;
}

/* Each line seems to be this thread's. */
static void make_full(size_t size)
{
    int fd = memfd_create("full", MFD_CLOEXEC);

    CHECK(fw_region_open_fd(fd, size, FW_REGION_CREATE, &region) == 0);
    close(fd);
    CHECK(fw_ipc_plan_(size, 0, &plan) == 0);
    mutex_in(FW_REGION_CREATE);
    lines = (struct fw_ipc_member_ *)((char *)fw_region_base(region) + plan.members_at);
    for (uint32_t i = 1; i < plan.member_count; i++)
        lines[i] = lines[0];
}

static void end_as_full(void)
{
    memset(lines + 1, 0, (plan.member_count - 1) * sizeof *lines);
    CHECK(fw_region_close(region) == 0);
}

static void find_none(void *nothing)
{
    fw_ipc_mutex *m = mutex_in(0);

    (void)nothing;
    be_led();
    for (unsigned i = 0; i < CALLS; i++)
        if (fw_ipc_mutex_trylock(m) != EAGAIN)
            _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

static void few_system_calls(void)
{
    pid_t child = lead(find_none);
    unsigned stops = 0;

    while (is_there_after(child, PTRACE_SYSCALL))
        if (++stops > 2 * CALLS * SYSTEM_CALLS_MOST)
            fail("more than %u system calls for %u lines", stops / 2, plan.member_count);
    printf("%u lines: %u system calls for each call\n", plan.member_count, stops / 2 / CALLS);
}

static void end_at_once(void *nothing)
{
    (void)nothing;
}

static void find_one(void *nothing)
{
    fw_ipc_mutex *m = mutex_in(0);
    unsigned calls = 1;
    int error;

    (void)nothing;
    while ((error = fw_ipc_mutex_trylock(m)) == EAGAIN)
        CHECK(++calls < plan.member_count);
    CHECK(error == 0 && fw_ipc_mutex_unlock(m) == 0);
}

/* As where the kernel has no robust lists. */
static void a_line_of_one_who_died(void)
{
    const uint32_t slots[] = {1, plan.member_count / 2, plan.member_count - 1};

    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++) {
        pid_t gone = start(end_at_once, NULL);
        finish(gone);
        lines[slots[i]].life = UINT64_C(1) << 32 | (uint32_t)gone;
        finish(start(find_one, NULL));
        lines[slots[i]] = lines[0];
    }
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
    be_led();
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

    CHECK(fw_region_adopt(share(FW_REGION_LEAST), FW_REGION_LEAST, FW_REGION_CREATE, &region) == 0);
    mutex_in(FW_REGION_CREATE);
    child = lead(come_twice);
    tell_calls(child);
    while (is_there_after(child, PTRACE_SYSCALL)) {
        long call = call_of(child);
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

int main(void)
{
    static const size_t sizes[] = {8 << 20, FW_REGION_LEAST};

    if (is_constrained)
        skip("what a sanitizer does beside is too much to be led through");
    limit(110, "a full region");
    first_calls_are_cheap();
    for (unsigned i = 0; i < 2; i++) {
        make_full(sizes[i]);
        few_system_calls();
        a_line_of_one_who_died();
        end_as_full();
    }
    return EXIT_SUCCESS;
}
