/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/brlock.h>

#include "sys/percpu.h"

/*
 * The big-reader lock: modes
 *   mixed     readers that change processors while they read, writers, time-outs, tries
 *   signals   handlers that read, in the middle of everything
 *   gone      the last user destroys the lock and frees its memory, at once
 *   writers   writers without a pause: readers must get in
 *   fork      children of a thread that reads
 *   early     membarrier is refused from the start: no counters of processors
 *   no-rseq   the C library registers no restartable sequences: the same
 *   late      membarrier is refused once there is a lock: the writer stops the program
 */

enum { N_LOCKS = 2, SKIPPED = 77, WRITES_ONE_IN = 16 };

/* Data under a lock.  All fields are equal whenever no writer is inside. */
struct table {
    fw_brlock lock;
    uint64_t field[16]; /* two cache lines */
    unsigned users_left;
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

/* Goes to one of the processors that the program may use. */
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

static void mixed(struct worker *me)
{
    do {
        struct table *t = &tables[draw(me, 3) == 0];

        did_a_turn(me);
        if (draw(me, WRITES_ONE_IN) == 0)
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

/* Whoever finds, inside, that it is the last destroys the lock; others are on their way out. */
static bool leave_reading(struct table *t)
{
    bool is_last;

    fw_brlock_rdlock(&t->lock);
    check_fields(t);
    is_last = __atomic_sub_fetch(&t->users_left, 1, __ATOMIC_ACQ_REL) == 0;
    fw_brlock_rdunlock(&t->lock);
    return is_last;
}

static bool leave_writing(struct table *t)
{
    bool is_last;

    fw_brlock_wrlock(&t->lock);
    change_fields(t);
    is_last = __atomic_sub_fetch(&t->users_left, 1, __ATOMIC_ACQ_REL) == 0;
    fw_brlock_wrunlock(&t->lock);
    return is_last;
}

/* One table in two has one reader and writers; the other readers only, of whom one ends it. */
static void leave_for_good(struct worker *me, unsigned i, struct table *t)
{
    bool all_read = i % 2 != 0, reads = all_read || i / 2 % stress.threads == me->index;

    if (!(reads ? leave_reading(t) : leave_writing(t)))
        return;
    if (all_read) { /* others may still be inside */
        fw_brlock_wrlock(&t->lock);
        fw_brlock_wrunlock(&t->lock);
    }
    fw_brlock_destroy(&t->lock);
    memset(t, 0xff, sizeof *t);
    free(t);
}

enum { BATCH = 200 };

static struct table *mortal[BATCH];
static pthread_barrier_t batch_begins, batch_ends;
static bool is_last_batch;

static void gone(struct worker *me)
{
    do {
        did_a_turn(me);
        if (pthread_barrier_wait(&batch_ends) == PTHREAD_BARRIER_SERIAL_THREAD) {
            for (int i = 0; i < BATCH; i++) {
                mortal[i] = calloc(1, sizeof *mortal[i]);
                if (mortal[i] == NULL || fw_brlock_init(&mortal[i]->lock) != 0)
                    stress_fail("no memory", NULL);
                mortal[i]->users_left = stress.threads;
            }
            is_last_batch = stress_is_over();
        }
        pthread_barrier_wait(&batch_begins);
        for (unsigned i = 0; i < BATCH; i++)
            leave_for_good(me, i, mortal[i]);
    } while (!is_last_batch);
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
        struct table own = {.users_left = 0};
        pid_t child;
        int status;

        did_a_turn(me);
        if (fw_brlock_init(&own.lock) != 0)
            stress_fail("no memory", NULL);
        fw_brlock_rdlock(&own.lock);
        child = fork();
        if (child < 0)
            stress_fail("no child", NULL);
        fw_brlock_rdunlock(&own.lock); /* both hold it, each its own */
        for (unsigned i = 0; i < 1000; i++)
            write_once(me, &own);
        fw_brlock_destroy(&own.lock);
        if (child == 0)
            _exit(0);
        if (waitpid(child, &status, 0) != child || status != 0)
            stress_fail("a child failed", NULL);
    } while (!stress_is_over());
}

static bool refuse_membarrier(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A lock with counters stops its writer; one that is made now has none, and works. */
static int late(void)
{
    bool had_counters = tables[0].lock.counters_ != 0;
    int status = 0;
    pid_t child;

    if (!refuse_membarrier(EPERM))
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

/* Brings the process into the state that the mode names, or returns an exit status. */
static int prepare(char **argv)
{
    bool again = getenv("FURWOCK_STRESS_AGAIN") != NULL;

    if (strcmp(stress.mode, "late") == 0)
        return late();
    if (strcmp(stress.mode, "early") != 0 && strcmp(stress.mode, "no-rseq") != 0)
        return EXIT_SUCCESS;
    if (again) {
        if (tables[0].lock.counters_ != 0)
            stress_fail("counts on the kernel's help where there is none", NULL);
        return EXIT_SUCCESS;
    }
    if (strcmp(stress.mode, "no-rseq") == 0)
        setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
    else if (!refuse_membarrier(ENOSYS))
        return SKIPPED;
    setenv("FURWOCK_STRESS_AGAIN", "1", 1);
    execv("/proc/self/exe", argv);
    perror("execv");
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = read_in_handler, .sa_flags = SA_RESTART};
    static const struct {
        const char *mode;
        void (*body)(struct worker *me);
    } modes[] = {{"mixed", mixed},     {"signals", signalled}, {"gone", gone},
                 {"writers", writers}, {"fork", forking},      {"early", mixed},
                 {"no-rseq", mixed},   {"late", mixed}};
    void (*body)(struct worker * me) = NULL;
    int status;

    stress.about = "Big-reader locks: mixed, signals, gone, writers, fork, early, no-rseq or late";
    stress.mode = "mixed";
    stress_begin(argc, argv);
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(stress.mode, modes[i].mode) == 0)
            body = modes[i].body;
    if (body == NULL) {
        fprintf(stderr, "%s\n", stress.about);
        return 2;
    }
    for (unsigned i = 0; i < N_LOCKS; i++)
        if (fw_brlock_init(&tables[i].lock) != 0)
            return EXIT_FAILURE;
    status = prepare(argv);
    if (status != EXIT_SUCCESS)
        return status;
    sigaction(SIGUSR1, &action, NULL);
    pthread_barrier_init(&batch_begins, NULL, stress.threads);
    pthread_barrier_init(&batch_ends, NULL, stress.threads);
    stress_run(stress.threads, body);
    for (unsigned i = 0; i < N_LOCKS; i++)
        fw_brlock_destroy(&tables[i].lock);
    return stress_end();
}
