/* SPDX-License-Identifier: MIT */
/*
 * The condition variable: a mailbox, whose number of letters is one word.  A process that
 * waits for a letter gets one in the end, or the run hangs.  The outcome: how many were told that a
 * holder of the mutex has died.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/cond.h>

#include "region.h"

enum { SHORT_MS = 2 };

static fw_ipc_mutex *m;
static fw_ipc_cond *c;

static void prepare(void)
{
    m = object_new(sizeof *m);
    c = object_new(sizeof *c);
}

static void reset(void)
{
    CHECK(fw_ipc_mutex_init(m) == 0 && fw_ipc_cond_init(c) == 0);
}

static uint64_t *letters(void)
{
    return &shared->words[0];
}

static void sound(int error)
{
    if (error == EOWNERDEAD) {
        add_outcome(1);
        error = fw_ipc_mutex_consistent(m);
    }
    if (error != 0)
        fail("lock or wait: %s", strerror(error));
    CHECK(fw_ipc_mutex_is_held_by_me(m));
}

static void lock(void)
{
    sound(fw_ipc_mutex_lock(m));
}

static void unlock(void)
{
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void get_locked(void)
{
    while (*letters() == 0)
        sound(fw_ipc_cond_wait(c, m));
    fw_step_();
    --*letters();
    fw_step_();
    unlock();
}

static void get(void)
{
    lock();
    get_locked();
}

static void put(void)
{
    lock();
    ++*letters();
    CHECK(fw_ipc_cond_signal(c) == 0);
    unlock();
}

static void survive(void)
{
    put();
    get();
}

/* Where a peer waits: it must find its letter without another signal. */
static void survive_alone(void)
{
    if (shared->is_alone)
        survive();
}

/* --- Those who wake --------------------------------------------------------------------------- */

/* Nobody can put a letter there before it waits. */
static void lock_and_get(void)
{
    lock();
    peer_is_ready();
    get_locked();
}

static void put_afterwards(void *arg)
{
    (void)arg;
    await_victim_done();
    put();
}

/* A victim that dies between unlock and signal has told nobody.  The next letter comes later. */
static void lock_and_get_any(void)
{
    pid_t child = start(put_afterwards, NULL);

    lock_and_get();
    finish(child);
}

/* The letter is there; what is left to do is to wake the other. */
static void put_it(void)
{
    lock();
    ++*letters();
}

static void put_it_and_unlock(void)
{
    put_it();
    unlock();
}

static void signal_and_unlock(void)
{
    CHECK(fw_ipc_cond_signal(c) == 0);
    unlock();
}

static void broadcast_and_unlock(void)
{
    CHECK(fw_ipc_cond_broadcast(c) == 0);
    unlock();
}

static void signal_only(void)
{
    CHECK(fw_ipc_cond_signal(c) == 0);
}

static void broadcast_only(void)
{
    CHECK(fw_ipc_cond_broadcast(c) == 0);
}

/* --- Those who wait --------------------------------------------------------------------------- */

static void time_out(void)
{
    fw_deadline soon = in_ms(SHORT_MS);
    int error;

    lock();
    error = fw_ipc_cond_timedwait(c, m, &soon);
    if (error != ETIMEDOUT)
        sound(error);
    unlock();
}

static void put_when_it_waits(void)
{
    peer_is_ready();
    await_victim_idle();
    put();
}

/* It is moved to the mutex, and has it a little later. */
static void move_when_it_waits(void)
{
    peer_is_ready();
    await_victim_idle();
    lock();
    ++*letters();
    CHECK(fw_ipc_cond_broadcast(c) == 0);
    usleep(SHORT_MS * 1000);
    unlock();
}

static void put_two(void *arg)
{
    (void)arg;
    await_victim_idle();
    put();
    put();
}

/* Waits beside the victim; for both come letters. */
static void wait_beside_it(void)
{
    pid_t child = start(put_two, NULL);

    lock_and_get();
    finish(child);
}

/*
 * While the victim has the mutex, its death is told to others: one change where it gets it, one
 * where it gives it back.
 */
static const struct kill_case cases[] = {
    {"signal, another sleeps", reset, lock_and_get, put_it, signal_and_unlock, NULL, survive_alone,
     1},
    {"signal without the mutex", reset, lock_and_get_any, put_it_and_unlock, signal_only, NULL,
     survive_alone, 0},
    {"broadcast, another sleeps", reset, lock_and_get, put_it, broadcast_and_unlock, NULL,
     survive_alone, 1},
    {"broadcast without the mutex", reset, lock_and_get_any, put_it_and_unlock, broadcast_only,
     NULL, survive_alone, 0},
    {"timedwait, too late", reset, NULL, become_participant, time_out, NULL, survive, 4},
    {"wait, signalled", reset, put_when_it_waits, become_participant, get, NULL, survive,
     ANY_CHANGES},
    {"wait, moved to the mutex", reset, move_when_it_waits, become_participant, get, NULL, survive,
     ANY_CHANGES},
    {"wait beside another", reset, wait_beside_it, become_participant, get, NULL, survive,
     ANY_CHANGES},
    {.name = NULL}};

const struct kill_table cond_table = {.name = "cond", .cases = cases, .prepare = prepare};
