/* SPDX-License-Identifier: MIT */
/*
 * PCP-DU-PF in a virtual machine: the protocol's order, no calls where nobody is in the way, a
 * killed owner; and a storm in which the scheduler ends, after which exclusion still holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/sched/loader.h"
#include "library.h"
#include "scx.h"

enum { TASKS = 6, ENDS = 4, PAIRS = 20000, STORM_MS = 300 };
enum { L, M, N, H, MOST };

static fw_rt_group *group;

static fw_rt_task *begin(unsigned cpu, unsigned priority)
{
    struct fw_rt_task_options options = {.cpu = (int)cpu, .priority = (int)priority};
    fw_rt_task *task;

    CHECK_ZERO(fw_rt_task_begin(&task, group, &options));
    return task;
}

static unsigned open_gated(fw_rt_task *task, const char *name)
{
    unsigned lock;

    CHECK_ZERO(fw_rt_open(task, name, FW_RT_PCP_DU_PF, 0, &lock));
    return lock;
}

/* ---- The order: as scx_traces.c has it for PCP-DU-BOOL ---- */

static sem_t go[MOST], ready;

static fw_rt_task *get_ready(int i, unsigned priority, const char *name, unsigned *lock)
{
    fw_rt_task *task = begin(1, priority);

    if (name != NULL)
        *lock = open_gated(task, name);
    sem_post(&ready);
    sem_wait(&go[i]);
    return task;
}

static void *low(void *unused)
{
    unsigned a;
    fw_rt_task *task = get_ready(L, 10, "A", &a);

    CHECK_ZERO(fw_rt_lock(task, a));
    scx_say('a');
    sem_post(&go[M]);
    SCX_UNTIL(scx_has_said('m')); /* it asks for B, and may not have it */
    scx_burn_ms(3);
    scx_say('1');
    sem_post(&go[N]);
    scx_burn_ms(5); /* for M, which is more urgent than N */
    scx_say('2');
    sem_post(&go[H]);
    SCX_UNTIL(scx_has_said('h'));
    scx_burn_ms(3);
    scx_say('3');
    CHECK_ZERO(fw_rt_unlock(task, a));
    scx_say('z');
    CHECK_ZERO(fw_rt_task_end(task));
    return unused;
}

static void *middle(void *unused)
{
    unsigned b;
    fw_rt_task *task = get_ready(M, 20, "B", &b);

    scx_say('m');
    CHECK_ZERO(fw_rt_lock(task, b));
    scx_say('b');
    scx_burn_ms(3);
    CHECK_ZERO(fw_rt_unlock(task, b));
    scx_say('y');
    CHECK_ZERO(fw_rt_task_end(task));
    return unused;
}

static void *no_locks(void *unused)
{
    fw_rt_task *task = get_ready(N, 15, NULL, NULL);

    scx_say('n');
    scx_burn_ms(3);
    scx_say('x');
    CHECK_ZERO(fw_rt_task_end(task));
    return unused;
}

static void *high(void *unused)
{
    unsigned a;
    fw_rt_task *task = get_ready(H, 40, "A", &a);

    scx_say('h');
    scx_burn_ms(3);
    CHECK_ZERO(fw_rt_lock(task, a));
    scx_say('A');
    scx_burn_ms(3);
    CHECK_ZERO(fw_rt_unlock(task, a));
    scx_say('w');
    CHECK_ZERO(fw_rt_task_end(task));
    return unused;
}

static void test_order(void)
{
    static void *(*const all[])(void *) = {low, middle, no_locks, high};
    static const char want[] = "am12h3Awbynxz";
    pthread_t threads[MOST];

    scx_forget();
    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    sem_init(&ready, 0, 0);
    for (int i = 0; i < MOST; i++) {
        sem_init(&go[i], 0, 0);
        CHECK_ZERO(pthread_create(&threads[i], NULL, all[i], NULL));
        sem_wait(&ready);
    }
    sem_post(&go[L]);
    for (int i = 0; i < MOST; i++)
        pthread_join(threads[i], NULL);
    CHECK_ZERO(fw_rt_group_close(group));
    scx_check(strcmp(scx_said(), want) == 0, "order: %s expected", want);
    scx_check(scx_state()->counts.closed > 0, "no permit was closed");
    printf("PCP-DU-PF: %s\n", want);
}

