/* SPDX-License-Identifier: MIT */
/*
 * Thread ids and clocks: an id is given to another thread, means another thread elsewhere, and
 * clocks show something else elsewhere.  What cannot be tried here (not root) is left out, with a
 * line.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

/* Flags: start_holder has the first ones. */
enum { HAS_LOOKED = LOCKS, MAY_END, HAS_ENDED };

enum { TRIES = 200, NEW_TIME = 0x80 /* CLONE_NEWTIME: unknown to old headers */ };

static bool put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return good;
}

static void left_out(const char *why)
{
    printf("(left out: %s)\n", why);
}

/* --- Another thread gets the id of one that died --------------------------------------------- */

static void be_the_next(void *arg)
{
    unsigned i = *(unsigned *)arg;

    flag_raise(HAS_LOOKED);
    flag_await(MAY_END);
    CHECK(!fw_ipc_mutex_is_held_by_me(fixture.m[i]));
    CHECK(fw_ipc_mutex_unlock(fixture.m[i]) == EPERM);
    for (;;)
        pause();
}

static pid_t start_with_id(pid_t id, unsigned i)
{
    char text[20];

    snprintf(text, sizeof text, "%d", (int)id - 1);
    for (unsigned n = 0; n < TRIES; n++) {
        pid_t child;
        if (!put("/proc/sys/kernel/ns_last_pid", text))
            return 0;
        child = start(be_the_next, &i);
        if (child == id)
            return child;
        kill_and_wait(child);
    }
    return 0;
}

static void an_id_is_used_again(void)
{
    pid_t dead = start_holder(0), next;

    kill_and_wait(dead);
    next = start_with_id(dead, 0);
    if (next == 0) {
        left_out("no thread can be given an id");
        expect_left(fixture.m[0], dead, dead);
        return;
    }
    flag_raise(MAY_END);
    expect_left(fixture.m[0], dead, dead);
    kill_and_wait(next);
}

/* --- Other namespaces: other ids of threads, or a clock that shows another time -------------- */

/* What is forked from here on lives elsewhere. */
struct elsewhere {
    bool (*enter)(void);
    pid_t id; /* of the first process there, by its own account; 0: any */
    const char *unless;
};

static bool enter_pid_namespace(void)
{
    return unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
}

static bool enter_time_namespace(void)
{
    return unshare(NEW_TIME) == 0 && put("/proc/self/timens_offsets", "monotonic 100000 0\n");
}

static void hold_elsewhere(void *arg)
{
    const struct elsewhere *e = arg;

    CHECK(e->id == 0 || getpid() == e->id);
    CHECK(lock_soon(fixture.m[0]) == 0);
    CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
    expect_held(fixture.m[1]); /* by one whose id means nobody here, or somebody else */
    flag_raise(HAS_LOOKED);
    for (;;)
        pause();
}

static void start_elsewhere(void *arg)
{
    const struct elsewhere *e = arg;
    pid_t child;

    if (!e->enter())
        _exit(77);
    child = start(hold_elsewhere, arg);
    flag_await(MAY_END);
    kill_and_wait(child);
    flag_raise(HAS_ENDED);
    for (;;)
        pause();
}

static void live_and_die_in(struct elsewhere e)
{
    pid_t outside = start_holder(1), maker = start(start_elsewhere, &e);
    int status;

    while (waitpid(maker, &status, WNOHANG) == 0 && fixture.flags[HAS_LOOKED] == 0)
        usleep(1000);
    if (fixture.flags[HAS_LOOKED] == 0) {
        left_out(e.unless);
    } else {
        expect_held(fixture.m[0]); /* its id is that of another process here */
        flag_raise(MAY_END);
        flag_await(HAS_ENDED);
        expect_left(fixture.m[0], e.id, e.id);
        CHECK(fw_ipc_rwlock_trywrlock(fixture.rw) == 0 && fw_ipc_rwlock_wrunlock(fixture.rw) == 0);
        kill_and_wait(maker);
    }
    kill_and_wait(outside);
    expect_left(fixture.m[1], outside, outside);
}

static void another_pid_namespace(void)
{
    live_and_die_in((struct elsewhere){enter_pid_namespace, 1, "no namespace can be made"});
}

static void another_time(void)
{
    live_and_die_in((struct elsewhere){enter_time_namespace, 0, "no other time can be made"});
}

int main(void)
{
    fixture_make(FW_REGION_MIN_SIZE);
    CASE(an_id_is_used_again);
    CASE(another_pid_namespace);
    CASE(another_time);
    return EXIT_SUCCESS;
}
