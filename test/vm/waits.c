/* SPDX-License-Identifier: MIT */
/*
 * furwock top, record, report and who on the kernel of a virtual machine: the programs for the
 * kernel load, the lock that threads wait for is found, also from outside of the pid namespace in
 * which the program runs; and inside of one top says what it needs.
 *
 *     waits FURWOCK
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/mutex.h>
#include <furwock/name.h>

#include "test/support/run_program.h"

enum { SKIPPED = 77, FAILED = 1, STUCK = 3, THREADS = 4, MOST_SAID = 1 << 20, HOLD_US = 2000 };

static const char *program;
static char said[MOST_SAID];
static pthread_mutex_t hot_lock = PTHREAD_MUTEX_INITIALIZER;
static fw_mutex hot_native;

static void fail(const char *what, ...)
{
    va_list words;

    va_start(words, what);
    vfprintf(stderr, what, words);
    va_end(words);
    fputc('\n', stderr);
    exit(FAILED);
}

/* --- What is to be found ---------------------------------------------------------------------- */

static void *hot_place(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&hot_lock);
        usleep(HOLD_US);
        pthread_mutex_unlock(&hot_lock);
    }
    return unused;
}

static void *hot_native_place(void *unused)
{
    for (;;) {
        fw_mutex_lock(&hot_native);
        usleep(HOLD_US);
        fw_mutex_unlock(&hot_native);
    }
    return unused;
}

static void be_hot(void)
{
    pthread_t thread;

    if (fw_name(&hot_native, "native cache") != 0)
        fail("no name");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, hot_place, NULL) != 0 ||
            pthread_create(&thread, NULL, hot_native_place, NULL) != 0)
            fail("no thread");
    for (;;)
        pause();
}

/* Of itself: two threads, each with the lock that the other one wants. */
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_have_one;

static void *cross(void *is_left)
{
    pthread_mutex_lock(is_left != NULL ? &left : &right);
    pthread_barrier_wait(&both_have_one);
    pthread_mutex_lock(is_left != NULL ? &right : &left);
    return NULL;
}

static void be_stuck(void)
{
    pthread_t thread;

    pthread_barrier_init(&both_have_one, NULL, 2);
    if (pthread_create(&thread, NULL, cross, NULL) != 0)
        fail("no thread");
    cross(&left);
}

/*
 * The process that runs it; in a pid namespace of its own: by the number that it has outside.  (The
 * C library's records of that one's first thread are its parent's.)
 */
static pid_t start(void (*body)(void), bool is_apart)
{
    unsigned long apart = SIGCHLD | CLONE_NEWPID | CLONE_NEWNS;
    pid_t child = is_apart ? (pid_t)syscall(SYS_clone, apart, 0, 0, 0, 0) : fork();

    if (child < 0)
        fail("clone: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body();
        _exit(FAILED);
    }
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* --- Who finds it ----------------------------------------------------------------------------- */

/* Runs it, with up to eight words, and keeps what it prints in `said`. */
static int furwock(const char *first, ...)
{
    const char *words[10] = {program, first};
    int status, n = 2;
    va_list rest;

    va_start(rest, first);
    while (n < 9 && (words[n] = va_arg(rest, const char *)) != NULL)
        n++;
    va_end(rest);
    status = run_program(0, words, said, sizeof said);
    if (status < 0)
        fail("no process: %s", strerror(errno));
    return status;
}

static void expect(int status, int is, const char *words)
{
    if (is != status || strstr(said, words) == NULL)
        fail("status %d, not %d; or no \"%s\" in: %s", is, status, words, said);
}

static void find_hot(bool is_apart)
{
    pid_t child = start(be_hot, is_apart);
    char pid[20];

    snprintf(pid, sizeof pid, "%d", (int)child);
    expect(0, furwock("top", "--once", "--interval=2", "--frames=0", "-p", pid, NULL), "hot_lock");
    expect(0, 0, "native cache");
    expect(0, 0, "fw mutex");
    if (strstr(said, "hot_place (") == NULL && strstr(said, "hot_place+") == NULL)
        fail("no place in: %s", said);
    expect(0, furwock("record", "--seconds=1", "--output=/tmp/waits", "-p", pid, NULL), "");
    expect(0, furwock("report", "/tmp/waits", NULL), "hot_lock");
    end(child);
}

static void find_deadlock(void)
{
    pid_t child = start(be_stuck, false);
    char pid[20];
    int status = 0;

    snprintf(pid, sizeof pid, "%d", (int)child);
    for (int i = 0; i < 600 && status != STUCK; i++) {
        usleep(100000);
        status = furwock("who", "-p", pid, NULL);
    }
    expect(STUCK, status, "Deadlock 1: 2 threads wait for one another");
    end(child);
}

static void look_from_inside(void)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 && errno != EINVAL)
        fail("mounts: %s", strerror(errno));
    if (mount("proc", "/proc", "proc", 0, NULL) != 0)
        fail("no /proc: %s", strerror(errno));
    if (furwock("top", "--once", "-p", "1", NULL) != FAILED ||
        strstr(said, "works outside of containers only") == NULL)
        fail("inside of a pid namespace: %s", said);
    _exit(0);
}

int main(int argc, char **argv)
{
    int status;

    if (argc != 2)
        return FAILED;
    program = argv[1];
    if (access(program, X_OK) != 0) {
        printf("skipped: %s comes by tools/vm: make test-vm-waits\n", program);
        return SKIPPED;
    }
    if (furwock("top", "--once", "--interval=0.1", "-a", NULL) != 0) {
        printf("skipped: %s", said);
        return access("/sys/kernel/btf/vmlinux", R_OK) == 0 ? FAILED : SKIPPED;
    }
    find_hot(false);
    find_deadlock();
    find_hot(true);
    status = -1;
    waitpid(start(look_from_inside, true), &status, 0);
    if (status != 0)
        fail("look_from_inside: %d", status);
    return 0;
}
