/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rwlock.h"
#include "test/support/child.h"
#include "test/support/sleeper.h"
#include "test/support/unit.h"

/*
 * posix/rwlock.c and rwlock_shared.c: those who wait in other processes.  Many threads:
 * contract.dropin.rw-*.pthread-rw, and fw-model (posix-rwlock).
 */

/* In memory that forked children see. */
static struct area {
    pthread_rwlock_t l;
    pid_t tid;
    bool done;
} * area;

enum { KINDS = 3, WAYS = 2 * KINDS };

static void make(int way)
{
    pthread_rwlockattr_t a;

    memset(area, 0, sizeof *area);
    fw_posix_rwlockattr_init_(&a);
    fw_posix_rwlockattr_setkind_(&a, way % KINDS);
    fw_posix_rwlockattr_setpshared_(&a, way / KINDS);
    assert_int_equal(fw_posix_rwlock_init_(&area->l, &a), 0);
}

/* --- Between processes ------------------------------------------------------------------------ */

static void write_once(void *arg)
{
    (void)arg;
    if (fw_posix_rwlock_wrlock_(&area->l) != 0 || fw_posix_rwlock_unlock_(&area->l) != 0)
        _exit(EXIT_FAILURE);
}

static void read_once(void *arg)
{
    (void)arg;
    if (fw_posix_rwlock_rdlock_(&area->l) != 0 || fw_posix_rwlock_unlock_(&area->l) != 0)
        _exit(EXIT_FAILURE);
}

TEST(processes_wait_for_each_other)
{
    static void (*const bodies[])(void *) = {write_once, read_once};

    for (int way = KINDS; way < WAYS; way++) {
        make(way);
        for (int i = 0; i < 2; i++) {
            pid_t child;

            fw_posix_rwlock_wrlock_(&area->l); /* by a thread whose number the child once had */
            child = start_asleep(bodies[i], NULL);
            fw_posix_rwlock_unlock_(&area->l);
            finish(child);
        }
    }
}

static void *write_in_thread(void *arg)
{
    __atomic_store_n(&area->tid, gettid(), __ATOMIC_RELEASE);
    write_once(arg);
    __atomic_store_n(&area->done, true, __ATOMIC_RELEASE);
    return NULL;
}

TEST(a_waiter_that_is_killed_costs_no_wake)
{
    for (int way = KINDS; way < WAYS; way++) {
        pid_t child;
        pthread_t thread;

        make(way);
        fw_posix_rwlock_rdlock_(&area->l);
        child = start_asleep(write_once, NULL);
        assert_int_equal(pthread_create(&thread, NULL, write_in_thread, NULL), 0);
        await_asleep(getpid(), &area->tid, &area->done);
        assert_false(__atomic_load_n(&area->done, __ATOMIC_ACQUIRE));
        kill_and_wait(child);
        fw_posix_rwlock_unlock_(&area->l);
        pthread_join(thread, NULL);
        assert_int_equal(fw_posix_rwlock_tryrdlock_(&area->l), 0);
        fw_posix_rwlock_unlock_(&area->l);
    }
}

static void read_quietly(void *arg)
{
    close(STDERR_FILENO);
    read_once(arg);
}

TEST(a_lock_of_others_stops_the_program)
{
    make(KINDS);
    ((struct fw_posix_rwlock_ *)&area->l)->magic = 0;
    assert_int_equal(wait_for_child(start(read_quietly, NULL)), -SIGABRT);
}

static void use_what_the_parent_held(void *l)
{
    if (fw_posix_rwlock_wrlock_(l) != EDEADLK || fw_posix_rwlock_unlock_(l) != 0 ||
        fw_posix_rwlock_tryrdlock_(l) != 0)
        _exit(EXIT_FAILURE);
}

/* A child goes on with a copy of a private lock, which it holds. */
TEST(a_forked_child_has_what_it_held)
{
    for (int way = 0; way < KINDS; way++) {
        pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

        ((struct fw_posix_rwlock_ *)&l)->kind = (uint32_t)way;
        fw_posix_rwlock_wrlock_(&l);
        finish(start(use_what_the_parent_held, &l));
        fw_posix_rwlock_unlock_(&l);
    }
}

static int map(void)
{
    area = share(sizeof *area);
    return 0;
}

UNIT_MAIN(map, NULL)
