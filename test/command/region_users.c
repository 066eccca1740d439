/* SPDX-License-Identifier: MIT */
/*
 * Makes a region with an object of each kind, processes that hold them and wait for them, dead ones
 * and a stopped one; says "ready" and who is who; and goes on until its standard input ends.
 *
 *     region_users NAME [BYTES]
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

#include "asleep.h"
#include "processes.h"

enum { REGION_BYTES = 1 << 17, UNITS = 4, PARTIES = 3, LOOK_US = 1000, ROLES = 8 };

static fw_region *region;
static fw_ipc_mutex *jobs, *given_up, *signalled;
static fw_ipc_cond *cond;
static fw_ipc_rwlock *table;
static fw_ipc_sem *slots;
static fw_ipc_permits *lent;
static fw_ipc_barrier *step;
static fw_ipc_once *fill;
static pid_t users[ROLES];
static int user_count;

static void *object(const char *name, fw_region_kind kind, size_t size)
{
    void *made;

    CHECK(fw_region_object(region, name, kind, size, FW_REGION_CREATE, &made) == 0);
    return made;
}

static void make(const char *name, size_t bytes)
{
    fw_ipc_journal *journal;

    CHECK(fw_region_open(name, bytes, FW_REGION_CREATE | FW_REGION_STAMP | 0644, &region) == 0);
    jobs = object("jobs", FW_REGION_MUTEX, sizeof *jobs);
    given_up = object("given up", FW_REGION_MUTEX, sizeof *given_up);
    signalled = object("signalled", FW_REGION_MUTEX, sizeof *signalled);
    cond = object("cond", FW_REGION_COND, sizeof *cond);
    table = object("table", FW_REGION_RWLOCK, sizeof *table);
    slots = object("slots", FW_REGION_SEM, sizeof *slots);
    lent = object("lent", FW_REGION_PERMITS, fw_ipc_permits_size(UNITS));
    step = object("step", FW_REGION_BARRIER, fw_ipc_barrier_size(PARTIES));
    fill = object("fill", FW_REGION_ONCE, sizeof *fill);
    journal = object("journal", FW_REGION_JOURNAL, fw_ipc_journal_size(128));
    object("data", FW_REGION_DATA, 800);
    CHECK(fw_ipc_sem_init(slots, 2, 5) == 0 && fw_ipc_permits_init(lent, UNITS) == 0);
    CHECK(fw_ipc_barrier_init(step, PARTIES, FW_IPC_BARRIER_FAIL) == 0);
    CHECK(fw_ipc_journal_init(journal, 128) == 0);
}

static void die_with_much(void)
{
    CHECK(fw_ipc_mutex_lock(jobs) == 0 && fw_ipc_mutex_lock(given_up) == 0);
    CHECK(fw_ipc_permits_wait(lent) == 0);
    raise(SIGKILL);
}

static void repair(void)
{
    CHECK(fw_ipc_mutex_lock(jobs) == EOWNERDEAD && fw_ipc_mutex_consistent(jobs) == 0);
    CHECK(fw_ipc_mutex_lock(given_up) == EOWNERDEAD && fw_ipc_mutex_unlock(given_up) == 0);
    fw_ipc_barrier_wait(step);
}

static void want_the_mutex(void)
{
    (void)!fw_ipc_mutex_lock(jobs);
}

static int linger(void *arg)
{
    (void)arg;
    while (pause() != 0)
        ;
    return 0;
}

static void read_and_fill(void)
{
    CHECK(fw_ipc_rwlock_rdlock(table) == 0 && fw_ipc_permits_wait(lent) == 0);
    fw_ipc_once_call(fill, linger, NULL);
}

static void want_to_write(void)
{
    (void)!fw_ipc_rwlock_wrlock(table);
}

static void want_to_read(void)
{
    (void)!fw_ipc_rwlock_rdlock(table);
}

static void want_a_signal(void)
{
    CHECK(fw_ipc_mutex_lock(signalled) == 0);
    (void)!fw_ipc_cond_wait(cond, signalled);
}

static void stop(void)
{
    CHECK(fw_ipc_permits_wait(lent) == 0 && fw_ipc_barrier_join(step) == 0);
    raise(SIGSTOP);
}

/* Until it has died, was stopped, or sleeps and does not run in between. */
static void see_it_rest(pid_t child)
{
    unsigned long before, now = thread_switches(child, child);
    char state;

    do {
        before = now;
        usleep(LOOK_US);
        state = thread_state(child, child);
        CHECK(state != 0);
        now = thread_switches(child, child);
    } while (strchr("STZ", state) == NULL || now != before);
}

static void play(void *body)
{
    (*(void (**)(void))body)();
    for (;;)
        pause();
}

/* A process in that role; it has come to rest there. */
static void enter(const char *role, void (*body)(void))
{
    pid_t child = start(play, &body);

    users[user_count++] = child;
    printf("%s %d\n", role, (int)child);
    see_it_rest(child);
}

/* A waiter is killed before the holder that it waits for: nobody takes over from a dead holder. */
static void end_all(void)
{
    while (user_count > 0) {
        pid_t child = users[--user_count];
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    int letter;

    CHECK(argc == 2 || argc == 3);
    make(argv[1], argc == 3 ? strtoul(argv[2], NULL, 10) : REGION_BYTES);
    enter("dead", die_with_much);
    enter("repairer", repair);
    enter("locker", want_the_mutex);
    enter("reader", read_and_fill);
    enter("writer", want_to_write);
    enter("late", want_to_read);
    enter("sleeper", want_a_signal);
    enter("stopped", stop);
    puts("ready");
    fflush(stdout);
    while ((letter = getchar()) != EOF)
        ;
    end_all();
    return EXIT_SUCCESS;
}
