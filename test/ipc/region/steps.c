/* SPDX-License-Identifier: MIT */
/*
 * A maker is stopped after every instruction, and at every system call killed.
 *
 * To be killed and to be stopped for good look the same to others, but for what the kernel does at
 * the death.  So one maker is led through its call instruction by instruction (ptrace), and
 * whenever the file has changed, others look at a copy of it as it is then: one makes a region of
 * it (or completes it), and it works.  And one at a time makers are killed at their first, second,
 * third ... system call, until one comes through; or stopped there while somebody else makes the
 * region before them, with another size.  The same where a stale region is to be renewed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "led.h"
#include "processes.h"
#include "stale.h"

enum { SIZE = 2 * FW_REGION_MIN_SIZE };

static char name[64];
static int file; /* for the maker that is led by instructions */

static int use(fw_region *r)
{
    fw_ipc_mutex *m;
    int error = fw_region_mutex(r, "lock", FW_REGION_CREATE, &m);

    if (error == 0)
        error = fw_ipc_mutex_lock(m);
    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(m);
    return error == 0 ? fw_ipc_mutex_unlock(m) : error;
}

/* A smaller one, where somebody else was faster. */
static fw_region *make_or_find(size_t size)
{
    fw_region *r;
    int error = fw_region_open(name, size, FW_REGION_CREATE, &r);

    if (error == EPROTO) {
        CHECK(fw_region_open(name, 0, 0, &r) == 0);
        CHECK(fw_region_size(r) < size);
        return r;
    }
    CHECK(error == 0);
    return r;
}

static void make_by_name(void *nothing)
{
    fw_region *r;

    (void)nothing;
    be_led();
    r = make_or_find(SIZE);
    CHECK(use(r) == 0);
    CHECK(fw_region_close(r) == 0);
}

static void make_in_file(void *nothing)
{
    fw_region *r;

    (void)nothing;
    be_led();
    CHECK(fw_region_open_fd(file, SIZE, FW_REGION_CREATE, &r) == 0);
}

static void come_after(void *fd)
{
    fw_region *r;

    CHECK(fw_region_open_fd((int)(intptr_t)fd, SIZE, FW_REGION_CREATE, &r) == 0);
    CHECK(fw_region_size(r) == SIZE);
    CHECK(use(r) == 0);
}

/* Who does not make regions is told that there is none, or finds it. */
static void only_join(void *fd)
{
    fw_region *r;
    int error = fw_region_open_fd((int)(intptr_t)fd, 0, 0, &r);

    CHECK(error == ENOENT || (error == 0 && use(r) == 0));
}

/* How often somebody has come in, in the region that he found. */
static uint32_t *visits(fw_region *r)
{
    void *object;

    CHECK(fw_region_object(r, "visits", FW_REGION_DATA, 64, FW_REGION_CREATE, &object) == 0);
    return object;
}

static void renew(void)
{
    fw_region *r;

    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_RENEW, &r) == 0);
    fw_add32_relaxed(visits(r), 1);
    CHECK(use(r) == 0);
}

static void renew_led(void *nothing)
{
    (void)nothing;
    be_led();
    renew();
}

static void renew_too(void *nothing)
{
    (void)nothing;
    renew();
}

static bool is_locked(int fd)
{
    bool was_free = flock(fd, LOCK_EX | LOCK_NB) == 0;

    if (was_free)
        flock(fd, LOCK_UN);
    return !was_free;
}

/*
 * Killed at each of its system calls, the next one renews the region; or another one does so while
 * it is stopped there, at once (where it is not waited for), and both end in the same region.
 */
