/* SPDX-License-Identifier: MIT */
/*
 * What the scheduler adds to a switch between tasks, by the number of tasks: the time that the
 * kernel measures in its programs (kernel.bpf_stats_enabled).  With `tools/vm --icount` a
 * nanosecond of the machine is one instruction.
 */
#include <bpf/bpf.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scx.h"

enum { SWITCHES = 400, SIZES = 4 };

static sem_t ping, pong;
static pthread_barrier_t permit;

struct sum {
    uint64_t ns, runs;
};

/* Over all programs whose names begin so. */
static struct sum sum_of(const char *name)
{
    struct sum sum = {0, 0};
    uint32_t id = 0;

    while (bpf_prog_get_next_id(id, &id) == 0) {
        struct bpf_prog_info info;
        uint32_t size = sizeof info;
        int fd = bpf_prog_get_fd_by_id(id);

        memset(&info, 0, sizeof info);
        if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0 &&
            strncmp(info.name, name, strlen(name)) == 0) {
            sum.ns += info.run_time_ns;
            sum.runs += info.run_cnt;
        }
        close(fd);
    }
    return sum;
}

/* Sleeps all the time; but the scheduler has it to look at. */
static void *idle(void *number)
{
    struct scx_task t;
    unsigned n = (unsigned)(uintptr_t)number, d;

    scx_join(&t, 5, "idle", 1, 1 + n % 20);
    scx_check(scx_open(&t, "A", FW_RT_KIND_PCP, 0, &d) == 0, "open");
    pthread_barrier_wait(&permit);
    pthread_barrier_wait(&permit);
    scx_leave(&t);
    return NULL;
}

static void *answerer(void *unused)
{
    struct scx_task t;

    scx_join(&t, 5, "pong", 1, 40);
    pthread_barrier_wait(&permit);
    for (unsigned i = 0; i < SWITCHES; i++) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    pthread_barrier_wait(&permit);
    scx_leave(&t);
    return unused;
}

static void *asker(void *number)
{
    unsigned n = (unsigned)(uintptr_t)number;
    struct scx_task t;
    struct sum all, dispatch;
    unsigned d;

    scx_join(&t, 5, "ping", 1, 30);
    scx_check(scx_open(&t, "A", FW_RT_KIND_PCP, 0, &d) == 0, "open");
    pthread_barrier_wait(&permit);
    scx_lock(&t, FW_RT_KIND_PCP, d); /* so that there is a ceiling to look at */
    all = sum_of("fw_");
    dispatch = sum_of("fw_dispatch");
    for (unsigned i = 0; i < SWITCHES; i++) {
        sem_post(&ping);
        sem_wait(&pong);
    }
    all.ns = sum_of("fw_").ns - all.ns;
    dispatch.ns = sum_of("fw_dispatch").ns - dispatch.ns;
    dispatch.runs = sum_of("fw_dispatch").runs - dispatch.runs;
    scx_unlock(&t, FW_RT_KIND_PCP, d);
    printf("cost: %u tasks: %u decisions, %u ns in all programs for each, %u in fw_dispatch\n", n,
           (unsigned)dispatch.runs, (unsigned)(all.ns / dispatch.runs),
           (unsigned)(dispatch.ns / dispatch.runs));
    pthread_barrier_wait(&permit);
    scx_leave(&t);
    return NULL;
}

static void measure(unsigned tasks)
{
    pthread_t threads[FW_RT_TASKS];

    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_barrier_init(&permit, NULL, tasks);
    for (uintptr_t i = 0; i < tasks; i++)
        threads[i] = scx_thread(i == 0 ? asker : i == 1 ? answerer : idle, i == 0 ? tasks : i);
    for (unsigned i = 0; i < tasks; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    static const unsigned sizes[SIZES] = {2, 8, 32, 64};

    scx_need_vm();
    alarm(100);
    scx_start();
    scx_write_file("/proc/sys/kernel/bpf_stats_enabled", "1");
    for (unsigned i = 0; i < SIZES; i++)
        measure(sizes[i]);
    scx_stop();
    return 0;
}
