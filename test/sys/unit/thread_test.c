/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "in_child.h"
#include "sys/fork.h"
#include "sys/thread.h"

/* src/sys/thread.c: identities, and what a fork does to them. */

#define GENERATIONS 16

/* Exit statuses of a child; anything else is a failure. */
enum { CHILD_OK = 0, CHILD_FAILED = 1, CHILD_SKIPS = 77 };

static uint32_t plain_id(pid_t tid)
{
    return (uint32_t)tid << FW_ID_SHIFT | FW_ID_HELD;
}

TEST(identity_is_the_kernel_thread_id)
{
    uint32_t id = fw_self_();

    assert_int_equal(id, plain_id(gettid()));
    assert_int_equal(fw_self_id_, id);
    assert_int_equal(fw_self_(), id);
    assert_int_equal(fw_id_number_(id), gettid());
    assert_int_equal(fw_id_number_(plain_id(FW_ID_ALIAS)), 0); /* none was forked */
    assert_int_equal(fw_id_number_(0), 0);
    assert_int_equal(fw_id_number_(FW_ID_HELD), 0);
}

struct thread_ids {
    uint32_t before, by_call, after;
    pid_t tid;
};

static void *note_ids(void *arg)
{
    struct thread_ids *ids = arg;

    ids->before = fw_self_id_;
    ids->by_call = fw_self_init_();
    ids->after = fw_self_id_;
    ids->tid = gettid();
    return NULL;
}

TEST(every_thread_has_its_own)
{
    struct thread_ids ids;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, note_ids, &ids), 0);
    pthread_join(thread, NULL);
    assert_int_equal(ids.before, 0);
    assert_int_equal(ids.by_call, plain_id(ids.tid));
    assert_int_equal(ids.after, ids.by_call);
    assert_int_not_equal(ids.by_call, fw_self_());
}

static uint32_t id_before_fork, generation_before_fork;

static int check_grandchild(void)
{
    if (fw_self_() != id_before_fork)
        return CHILD_FAILED;
    return fw_fork_generation_() == (generation_before_fork + 2) % GENERATIONS ? CHILD_OK
                                                                               : CHILD_FAILED;
}

static int check_child(void)
{
    struct thread_ids ids;
    pthread_t thread;

    if (fw_self_() != id_before_fork || fw_self_() == plain_id(gettid()))
        return CHILD_FAILED;
    if (fw_fork_generation_() != (generation_before_fork + 1) % GENERATIONS)
        return CHILD_FAILED;
    if (pthread_create(&thread, NULL, note_ids, &ids) != 0)
        return CHILD_FAILED;
    pthread_join(thread, NULL);
    if (ids.by_call != plain_id(ids.tid))
        return CHILD_FAILED;
    return in_child(check_grandchild);
}

TEST(a_child_keeps_the_identity_and_counts_the_fork)
{
    id_before_fork = fw_self_();
    generation_before_fork = fw_fork_generation_();
    assert_int_equal(in_child(check_child), CHILD_OK);
    assert_int_equal(fw_fork_generation_(), generation_before_fork);
}

/* Another thread of the time before the fork; it is nobody's id. */
#define STRANGER plain_id(3)

/* Who called the fork is here, under its old generation too; the others are not. */
static int check_who_is_here(void)
{
    uint32_t now = fw_fork_generation_();

    return fw_is_here_(id_before_fork, generation_before_fork) && fw_is_here_(STRANGER, now) &&
                   !fw_is_here_(STRANGER, generation_before_fork)
               ? CHILD_OK
               : CHILD_FAILED;
}

static int check_who_is_not_here(void)
{
    return fw_is_here_(id_before_fork, generation_before_fork) ? CHILD_FAILED : CHILD_OK;
}

/* A thread that never asked for its identity. */
static void *fork_without_id(void *arg)
{
    *(int *)arg = in_child(check_who_is_not_here);
    return NULL;
}

TEST(who_is_here_after_a_fork)
{
    pthread_t thread;
    int status = CHILD_FAILED;

    id_before_fork = fw_self_();
    generation_before_fork = fw_fork_generation_();
    assert_true(fw_is_here_(STRANGER, generation_before_fork));
    assert_int_equal(in_child(check_who_is_here), CHILD_OK);
    assert_int_equal(pthread_create(&thread, NULL, fork_without_id, &status), 0);
    pthread_join(thread, NULL);
    assert_int_equal(status, CHILD_OK);
}

static int generations_left;

/* Each child forks the next, until the count is back at the start. */
static int check_wrap(void)
{
    if (generations_left-- == 0)
        return fw_fork_generation_() == generation_before_fork ? CHILD_OK : CHILD_FAILED;
    return in_child(check_wrap);
}