static void renewed(bool is_killed)
{
    bool is_there = true;
    unsigned locked = 0;

    for (unsigned n = 1; is_there; n++) {
        pid_t renewer, other = 0;
        int old, status;
        fw_region *r;
        make_stale(name, SIZE);
        old = shm_open(name, O_RDWR, 0);
        renewer = lead(renew_led);
        for (unsigned i = 0; i < n && is_there; i++)
            is_there = is_there_after(renewer, PTRACE_SYSCALL);
        if (is_there && is_killed)
            kill_and_wait(renewer);
        if (is_there && !is_locked(old))
            finish(start(renew_too, NULL));
        else if (is_there)
            other = start(renew_too, NULL);
        locked += other != 0;
        if (is_there && !is_killed) {
            CHECK(ptrace(PTRACE_DETACH, renewer, NULL, NULL) == 0);
            CHECK(waitpid(renewer, &status, 0) == renewer && status == 0);
        }
        if (other != 0)
            finish(other);
        CHECK(fw_region_open(name, SIZE, 0, &r) == 0);
        if (!is_killed && is_there && *visits(r) != 2)
            fail("stopped at system call %u: %u of 2 in one region", n, *visits(r));
        CHECK(*visits(r) >= 1);
        CHECK(fw_region_close(r) == 0);
        CHECK(fw_region_remove(name) == 0);
        close(old);
    }
    CHECK(is_killed || locked != 0);
}

static unsigned killed_at_every_system_call(void)
{
    for (unsigned n = 1;; n++) {
        pid_t maker = lead(make_by_name);
        bool is_there = true;
        fw_region *r;
        for (unsigned i = 0; i < n && is_there; i++)
            is_there = is_there_after(maker, PTRACE_SYSCALL);
        if (is_there)
            kill_and_wait(maker);
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == 0);
        CHECK(use(r) == 0);
        CHECK(fw_region_close(r) == 0);
        CHECK(fw_region_remove(name) == 0);
        if (!is_there)
            return n - 1;
    }
}

static void overtake(void *size)
{
    CHECK(use(make_or_find((size_t)(uintptr_t)size)) == 0);
}

/* Between two of its system calls, somebody else makes the whole region, larger or smaller. */
static void overtaken_at_every_system_call(size_t size)
{
    bool is_there = true;

    for (unsigned n = 1; is_there; n++) {
        pid_t maker = lead(make_by_name);
        int status;
        for (unsigned i = 0; i < n && is_there; i++)
            is_there = is_there_after(maker, PTRACE_SYSCALL);
        if (is_there) {
            finish(start(overtake, (void *)(uintptr_t)size));
            CHECK(ptrace(PTRACE_DETACH, maker, NULL, NULL) == 0);
            CHECK(waitpid(maker, &status, 0) == maker && status == 0);
        }
        CHECK(fw_region_remove(name) == 0);
    }
}

/* What others would find if the maker were killed now. */
static void look_at_copies(const char *bytes, size_t size)
{
    void (*const lookers[])(void *) = {come_after, only_join};

    for (unsigned i = 0; i < 2; i++) {
        int copy = memfd_create("copy", 0);
        CHECK(copy >= 0 && write(copy, bytes, size) == (ssize_t)size);
        finish(start(lookers[i], (void *)(intptr_t)copy));
        close(copy);
    }
}

static unsigned stopped_at_every_instruction(unsigned *states)
{
    static char before[SIZE], now[SIZE];
    size_t size_before = 1, size;
    unsigned steps = 0;
    pid_t maker;

    file = memfd_create("steps", 0);
    maker = lead(make_in_file);
    do {
        struct stat about;
        CHECK(fstat(file, &about) == 0);
        size = (size_t)about.st_size;
        CHECK(size <= SIZE && pread(file, now, size, 0) == (ssize_t)size);
        if (size != size_before || memcmp(now, before, size) != 0) {
            look_at_copies(now, size);
            memcpy(before, now, size);
            size_before = size;
            (*states)++;
        }
        steps++;
    } while (is_there_after(maker, PTRACE_SINGLESTEP));
    finish(start(come_after, (void *)(intptr_t)file));
    return steps;
}

int main(void)
{
    unsigned states = 0, steps, calls;

    if (is_constrained)
        skip("what a sanitizer does beside is too much to be led through");
    limit(110, "a maker that is led step by step");
    snprintf(name, sizeof name, "/furwock-steps-%d", (int)getpid());
    calls = killed_at_every_system_call();
    overtaken_at_every_system_call(SIZE / 2);
    overtaken_at_every_system_call(SIZE * 2);
    if (fw_boot_() != 0) { /* else none is stale */
        renewed(true);
        renewed(false);
    }
    steps = stopped_at_every_instruction(&states);
    printf("killed before and after each of %u system calls; stopped at %u instructions, "
           "with %u states of the file\n",
           calls / 2, steps, states);
    return states > 10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
