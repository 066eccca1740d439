/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/brlock.h>

#include "sys/percpu.h"
#include "thread/brlock_lines.h"

/*
 * The big-reader lock: readers that change CPUs while they read, writers, time-outs, tries;
 * the same with handlers that read in the middle of everything; writers without a pause; children;
 * and a kernel that does not help (NEVER_HELPS, NO_RSEQ: no per-CPU counters), or no longer
 * (HELPS_NO_LONGER: the writer aborts the program).
 */

enum { N_LOCKS = 2 };

/* Writers who come before there were enough readers, and after (BRLOCK_ENOUGH). */
static const uint32_t writes_one_in[N_LOCKS] = {16, 400};

/* Data under a lock.  All fields are equal whenever no writer is inside. */
struct table {
    fw_brlock lock;
    uint64_t field[16]; /* two cache lines */
};

static struct table tables[N_LOCKS];

static void check_fields(const struct table *t)
{
    uint64_t first = t->field[0];

    for (unsigned i = 1; i < 16; i++)
        if (t->field[i] != first)
            stress_fail("a reader met a writer", NULL);
}

static void change_fields(struct table *t)
{
    check_fields(t);
    for (unsigned i = 0; i < 16; i++) {
        t->field[i]++;
        __asm__ __volatile__("" ::: "memory");
    }
}

/* Goes to one of the CPUs that the program may use. */
static void migrate(struct worker *me)
{
    static cpu_set_t usable;
    static bool known;
    cpu_set_t one;
    int nth;

    if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
        if (me->index != 0 || sched_getaffinity(0, sizeof usable, &usable) != 0)
            return;
        __atomic_store_n(&known, true, __ATOMIC_RELEASE);
    }
    nth = (int)draw(me, (uint32_t)CPU_COUNT(&usable));
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable) && nth-- == 0)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static bool take_for_reading(struct worker *me, struct table *t)
{
    fw_deadline soon = in_ns(draw(me, 100000));

    switch (draw(me, 4)) {
    case 0:
        return fw_brlock_tryrdlock(&t->lock) == 0;
    case 1:
        return fw_brlock_timedrdlock(&t->lock, &soon) == 0;
    default:
        fw_brlock_rdlock(&t->lock);
        return true;
    }
}

static bool take_for_writing(struct worker *me, struct table *t)
{
    fw_deadline soon = in_ns(draw(me, 100000));

    switch (draw(me, 4)) {
    case 0:
        return fw_brlock_trywrlock(&t->lock) == 0;
    case 1:
        return fw_brlock_timedwrlock(&t->lock, &soon) == 0;
    default:
        fw_brlock_wrlock(&t->lock);
        return true;
    }
}

static void read_once(struct worker *me, struct table *t)
{
    if (!take_for_reading(me, t))
        return;
    check_fields(t);
    if (draw(me, 64) == 0)
        migrate(me);
    if (draw(me, 256) == 0)
        sleep_us(draw(me, 50));
    check_fields(t);
    fw_brlock_rdunlock(&t->lock);
}

static void write_once(struct worker *me, struct table *t)
{
    if (!take_for_writing(me, t))
        return;
    change_fields(t);
    if (draw(me, 64) == 0)
        sleep_us(draw(me, 50));
    fw_brlock_wrunlock(&t->lock);
}

/* From then on readers use the counters, if there are any. */
static void read_enough(fw_brlock *l)
{
    for (unsigned i = 0; i < BRLOCK_ENOUGH; i++) {
        fw_brlock_rdlock(l);
        fw_brlock_rdunlock(l);
    }
}

static void mixed(struct worker *me)
{
    do {
        unsigned i = draw(me, 3) != 0;
        struct table *t = &tables[i];

        did_a_turn(me);
        if (draw(me, writes_one_in[i]) == 0)
            write_once(me, t);
        else
            read_once(me, t);
    } while (!stress_is_over());
}

static void read_in_handler(int signal)
{
    int saved_errno = errno;

    (void)signal;
    for (unsigned i = 0; i < N_LOCKS; i++)
        if (fw_brlock_tryrdlock(&tables[i].lock) == 0) {
            check_fields(&tables[i]);
            fw_brlock_rdunlock(&tables[i].lock);
        }
    errno = saved_errno;
}