TEST(generations_wrap)
{
    generation_before_fork = fw_fork_generation_();
    generations_left = GENERATIONS;
    assert_int_equal(check_wrap(), CHILD_OK);
}

/* Asks the kernel to give the id `tid` to the next thread.  False where it does not let us. */
static bool next_thread_id(pid_t tid)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%d", (int)tid - 1);
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, (size_t)length) == length;

    if (fd >= 0)
        close(fd);
    return written;
}

static int parent_is_gone_pipe[2];

/*
 * This process keeps the identity of its parent, which has ended, so that its kernel id is free.  A
 * new thread that the kernel gives this id must be told from the main thread.
 */
static int check_reused_id(void)
{
    struct thread_ids ids;
    pthread_t thread;
    char c;

    close(parent_is_gone_pipe[1]);
    if (read(parent_is_gone_pipe[0], &c, 1) != 0)
        return CHILD_FAILED;
    for (int tries = 0; tries < 100; tries++) {
        if (!next_thread_id((pid_t)(id_before_fork >> FW_ID_SHIFT)))
            return CHILD_SKIPS;
        if (pthread_create(&thread, NULL, note_ids, &ids) != 0)
            return CHILD_FAILED;
        pthread_join(thread, NULL);
        if (plain_id(ids.tid) == id_before_fork)
            return ids.by_call == plain_id(FW_ID_ALIAS) &&
                           fw_id_number_(ids.by_call) == (int)(id_before_fork >> FW_ID_SHIFT)
                       ? CHILD_OK
                       : CHILD_FAILED;
    }
    return CHILD_SKIPS; /* somebody else is always faster */
}

TEST(a_reused_id_is_told_from_the_inherited_one)
{
    int answer[2], result = CHILD_FAILED;
    pid_t parent;

    assert_int_equal(pipe(answer), 0);
    assert_int_equal(pipe(parent_is_gone_pipe), 0);
    parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        fw_self_id_ = 0; /* as a process that had its own identity from the start */
        id_before_fork = fw_self_();
        if (fork() == 0) {
            result = check_reused_id();
            if (write(answer[1], &result, sizeof result) != sizeof result)
                _exit(1);
        }
        _exit(0);
    }
    close(answer[1]);
    wait_for_child(parent);
    close(parent_is_gone_pipe[1]); /* the last writer but the child: it may go on */
    assert_int_equal(read(answer[0], &result, sizeof result), sizeof result);
    close(answer[0]);
    close(parent_is_gone_pipe[0]);
    if (result == CHILD_SKIPS)
        skip(); /* the kernel does not let us choose thread ids */
    assert_int_equal(result, CHILD_OK);
}

static const uint32_t a_task = (FW_ID_ALIAS + 7) << FW_ID_SHIFT | FW_ID_HELD;

TEST(a_thread_may_act_as_a_task)
{
    const uint32_t self = fw_self_(), other = a_task + (1u << FW_ID_SHIFT);

    assert_true(fw_id_is_task_(a_task) && !fw_id_is_task_(self));
    assert_int_equal(fw_act_as_(a_task), 0);
    assert_int_equal(fw_self_(), a_task);
    assert_int_equal(fw_id_number_(fw_self_()), 0);
    assert_int_equal(fw_thread_self_(), self);
    assert_int_equal(fw_thread_known_(), self);
    assert_int_equal(fw_act_as_(other), a_task);
    assert_int_equal(fw_thread_self_(), self);
    assert_int_equal(fw_act_as_(0), other);
    assert_int_equal(fw_self_(), self);
    assert_int_equal(fw_act_as_(0), 0);
    assert_int_equal(fw_thread_self_(), self);
}

static int check_task_after_fork(void)
{
    return fw_self_() == a_task && fw_thread_self_() == id_before_fork && fw_act_as_(0) == a_task &&
                   fw_self_() == id_before_fork && fw_is_here_(a_task, fw_fork_generation_() - 1) &&
                   fw_is_here_(id_before_fork, fw_fork_generation_() - 1) &&
                   !fw_is_here_(a_task + (1u << FW_ID_SHIFT), fw_fork_generation_() - 1)
               ? CHILD_OK
               : CHILD_FAILED;
}

TEST(a_forked_child_acts_as_the_same_task)
{
    id_before_fork = fw_self_();
    fw_act_as_(a_task);
    assert_in_child(check_task_after_fork() == CHILD_OK);
    fw_act_as_(0);
}

UNIT_MAIN(NULL, NULL)
