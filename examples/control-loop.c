/* SPDX-License-Identifier: MIT */
/*
 * A control loop with bounded blocking: a controller every 2 ms and a logger every 10 ms share the
 * state of a machine on one CPU.  Under PCP with deferred updates the controller waits at most for
 * one of the logger's sections, and an uncontended lock makes no system call.
 *
 *     $ cc -o control-loop control-loop.c $(pkg-config --cflags --libs furwock-rt)
 *     $ ./control-loop
 *     50 jobs of the controller, 10 of the logger; late: ...
 *
 * It needs the right to SCHED_FIFO: be root, or have a limit of priorities (ulimit -r 30).
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include <furwock/rt.h>

struct task {
    struct fw_rt_task_options options;
    long jobs;
    long done, late;
};

static fw_rt_group *group;
static double position, target = 1; /* of the machine, under the lock "machine" */

static void *run(void *arg)
{
    struct task *mine = arg;
    fw_rt_task *task = NULL;
    struct fw_rt_job job;
    unsigned lock;
    int error = fw_rt_task_begin(&task, group, &mine->options);

    if (error == 0) /* the ceiling: the highest priority of those who use the lock */
        error = fw_rt_open(task, "machine", FW_RT_PCP_DU, 30, &lock);
    while (error == 0 && mine->done < mine->jobs) {
        error = fw_rt_lock(task, lock);
        if (error == 0) {
            position += (target - position) / 2;
            error = fw_rt_unlock(task, lock);
        }
        if (error == 0)
            error = fw_rt_wait_period(task, &job);
        if (error == 0) {
            mine->done++;
            mine->late += job.late;
        }
    }
    if (error != 0)
        fprintf(stderr, "control-loop: %s: %s\n", mine->options.name, fw_rt_strerror());
    if (task != NULL)
        fw_rt_task_end(task);
    return NULL;
}

int main(void)
{
    struct task controller = {
        .options = {.name = "controller", .priority = 30, .period_ns = 2000000}, .jobs = 50};
    struct task logger = {.options = {.name = "logger", .priority = 10, .period_ns = 10000000},
                          .jobs = 10};
    pthread_t first, second;

    if (fw_rt_group_open(&group, NULL, FW_RT_TIER_A) != 0) {
        fprintf(stderr, "control-loop: %s\n", fw_rt_strerror());
        return 1;
    }
    pthread_create(&first, NULL, run, &controller);
    pthread_create(&second, NULL, run, &logger);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    fw_rt_group_close(group);
    if (controller.done == 0 || logger.done == 0)
        return 1;
    printf("%ld jobs of the controller, %ld of the logger; late: %ld\n", controller.done,
           logger.done, controller.late + logger.late);
    return 0;
}
