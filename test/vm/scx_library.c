/* SPDX-License-Identifier: MIT */
/*
 * The library as a user of tier B's scheduler, in a virtual machine: locks of all protocols, no
 * calls where nobody is in the way, errors; and the scheduler's end, by itself or by the kernel,
 * while threads lock: from then on no page has the leave to lock, nobody is in a section with
 * another one, and all go on.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "bpf/sched/loader.h"
#include "library.h"
#include "scx.h"

enum { TASKS = 6, LOCKS = 7, CEILINGS = 4, ASKING = 1, ENDS = 8, SHARE_MS = 300 };

/* Two of PCP-DU-PF, one in the other, where there are permits; the last asks for each lock. */
enum { OUTER, INNER };
static fw_rt_protocol protocols[LOCKS] = {FW_RT_PCP_DU_PF, FW_RT_PCP_DU_PF, FW_RT_PCP_DU,
                                          FW_RT_IPCP,      FW_RT_MPCP_DU,   FW_RT_FMLP_DU,
                                          FW_RT_MPCP};
static fw_rt_group *group;
static uint32_t inside[2 * LOCKS], entries[2 * LOCKS], stop, begun;

/* Locks with ceilings are of a CPU. */
static unsigned index_of(unsigned cpu, unsigned i)
{
    return i < CEILINGS ? cpu * LOCKS + i : i;
}

static void begin(fw_rt_task **task, unsigned number, unsigned *lock)
{
    struct fw_rt_task_options options = {.cpu = (int)number % 2, .priority = (int)number + 5};
    char name[8];

    CHECK_ZERO(fw_rt_task_begin(task, group, &options));
    for (unsigned i = 0; i < LOCKS; i++) {
        snprintf(name, sizeof name, "%u", index_of(number % 2, i));
        CHECK_ZERO(fw_rt_open(*task, name, protocols[i], 0, &lock[i]));
    }
}

static void section(fw_rt_task *task, const unsigned *lock, unsigned cpu, unsigned i,
                    unsigned round)
{
    int error = round % 7 == 0 ? fw_rt_trylock(task, lock[i]) : fw_rt_lock(task, lock[i]);
    unsigned index = index_of(cpu, i);

    if (error == EBUSY)
        return;
    scx_check(error == 0, "lock: %s (%s)", strerror(error), fw_rt_strerror());
    scx_check(__atomic_add_fetch(&inside[index], 1, __ATOMIC_SEQ_CST) == 1, "two in section %u",
              index);
    for (volatile unsigned k = 0; k < 200 + round % 5 * 300; k++)
        continue;
    if (i == OUTER && round % 3 == 0)
        section(task, lock, cpu, INNER, round);
    entries[index]++;
    __atomic_sub_fetch(&inside[index], 1, __ATOMIC_SEQ_CST);
    CHECK_ZERO(fw_rt_unlock(task, lock[i]));
}

static void *work(void *argument)
{
    unsigned number = *(unsigned *)argument, lock[LOCKS];
    struct timespec pause = {.tv_nsec = 100000};
    fw_rt_task *task;

    begin(&task, number, lock);
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    for (unsigned round = number; !__atomic_load_n(&stop, __ATOMIC_RELAXED); round++) {
        section(task, lock, number % 2, round % LOCKS, round);
        if (round % 3 == 0)
            nanosleep(&pause, NULL);
    }
    CHECK_ZERO(fw_rt_task_end(task));
    return NULL;
}

static uint32_t all_entries(void)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < 2 * LOCKS; i++)
        all += *(volatile uint32_t *)&entries[i];
    return all;
}

/* The scheduler ends while they are at it. */
static void end_under_load(bool by_kernel)
{
    pthread_t thread[TASKS];
    unsigned number[TASKS];
    uint32_t before;

    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    begun = 0;
    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    for (unsigned i = 0; i < TASKS; i++) {
        number[i] = i;
        CHECK_ZERO(pthread_create(&thread[i], NULL, work, &number[i]));
    }
    SCX_UNTIL(__atomic_load_n(&begun, __ATOMIC_SEQ_CST) == TASKS);
    before = all_entries();
    scx_burn_ms(SHARE_MS);
    SCX_UNTIL(all_entries() > before + 100);
    if (by_kernel)
        scx_throw_out();
    else
        scx_stop();
    scx_check_no_leave();
    before = all_entries();
    SCX_UNTIL(all_entries() > before + 100);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < TASKS; i++)
        CHECK_ZERO(pthread_join(thread[i], NULL));
    CHECK_ZERO(fw_rt_group_close(group));
}

/* One task: what it takes nobody wants, and the scheduler is not asked. */
static void check_alone(void)
{
    unsigned lock[LOCKS], d;
    uint64_t requests;
    fw_rt_task *task;
    int slack = prctl(PR_GET_TIMERSLACK);

    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    CHECK_ZERO(fw_rt_group_close(group));
    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_ANY));
    scx_check(fw_rt_group_tier(group) == FW_RT_TIER_B, "not tier B");
    begin(&task, 1, lock);
    scx_check(slack > 1 && prctl(PR_GET_TIMERSLACK) == 1, "its timers may be late");
    requests = scx_state()->counts.requests;
    for (unsigned i = 0; i < 1000; i++)
        for (unsigned l = 0; l < LOCKS - ASKING; l++)
            section(task, lock, 1, l, i);
    scx_check(scx_state()->counts.requests == requests, "it asks without need");
    for (unsigned l = 0; l < LOCKS; l++) {
        CHECK_ZERO(fw_rt_lock(task, lock[l]));
        scx_check(fw_rt_lock(task, lock[l]) == EDEADLK, "locked twice");
        CHECK_ZERO(fw_rt_unlock(task, lock[l]));
    }
    scx_check(fw_rt_open(task, "pip", FW_RT_PIP, 0, &d) == ENOTSUP, "PIP: %s", fw_rt_strerror());
    scx_check(scx_state()->permits != 0 ||
                  fw_rt_open(task, "pf", FW_RT_PCP_DU_PF, 0, &d) == ENOTSUP,
              "PF: %s", fw_rt_strerror());
    CHECK_ZERO(fw_rt_task_end(task));
    scx_check(prctl(PR_GET_TIMERSLACK) == slack, "the slack of its timers is not as it was");
    CHECK_ZERO(fw_rt_group_close(group));
}

int main(void)
{
    char text[300];

    scx_need_vm();
    for (unsigned i = 0; i < ENDS; i++) {
        scx_start();
        if (scx_state()->permits == 0)
            protocols[OUTER] = protocols[INNER] = FW_RT_PCP_DU;
        if (i == 0)
            check_alone();
        end_under_load(i % 2 != 0);
        scx_check(fw_rt_group_open(&group, NULL, FW_RT_TIER_B) == ENOTSUP, "there is a scheduler");
    }
    scx_check(fw_rt_scx_stop(text, sizeof text) == FW_BPF_DONE, "stop: %s", text);
    printf("%u ends, every other one by sysrq: %u entries\n", (unsigned)ENDS, all_entries());
    return EXIT_SUCCESS;
}
