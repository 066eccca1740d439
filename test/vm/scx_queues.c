/* SPDX-License-Identifier: MIT */
/*
 * Queues and ceilings where tasks die, are taken away from their CPU, or get another policy: a task
 * that waits gets the lock, and hears of a death.  And what is left behind: the dead of a user keep
 * one slot; a thread that calls exec is no task in its new program; a CPU that goes offline takes
 * its tasks' leave, and not the scheduler.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt/decide.h"
#include "scx.h"

enum { KEY = 6 };

/* What child processes tell. */
static struct {
    uint32_t has, asks, done, go;
    uint32_t result;
} * notes;

static unsigned open_lock(struct scx_task *t, const char *name, enum fw_rt_kind kind)
{
    unsigned d, error = scx_open(t, name, kind, 0, &d);

    scx_check(error == 0, "open %s: %s", name, strerror((int)error));
    return d;
}

static unsigned join_and_open(struct scx_task *t, unsigned cpu, unsigned base, enum fw_rt_kind kind)
{
    scx_join(t, KEY, "queues", cpu, base);
    return open_lock(t, kind == FW_RT_KIND_PCP ? "P" : "L", kind);
}

static unsigned try_queue(struct scx_task *t, unsigned d)
{
    uint64_t empty = 0;

    __atomic_fetch_or(&t->page->locked, fw_rt_bit(d), __ATOMIC_SEQ_CST);
    if (__atomic_compare_exchange_n(&t->shared->queue[d], &empty, fw_rt_bit(t->slot), false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return 0;
    __atomic_fetch_and(&t->page->locked, ~fw_rt_bit(d), __ATOMIC_SEQ_CST);
    return scx_ask(t, FW_RT_SCX_TRY, d);
}

/* A process that takes the lock, and stays in the section, or calls exec in it. */
static pid_t hire_owner(unsigned cpu, enum fw_rt_kind kind, const char *name, bool calls_exec)
{
    pid_t child = fork();

    if (child == 0) {
        struct scx_task t;

        scx_join(&t, KEY, "owner", cpu, 5);
        scx_check(scx_lock(&t, kind, open_lock(&t, name, kind)) == 0, "lock");
        scx_set(&notes->has);
        if (calls_exec)
            execl("/proc/self/exe", "scx_queues", "bounded wait", (char *)NULL);
        for (;;)
            scx_sleep_ms(1);
    }
    scx_await(&notes->has, "an owner");
    return child;
}

/* A process that waits for the lock, and tells what it got. */
static pid_t hire_waiter(unsigned cpu, enum fw_rt_kind kind)
{
    pid_t child = fork();

    if (child == 0) {
        struct scx_task t;
        unsigned d = join_and_open(&t, cpu, 6, kind);

        scx_set(&notes->asks);
        notes->result = scx_lock(&t, kind, d);
        scx_set(&notes->done);
        scx_unlock(&t, kind, d);
        scx_leave(&t);
        _exit(EXIT_SUCCESS);
    }
    scx_await(&notes->asks, "a waiter");
    SCX_UNTIL(scx_state()->state.task[1].request != 0 || scx_state()->state.task[2].request != 0);
    return child;
}

static void forget(void)
{
    memset(notes, 0, sizeof *notes);
}

/* ---- Deaths ---- */

static void test_try_after_death(enum fw_rt_kind kind)
{
    struct scx_task t;
    unsigned d = join_and_open(&t, 0, 10, kind), result;

    forget();
    scx_kill(hire_owner(1, kind, "L", false));
    result = try_queue(&t, d);
    scx_check(result == EOWNERDEAD, "try after a death: %u", result);
    scx_unlock(&t, kind, d);
    scx_check(scx_lock(&t, kind, d) == 0, "lock");
    scx_unlock(&t, kind, d);
    scx_leave(&t);
}

/* While somebody tries, or leaves: its bit is in the page, and it has not the lock. */
static void test_death_beside_a_try(enum fw_rt_kind kind, bool tries)
{
    struct scx_task t;
    unsigned d = join_and_open(&t, 0, 10, kind);
    pid_t owner, waiter;

    forget();
    owner = hire_owner(1, kind, "L", false);
    waiter = hire_waiter(1, kind);
    __atomic_fetch_or(&t.page->locked, fw_rt_bit(d), __ATOMIC_SEQ_CST);
    scx_kill(owner);
    __atomic_fetch_and(&t.page->locked, ~fw_rt_bit(d), __ATOMIC_SEQ_CST);
    if (tries)
        scx_check(scx_ask(&t, FW_RT_SCX_TRY, d) == EBUSY, "try");
    scx_await(&notes->done, "the lock of a dead owner");
    scx_check(notes->result == EOWNERDEAD, "lock after a death: %u", notes->result);
    scx_finish(waiter);
    scx_leave(&t);
}

/* ---- Who is away ---- */

enum how { BY_AFFINITY, BY_POLICY };

static void go_away(struct scx_task *t, enum how how, unsigned cpu)
{
    if (how == BY_AFFINITY)
        scx_pin(0, cpu);
    else
        scx_become_urgent();
    scx_check(t->page->away != 0, "it is not away (%s)",
              how == BY_AFFINITY ? "affinity" : "policy");
}

static void come_back(enum how how, unsigned cpu)
{
    struct sched_param usual = {.sched_priority = 0};

    if (how == BY_AFFINITY)
        scx_pin(0, cpu);
    else
        sched_setscheduler(0, SCHED_OTHER, &usual);
}

/* It waits in a queue, gets the lock, and passes it on. */
static pid_t hire_stray(enum fw_rt_kind kind, enum how how)
{
    pid_t child = fork();

    if (child == 0) {
        struct scx_task t;
        unsigned d = join_and_open(&t, 1, 5, kind);

        go_away(&t, how, 0);
        scx_set(&notes->asks);
        notes->result = scx_lock(&t, kind, d);
        scx_set(&notes->has);
        scx_await(&notes->go, "go");
        scx_unlock(&t, kind, d);
        come_back(how, 1);
        scx_leave(&t);
        _exit(EXIT_SUCCESS);
    }
    return child;
}

static void test_queue_away(enum fw_rt_kind kind, enum how how)
{
    struct scx_task t;
    unsigned d = join_and_open(&t, 0, 10, kind);
    pid_t child;

    forget();
    scx_check(scx_lock(&t, kind, d) == 0, "lock");
    child = hire_stray(kind, how);
    scx_await(&notes->asks, "a task that is away");
    scx_sleep_ms(10);
    scx_check(!scx_is_set(&notes->has), "it has what another one has");
    scx_unlock(&t, kind, d);
    scx_await(&notes->has, "the lock, for one that is away");
    scx_check(notes->result == 0, "lock of one that is away: %u", notes->result);
    scx_set(&notes->go);
    scx_check(scx_lock(&t, kind, d) == 0, "lock");
    scx_unlock(&t, kind, d);
    scx_finish(child);
    scx_leave(&t);
}

/* It leaves its section while nobody sees it. */
static void test_ceiling_away(enum how how)
{
    struct scx_task t;
    unsigned d;
    pid_t child;

    forget();
    child = fork();
    if (child == 0) {
        d = join_and_open(&t, 1, 5, FW_RT_KIND_PCP);
        scx_check(scx_lock(&t, FW_RT_KIND_PCP, d) == 0, "lock");
        go_away(&t, how, 0);
        scx_set(&notes->has);
        scx_await(&notes->go, "go");
        scx_sleep_ms(10);
        __atomic_fetch_and(&t.page->locked, ~fw_rt_bit(d), __ATOMIC_SEQ_CST);
        scx_await(&notes->done, "the other one");
        notes->result = scx_ask(&t, FW_RT_SCX_LOCK, d);
        come_back(how, 1);
        scx_leave(&t);
        _exit(EXIT_SUCCESS);
    }
    scx_await(&notes->has, "an owner");
    d = join_and_open(&t, 1, 10, FW_RT_KIND_PCP);
    scx_set(&notes->go);
    scx_check(scx_lock(&t, FW_RT_KIND_PCP, d) == 0, "lock");
    scx_set(&notes->done);
    scx_unlock(&t, FW_RT_KIND_PCP, d);
    scx_finish(child);
    scx_check(notes->result == EXDEV, "lock of one that is away: %u", notes->result);
    scx_leave(&t);
}

static pthread_mutex_t lender;

static void *urgent(void *unused)
{
    scx_become_urgent();
    pthread_mutex_lock(&lender);
    pthread_mutex_unlock(&lender);
    return unused;
}

/* The kernel lends it the priority of a real-time thread, and with it another class. */
static void test_lent_priority(void)
{
    pthread_mutexattr_t attributes;
    struct scx_task t;
    pthread_t thread;
    unsigned d, result;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lender, &attributes);
    d = join_and_open(&t, 0, 5, FW_RT_KIND_PCP);
    pthread_mutex_lock(&lender);
    thread = scx_thread(urgent, 0);
    for (unsigned i = 0; i < 1000 && (t.page->locked & FW_RT_CAN_LOCK); i++)
        scx_sleep_ms(1);
    scx_check(t.page->away != 0, "it is in another class, and not away");
    result = scx_ask(&t, FW_RT_SCX_LOCK, d);
    scx_check(result == EXDEV, "lock of one that is away: %u", result);
    pthread_mutex_unlock(&lender);
    pthread_join(thread, NULL);
    scx_check(t.page->away == 0, "it is back, and away");
    scx_check(scx_lock(&t, FW_RT_KIND_PCP, d) == 0, "lock");
    scx_unlock(&t, FW_RT_KIND_PCP, d);
    scx_leave(&t);
}

/* ---- What is left behind ---- */

static unsigned dead_slots(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        n += scx_state()->state.task[i].state == FW_RT_DEAD;
    return n;
}

/* The dead of a user keep one slot, however many locks they have taken along. */
static void test_dead_share_a_slot(void)
{
    enum { N = 4 };
    struct scx_task t;
    unsigned d[N];

    scx_join(&t, KEY, "next", 0, 10);
    for (unsigned i = 0; i < N; i++) {
        char name[2] = {(char)('a' + i), '\0'};

        d[i] = open_lock(&t, name, FW_RT_KIND_MPCP);
        forget();
        scx_kill(hire_owner(1, FW_RT_KIND_MPCP, name, false));
        SCX_UNTIL(dead_slots() == 1);
    }
    for (unsigned i = 0; i < N; i++) {
        unsigned result = scx_lock(&t, FW_RT_KIND_MPCP, d[i]);

        scx_check(result == EOWNERDEAD, "lock %u of the dead: %u", i, result);
        scx_unlock(&t, FW_RT_KIND_MPCP, d[i]);
    }
    scx_check(dead_slots() == 0, "%u dead are left", dead_slots());
    scx_leave(&t);
}

/* Its task is moved; the scheduler goes on, also when the CPU is back. */
static void test_cpu_that_goes(void)
{
    static const char file[] = "/sys/devices/system/cpu/cpu1/online";
    pid_t child;

    forget();
    scx_pin(0, 0);
    child = fork();
    if (child == 0) {
        struct scx_task t;
        unsigned d = join_and_open(&t, 1, 5, FW_RT_KIND_PCP);

        scx_set(&notes->has);
        scx_await(&notes->go, "go");
        scx_check(t.page->away != 0, "its CPU is gone, and it is there");
        scx_check(scx_ask(&t, FW_RT_SCX_LOCK, d) == EXDEV, "lock");
        scx_leave(&t);
        _exit(EXIT_SUCCESS);
    }
    scx_await(&notes->has, "a task");
    scx_write_file(file, "0");
    scx_check(scx_state()->state.alive == 1, "a CPU goes, and the scheduler too");
    scx_set(&notes->go);
    scx_finish(child);
    scx_write_file(file, "1");
    scx_sleep_ms(10);
    scx_check(scx_state()->state.alive == 1, "a CPU comes, and the scheduler goes");
}

/* Its section counts as died in, and the slot is free, while the thread lives on. */
static void test_exec(void)
{
    struct scx_task t;
    unsigned d, n = 0;
    pid_t child;

    scx_join(&t, KEY, "next", 0, 10);
    d = open_lock(&t, "E", FW_RT_KIND_MPCP);
    forget();
    child = hire_owner(1, FW_RT_KIND_MPCP, "E", true);
    scx_check(scx_lock(&t, FW_RT_KIND_MPCP, d) == EOWNERDEAD, "a section that ended by exec");
    scx_unlock(&t, FW_RT_KIND_MPCP, d);
    scx_check(waitpid(child, NULL, WNOHANG) == 0, "it does not live");
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        n += scx_state()->state.task[i].state != FW_RT_FREE;
    scx_check(n == 1, "%u tasks", n);
    scx_kill(child);
    scx_leave(&t);
}

int main(int words, char **word)
{
    static const enum fw_rt_kind kinds[] = {FW_RT_KIND_MPCP, FW_RT_KIND_FMLP};

    if (words > 1 && strcmp(word[1], "bounded wait") == 0)
        for (;;)
            scx_sleep_ms(1);
    scx_need_vm();
    alarm(100);
    notes = scx_shared_memory(sizeof *notes);
    scx_start();
    for (unsigned i = 0; i < 2; i++) {
        test_death_beside_a_try(kinds[i], true);
        test_death_beside_a_try(kinds[i], false);
        test_try_after_death(kinds[i]);
        for (enum how how = BY_AFFINITY; how <= BY_POLICY; how++)
            test_queue_away(kinds[i], how);
    }
    for (enum how how = BY_AFFINITY; how <= BY_POLICY; how++)
        test_ceiling_away(how);
    test_lent_priority();
    printf("all have got their locks\n");
    test_dead_share_a_slot();
    test_exec();
    test_cpu_that_goes();
    printf("one slot for the dead; no task after exec; a CPU has gone and come\n");
    scx_stop();
    return EXIT_SUCCESS;
}
