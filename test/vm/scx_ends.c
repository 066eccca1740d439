/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's end, in a virtual machine, while tasks lock and unlock as fast as they can: it is
 * stopped, or thrown out by the kernel (sysrq).  Once it says that it has ended no page has the
 * leave to lock (SCX2 of rt/scx/page.h), nobody is in a section beside another one, and it can be
 * started again.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bpf/sched/loader.h"
#include "scx.h"

enum { TASKS = 6, ENDS = 8, CPUS = 2 };

static uint32_t inside[CPUS], violations, there;
static volatile struct fw_rt_scx_page *page_of[TASKS];

/* Ends once the scheduler has. */
static void *lock_on(void *number)
{
    unsigned n = (unsigned)(uintptr_t)number, cpu = n % CPUS, d;
    struct scx_task t;

    scx_join(&t, 9, "ends", cpu, n + 1);
    scx_check(scx_open(&t, cpu ? "B" : "A", FW_RT_KIND_PCP, 0, &d) == 0, "open");
    page_of[n] = t.page;
    __atomic_fetch_add(&there, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&scx_state()->state.alive, __ATOMIC_ACQUIRE)) {
        for (unsigned i = 0; i < 200; i++) {
            if (!scx_take(&t, d))
                continue;
            if (__atomic_fetch_add(&inside[cpu], 1, __ATOMIC_SEQ_CST) != 0)
                __atomic_fetch_add(&violations, 1, __ATOMIC_SEQ_CST);
            for (volatile int k = 0; k < 50; k++)
                continue;
            __atomic_fetch_sub(&inside[cpu], 1, __ATOMIC_SEQ_CST);
            __atomic_fetch_and(&t.page->locked, ~(1ull << d), __ATOMIC_SEQ_CST);
        }
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    scx_check(!(t.page->locked & FW_RT_CAN_LOCK), "leave to lock after the end");
    return NULL;
}

static void one_end(unsigned round)
{
    pthread_t threads[TASKS];

    there = 0;
    scx_start();
    for (uintptr_t i = 0; i < TASKS; i++)
        threads[i] = scx_thread(lock_on, i);
    SCX_UNTIL(__atomic_load_n(&there, __ATOMIC_SEQ_CST) == TASKS);
    scx_burn_ms(5);
    if (round % 2 == 0)
        scx_stop();
    else
        scx_throw_out();
    for (unsigned i = 0; i < TASKS; i++)
        scx_check(!(page_of[i]->locked & FW_RT_CAN_LOCK), "leave to lock after the end");
    for (unsigned i = 0; i < TASKS; i++)
        pthread_join(threads[i], NULL);
    scx_check(violations == 0, "%u times two in a section", violations);
}

int main(void)
{
    char text[300];

    scx_need_vm();
    alarm(100);
    for (unsigned i = 0; i < ENDS; i++)
        one_end(i);
    scx_check(fw_rt_scx_stop(text, sizeof text) == FW_BPF_DONE, "stop: %s", text);
    printf("%u ends, every other one by sysrq: no violation\n", (unsigned)ENDS);
    return EXIT_SUCCESS;
}
