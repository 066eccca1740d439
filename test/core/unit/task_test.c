/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/await.h>
#include <furwock/mutex.h>

#include "sys/thread.h"
#include "test/sys/unit/in_child.h"

/* src/core/task.c: identities of tasks, and that locks take them for owners. */

enum { FEW = 1000, MOST = 4194303, THREADS = 4 };

static void assert_distinct(const fw_task *tasks, unsigned n)
{
    static bool seen[FW_ID_NUMBER_MAX + 1];
    unsigned bad = 0;

    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < n; i++) {
        bad += !fw_id_is_task_(tasks[i]) || seen[tasks[i] >> FW_ID_SHIFT];
        seen[tasks[i] >> FW_ID_SHIFT & FW_ID_NUMBER_MAX] = true;
    }
    assert_int_equal(bad, 0);
}

static void *begin_some(void *tasks)
{
    for (unsigned i = 0; i < FEW; i++)
        assert_int_equal(fw_task_begin((fw_task *)tasks + i), 0);
    return NULL;
}

TEST(tasks_have_numbers_of_their_own)
{
    static fw_task tasks[THREADS * FEW];
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, begin_some, &tasks[i * FEW]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_distinct(tasks, THREADS * FEW);
    for (unsigned i = 0; i < THREADS * FEW; i++)
        fw_task_end(tasks[i]);
}

TEST(a_number_comes_back_late)
{
    fw_task first, next;

    assert_int_equal(fw_task_begin(&first), 0);
    fw_task_end(first);
    for (unsigned i = 0; i < FEW; i++) {
        assert_int_equal(fw_task_begin(&next), 0);
        assert_int_not_equal(next, first);
        fw_task_end(next);
    }
}

TEST(as_many_as_are_promised)
{
    fw_task *tasks = malloc((MOST + 1) * sizeof *tasks);
    unsigned n = 0;

    assert_non_null(tasks);
    while (n <= MOST && fw_task_begin(&tasks[n]) == 0)
        n++;
    assert_int_equal(n, MOST);
    assert_int_equal(fw_task_begin(&tasks[n]), EAGAIN);
    assert_distinct(tasks, n);
    fw_task_end(tasks[FEW]);
    assert_int_equal(fw_task_begin(&tasks[MOST]), 0);
    assert_int_equal(tasks[MOST], tasks[FEW]);
    for (unsigned i = 0; i < n; i++)
        fw_task_end(tasks[i]);
    free(tasks);
}

static fw_mutex m;

static void *unlock_elsewhere(void *task)
{
    assert_int_equal(fw_task_switch(*(fw_task *)task), 0);
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
    assert_int_equal(fw_task_switch(0), *(fw_task *)task);
    return NULL;
}

TEST(a_task_owns_what_it_locks_in_any_thread)
{
    pthread_t thread;
    fw_task task;

    assert_int_equal(fw_task_begin(&task), 0);
    assert_int_equal(fw_task_switch(task), 0);
    fw_mutex_lock(&m);
    assert_true(fw_mutex_is_held_by_me(&m));
    assert_int_equal(fw_mutex_owner(&m), 0);
    assert_int_equal(fw_task_switch(0), task);
    assert_false(fw_mutex_is_held_by_me(&m));
    assert_int_equal(fw_mutex_trylock(&m), EBUSY);
    assert_int_equal(pthread_create(&thread, NULL, unlock_elsewhere, &task), 0);
    pthread_join(thread, NULL);
    assert_int_equal(fw_mutex_trylock(&m), 0);
    fw_mutex_unlock(&m);
    fw_task_switch(task);
    fw_mutex_lock(&m);
    fw_task_switch(0);
    fw_task_mutex_unlock(&m, task);
    assert_int_equal(fw_mutex_trylock(&m), 0);
    fw_mutex_unlock(&m);
    fw_task_end(task);
}

/* In a forked child, whose parent's task is `arg`. */
static fw_task inherited;

static int use_inherited(void)
{
    if (fw_self_() != inherited)
        return 1;
    fw_mutex_unlock(&m);
    fw_task_switch(0);
    fw_task_switch(inherited);
    fw_task_switch(0);
    fw_task_end(inherited);
    return 0;
}

TEST(a_forked_child_has_the_tasks_and_what_they_hold)
{
    assert_int_equal(fw_task_begin(&inherited), 0);
    fw_task_switch(inherited);
    fw_mutex_lock(&m);
    assert_int_equal(in_child(use_inherited), 0);
    fw_mutex_unlock(&m);
    fw_task_switch(0);
    fw_task_end(inherited);
}

static fw_task misused;

static void lock_twice(void)
{
    fw_task_switch(misused);
    fw_mutex_lock(&m);
    fw_mutex_lock(&m);
}

static void unlock_of_another(void)
{
    fw_task_switch(misused);
    fw_mutex_lock(&m);
    fw_task_switch(0);
    fw_mutex_unlock(&m);
}

static void unlock_as_another(void)
{
    fw_mutex_lock(&m);
    fw_task_mutex_unlock(&m, misused);
}

static void end_twice(void)
{
    fw_task_end(misused);
    fw_task_end(misused);
}

static void end_oneself(void)
{
    fw_task_switch(misused);
    fw_task_end(misused);
}

static void end_nobody(void)
{
    fw_task_end(0);
}

static void switch_to_the_ended(void)
{
    fw_task_end(misused);
    fw_task_switch(misused);
}

static void switch_to_a_thread(void)
{
    fw_task_switch(fw_self_());
}

static int misuse(void (*how)(void))
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        how();
        _exit(0);
    }
    return wait_for_child(child);
}

TEST(misuse_is_noticed)
{
    static void (*const ways[])(void) = {lock_twice,          unlock_of_another, unlock_as_another,
                                         end_twice,           end_oneself,       end_nobody,
                                         switch_to_the_ended, switch_to_a_thread};

    assert_int_equal(fw_task_begin(&misused), 0);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        assert_int_equal(misuse(ways[i]), -SIGABRT);
    fw_task_end(misused);
}

UNIT_MAIN(NULL, NULL)
