/* SPDX-License-Identifier: MIT */
/*
 * Tasks (furwock/await.h) and threads that wait for each other, for furwock who, until they are
 * killed.
 *
 *   who_tasks NAME
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock.h>
#include <furwock/await.h>
#include <furwock/name.h>

enum { TASKS = 3 };

static fw_mutex *left, *right;
static fw_rwlock table;
static fw_loop *loop;
static fw_task task[TASKS];
static fw_await op[TASKS];
static fw_event has_left = FW_EVENT_INIT, has_right = FW_EVENT_INIT;

static void die(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void done(fw_await *wait, int error)
{
    (void)wait;
    (void)error;
}

/* As the task; it is to be had at once. */
static void take(int i, fw_mutex *m)
{
    fw_await_init(&op[i], loop, task[i], done);
    if (fw_await_mutex(&op[i], m, NULL) != 0)
        die("not free");
}

static void wait_for(int i, fw_mutex *m)
{
    fw_await_init(&op[i], loop, task[i], done);
    if (fw_await_mutex(&op[i], m, NULL) != EINPROGRESS)
        die("free");
}

static void stay(void)
{
    for (;;)
        pause();
}

static void two_tasks(void)
{
    take(0, left);
    take(1, right);
    wait_for(0, right);
    wait_for(1, left);
    wait_for(2, left);
    stay();
}

static void one_waits(void)
{
    take(0, left);
    wait_for(1, left);
    stay();
}

/* The thread has the left one and waits for the right one, which the task has. */
static void *lock_both(void *unused)
{
    fw_mutex_lock(left);
    fw_event_set(&has_left);
    fw_event_wait(&has_right);
    fw_mutex_lock(right);
    return unused;
}

static void start(void *(*body)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, body, NULL) != 0)
        die("pthread_create");
}

static void task_and_thread(void)
{
    start(lock_both);
    fw_event_wait(&has_left);
    take(0, right);
    wait_for(0, left);
    fw_event_set(&has_right);
    stay();
}

/* The main thread acts as the task that has the right one. */
static void acting_thread(void)
{
    start(lock_both);
    fw_event_wait(&has_left);
    fw_task_switch(task[0]);
    fw_mutex_lock(right);
    fw_event_set(&has_right);
    fw_mutex_lock(left);
    stay();
}

static void reading_task(void)
{
    start(lock_both);
    fw_event_wait(&has_left);
    take(0, right);
    fw_await_init(&op[1], loop, task[1], done);
    if (fw_await_wrlock(&op[1], &table, NULL) != 0)
        die("not free");
    wait_for(1, left);
    fw_await_init(&op[0], loop, task[0], done);
    if (fw_await_rdlock(&op[0], &table, NULL) != EINPROGRESS)
        die("free");
    fw_event_set(&has_right);
    stay();
}

static const struct {
    const char *name;
    void (*function)(void);
} cases[] = {{"two-tasks", two_tasks},
             {"one-waits", one_waits},
             {"task-and-thread", task_and_thread},
             {"acting-thread", acting_thread},
             {"reading-task", reading_task}};

int main(int argc, char **argv)
{
    left = calloc(1, sizeof *left);
    right = calloc(1, sizeof *right);
    if (left == NULL || right == NULL || fw_loop_create(&loop, NULL) != 0)
        die("fw_loop_create");
    for (int i = 0; i < TASKS; i++)
        if (fw_task_begin(&task[i]) != 0)
            die("fw_task_begin");
    if (fw_name(left, "accounts") != 0 || fw_name(right, "the log") != 0)
        die("fw_name");
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[1]) == 0)
            cases[i].function();
    return EXIT_FAILURE;
}