static void signalled(struct worker *me)
{
    timer_t timer;
    struct sigevent to_me = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 60000}, {0, 60000}};

    to_me._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &to_me, &timer) != 0)
        stress_fail("no timer", NULL);
    timer_settime(timer, 0, &every, NULL);
    mixed(me);
    timer_delete(timer);
}

/* The first two only write, and the others only read: the watchdog sees who does not get on. */
static void writers(struct worker *me)
{
    do {
        did_a_turn(me);
        if (me->index < 2) {
            fw_brlock_wrlock(&tables[0].lock);
            change_fields(&tables[0]);
            fw_brlock_wrunlock(&tables[0].lock);
        } else {
            fw_brlock_rdlock(&tables[0].lock);
            check_fields(&tables[0]);
            fw_brlock_rdunlock(&tables[0].lock);
        }
    } while (!stress_is_over());
}

static void forking(struct worker *me)
{
    do {
        struct table own = {.field = {0}};
        pid_t child;

        did_a_turn(me);
        if (fw_brlock_init(&own.lock) != 0)
            stress_fail("no memory", NULL);
        if (draw(me, 2) == 0)
            read_enough(&own.lock);
        fw_brlock_rdlock(&own.lock);
        child = stress_fork();
        fw_brlock_rdunlock(&own.lock); /* both hold it, each its own */
        for (unsigned i = 0; i < 1000; i++)
            write_once(me, &own);
        fw_brlock_destroy(&own.lock);
        if (child == 0)
            _exit(0);
        stress_forked(child);
    } while (!stress_is_over());
}

/* A lock with counters in use stops its writer; one that is made now has none, and works. */
static int late(void)
{
    bool had_counters = tables[0].lock.counters_ != 0;
    int status = 0;
    pid_t child;

    read_enough(&tables[0].lock);
    if (!refuse_system_call(SYS_membarrier, EPERM))
        return SKIPPED;
    child = fork();
    if (child == 0) {
        freopen("/dev/null", "w", stderr);
        fw_brlock_wrlock(&tables[0].lock);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (had_counters != (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT))
        stress_fail("the writer does not stop where it must, or stops where it need not", NULL);
    for (unsigned i = 0; i < N_LOCKS; i++) {
        fw_brlock_destroy(&tables[i].lock);
        if (fw_brlock_init(&tables[i].lock) != 0 || tables[i].lock.counters_ != 0)
            stress_fail("a new lock counts on the kernel's help", NULL);
    }
    return EXIT_SUCCESS;
}

static int begin(void)
{
    struct sigaction action = {.sa_handler = read_in_handler, .sa_flags = SA_RESTART};
    int status = 0;

    for (unsigned i = 0; i < N_LOCKS; i++)
        if (fw_brlock_init(&tables[i].lock) != 0)
            return EXIT_FAILURE;
    if (stress_test->variant == HELPS_NO_LONGER) {
        status = late();
    } else if (stress_test->variant != HELPS) {
        status = restart_without_help(stress_test->variant);
        if (status == 0 && tables[0].lock.counters_ != 0)
            stress_fail("counts on the kernel's help where there is none", NULL);
    }
    sigaction(SIGUSR1, &action, NULL);
    return status;
}

static void end(void)
{
    for (unsigned i = 0; i < N_LOCKS; i++)
        fw_brlock_destroy(&tables[i].lock);
}

#define COMMON .begin = begin, .end = end

const struct stress_test brlock_tests[] = {
    {"brlock", "Big-reader locks", mixed, 200000, COMMON},
    {"brlock_signals", "Big-reader locks, and handlers that read", signalled, 100000, COMMON},
    {"brlock_writers", "Writers without a pause", writers, 4000000, COMMON},
    {"brlock_fork", "Children of threads that read", forking, 150, COMMON, .has_to_fork = true},
    {"brlock_early", "A kernel that never helps", mixed, 200000, COMMON, .variant = NEVER_HELPS},
    {"brlock_no-rseq", "A C library that does not help", mixed, 200000, COMMON, .variant = NO_RSEQ},
    {"brlock_late", "A kernel that helps no longer", mixed, 200000, COMMON,
     .variant = HELPS_NO_LONGER},
    {0}};