/* ---- One alone ---- */

static void stay_alone(void)
{
    fw_rt_task *task;
    unsigned a, b;

    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    task = begin(1, 10);
    a = open_gated(task, "A");
    b = open_gated(task, "B");
    CHECK_ZERO(prctl(PR_SET_SECCOMP, 1 /* read, write, exit, and nothing else */));
    for (unsigned i = 0; i < PAIRS; i++)
        if (fw_rt_lock(task, a) != 0 || fw_rt_lock(task, b) != 0 || fw_rt_unlock(task, b) != 0 ||
            fw_rt_unlock(task, a) != 0)
            syscall(SYS_exit, 1);
    syscall(SYS_exit, 0);
}

static void test_alone(void)
{
    uint64_t requests;
    fw_rt_task *task;
    unsigned lock;
    pid_t child;
    int status;

    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    task = begin(1, 10);
    lock = open_gated(task, "A");
    requests = scx_state()->counts.requests;
    for (unsigned i = 0; i < 1000; i++) {
        CHECK_ZERO(fw_rt_lock(task, lock));
        CHECK_ZERO(fw_rt_unlock(task, lock));
        CHECK_ZERO(fw_rt_trylock(task, lock));
        CHECK_ZERO(fw_rt_unlock(task, lock));
    }
    scx_check(scx_state()->counts.requests == requests, "it asks without need");
    CHECK_ZERO(fw_rt_lock(task, lock));
    scx_check(fw_rt_lock(task, lock) == EDEADLK, "locked twice");
    CHECK_ZERO(fw_rt_unlock(task, lock));
    CHECK_ZERO(fw_rt_task_end(task));
    CHECK_ZERO(fw_rt_group_close(group));
    child = fork();
    if (child == 0)
        stay_alone();
    scx_check(waitpid(child, &status, 0) == child && status == 0, "seccomp: status %d", status);
    printf("no system call in %u pairs\n", 2u * PAIRS);
}

/* ---- An owner is killed ---- */

static void test_killed(void)
{
    fw_rt_task *task;
    unsigned lock;
    int ends[2];
    char letter = 'g';
    pid_t child;

    scx_check(pipe(ends) == 0, "pipe");
    child = fork();
    if (child == 0) {
        CHECK_ZERO(fw_rt_group_open(&group, "/killed", FW_RT_TIER_B));
        task = begin(1, 10);
        lock = open_gated(task, "A");
        /* A lock that nobody else has opened would be gone with its owner. */
        scx_check(read(ends[0], &letter, 1) == 1, "read");
        CHECK_ZERO(fw_rt_lock(task, lock));
        kill(getpid(), SIGKILL);
    }
    CHECK_ZERO(fw_rt_group_open(&group, "/killed", FW_RT_TIER_B));
    task = begin(1, 20);
    lock = open_gated(task, "A");
    scx_check(write(ends[1], &letter, 1) == 1, "write");
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    scx_check(fw_rt_lock(task, lock) == EOWNERDEAD, "EOWNERDEAD expected (%s)", fw_rt_strerror());
    CHECK_ZERO(fw_rt_unlock(task, lock));
    CHECK_ZERO(fw_rt_lock(task, lock));
    CHECK_ZERO(fw_rt_unlock(task, lock));
    CHECK_ZERO(fw_rt_task_end(task));
    CHECK_ZERO(fw_rt_group_close(group));
    printf("a killed owner is told of\n");
}

/* ---- A storm, and the scheduler's end in it: two locks under each of two protocols ---- */

enum { A, B, C, LOCKS }; /* C: PCP-DU-BOOL */

static uint32_t inside[2][LOCKS], entries, begun, stop;

