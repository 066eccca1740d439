/* SPDX-License-Identifier: MIT */
/*
 * The plain semaphore: a unit is taken or it is not, added or not, and nobody is lost.  The outcome
 * of a run: how many units there are at the end.
 */
#include <errno.h>
#include <string.h>

#include <furwock/ipc/sem.h>

#include "region.h"

enum { START = 2, MOST = 1000, SHORT_MS = 5 };

static fw_ipc_sem *s;

static void prepare(void)
{
    s = object_new(sizeof *s);
}

static void reset_to(uint32_t value)
{
    memset(s, 0, sizeof *s);
    CHECK(fw_ipc_sem_init(s, value, MOST) == 0);
}

static void reset(void)
{
    reset_to(START);
}

static void reset_empty(void)
{
    reset_to(0);
}

static void unmake(void)
{
    memset(s, 0, sizeof *s);
}

static void make(void)
{
    CHECK(fw_ipc_sem_init(s, START, MOST) == 0);
}

static void post(void)
{
    CHECK(fw_ipc_sem_post(s) == 0);
}

static void take(void)
{
    CHECK(fw_ipc_sem_wait(s) == 0);
}

static void try_to_take(void)
{
    int error = fw_ipc_sem_trywait(s);

    CHECK(error == 0 || error == EAGAIN);
}

static void post_two(void)
{
    CHECK(fw_ipc_sem_post_n(s, 2) == 0);
}

static void take_too_late(void)
{
    fw_deadline deadline = in_ms(SHORT_MS);
    int error = fw_ipc_sem_timedwait(s, &deadline);

    CHECK(error == 0 || error == ETIMEDOUT);
    if (error == 0) /* another's: it was stopped meanwhile */
        post();
}

/* Takes what is there, after one of its own, and puts it back. */
static void survive(void)
{
    uint32_t n = 0;

    post();
    CHECK(fw_ipc_sem_wait(s) == 0);
    while (fw_ipc_sem_trywait(s) == 0)
        n++;
    shared->outcome = (int)n;
    if (n != 0)
        CHECK(fw_ipc_sem_post_n(s, n) == 0);
    CHECK(!shared->is_alone || fw_ipc_sem_value(s) == n);
}

static void survive_making(void)
{
    make();
    survive();
    CHECK(!shared->is_alone || shared->outcome == START);
}

/* By a peer. */
static void post_when_victim_idle(void)
{
    peer_is_ready();
    await_victim_idle();
    post();
}

static void wait_and_take(void)
{
    await_admission();
    take();
}

static void admit_one(void)
{
    become_participant();
    admit_peer();
}

/* The sleeper had been meant to get the victim's. */
static void feed_and_survive(void)
{
    if (__atomic_exchange_n(&shared->words[0], 1, __ATOMIC_RELAXED) == 0)
        post();
    survive();
}

static const struct kill_case cases[] = {
    {"init", unmake, NULL, become_participant, make, make, survive_making, 0},
    {"init, first call", unmake, NULL, NULL, make, make, survive_making, 0},
    {"wait, first call", reset, NULL, NULL, take, NULL, survive, 1},
    {"wait", reset, NULL, become_participant, take, post, survive, 1},
    {"trywait", reset, NULL, become_participant, try_to_take, try_to_take, survive, 1},
    {"post", reset, NULL, become_participant, post, take, survive, 1},
    {"post two", reset, NULL, become_participant, post_two, take, survive, 1},
    {"wait, none there", reset_empty, post_when_victim_idle, become_participant, take, NULL,
     survive, ANY_CHANGES},
    {"post, another sleeps", reset_empty, wait_and_take, admit_one, post, NULL, feed_and_survive,
     1},
    {"wait, too late", reset_empty, NULL, become_participant, take_too_late, NULL, survive,
     ANY_CHANGES},
    {.name = NULL}};

const struct kill_table sem_table = {.name = "sem", .cases = cases, .prepare = prepare};