static void section(fw_rt_task *task, const unsigned *lock, unsigned cpu, unsigned i,
                    unsigned round)
{
    int error = round % 7 == 0 ? fw_rt_trylock(task, lock[i]) : fw_rt_lock(task, lock[i]);

    if (error == EBUSY)
        return;
    scx_check(error == 0, "lock: %s (%s)", strerror(error), fw_rt_strerror());
    scx_check(__atomic_add_fetch(&inside[cpu][i], 1, __ATOMIC_SEQ_CST) == 1, "two in %u of CPU %u",
              i, cpu);
    for (volatile unsigned k = 0; k < 200 + round % 5 * 300; k++)
        continue;
    if (i == A && round % 3 == 0)
        section(task, lock, cpu, B, round);
    __atomic_sub_fetch(&inside[cpu][i], 1, __ATOMIC_SEQ_CST);
    CHECK_ZERO(fw_rt_unlock(task, lock[i]));
    __atomic_add_fetch(&entries, 1, __ATOMIC_RELAXED);
}

static void *work(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument, cpu = number % 2, lock[LOCKS];
    struct timespec pause = {.tv_nsec = 100000 + 37000 * number};
    fw_rt_task *task = begin(cpu, number + 5);

    lock[A] = open_gated(task, cpu ? "A1" : "A0");
    lock[B] = open_gated(task, cpu ? "B1" : "B0");
    CHECK_ZERO(fw_rt_open(task, cpu ? "C1" : "C0", FW_RT_PCP_DU, 0, &lock[C]));
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    for (unsigned round = number; !__atomic_load_n(&stop, __ATOMIC_RELAXED); round++) {
        section(task, lock, cpu, round % LOCKS, round);
        if (round % 2 == number / 3)
            nanosleep(&pause, NULL);
    }
    CHECK_ZERO(fw_rt_task_end(task));
    return NULL;
}

static void throw_out(void)
{
    int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

    scx_check(fd >= 0 && write(fd, "S", 1) == 1, "sysrq");
    close(fd);
    SCX_UNTIL(scx_state()->state.alive == 0);
}

static void end_under_load(unsigned round)
{
    pthread_t thread[TASKS];
    uint32_t before;

    stop = begun = 0;
    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    for (uintptr_t i = 0; i < TASKS; i++)
        CHECK_ZERO(pthread_create(&thread[i], NULL, work, (void *)i));
    SCX_UNTIL(__atomic_load_n(&begun, __ATOMIC_SEQ_CST) == TASKS);
    before = __atomic_load_n(&entries, __ATOMIC_RELAXED);
    scx_burn_ms(STORM_MS);
    SCX_UNTIL(__atomic_load_n(&entries, __ATOMIC_RELAXED) > before + 100);
    printf("%u entries, permits: %u opened, %u closed, %u stuck\n", entries,
           (unsigned)scx_state()->counts.opened, (unsigned)scx_state()->counts.closed,
           (unsigned)scx_state()->counts.stuck);
    if (round % 2 == 0)
        scx_stop();
    else
        throw_out();
    before = __atomic_load_n(&entries, __ATOMIC_RELAXED);
    SCX_UNTIL(__atomic_load_n(&entries, __ATOMIC_RELAXED) > before + 100);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < TASKS; i++)
        CHECK_ZERO(pthread_join(thread[i], NULL));
    CHECK_ZERO(fw_rt_group_close(group));
}

int main(void)
{
    scx_need_vm();
    scx_start();
    if (scx_state()->permits == 0) {
        printf("skipped: no permits: %s\n", (const char *)scx_state()->no_permits);
        scx_stop();
        return SCX_SKIPPED;
    }
    test_order();
    test_alone();
    test_killed();
    for (unsigned i = 0; i < ENDS; i++) {
        if (i != 0)
            scx_start();
        end_under_load(i);
    }
    printf("%u ends, %u entries\n", (unsigned)ENDS, entries);
    return EXIT_SUCCESS;
}
