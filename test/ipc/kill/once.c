/* SPDX-License-Identifier: MIT */
/* Once.  The outcome of a run: how often the initialiser came to its end. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/once.h>

#include "region.h"

enum { SLOW_US = 2000 };

static fw_ipc_once *o;

static void prepare(void)
{
    o = object_new(sizeof *o);
}

static void reset(void)
{
    memset(o, 0, sizeof *o);
}

/* One at a time; left half done only by the dead. */
static int initialise(void *arg)
{
    (void)arg;
    if ((shared->a != 0 || shared->b != 0) && !fw_ipc_once_is_left(o))
        fail("it was begun, and nobody says so");
    shared->a = 1;
    fw_step_();
    shared->b = 1;
    fw_step_();
    add_outcome(1);
    return 0;
}

static void call(void)
{
    CHECK(fw_ipc_once_call(o, initialise, NULL) == 0);
    CHECK(shared->a == 1 && shared->b == 1);
}

static int give_up(void *arg)
{
    (void)arg;
    fw_step_();
    return ECANCELED;
}

static void call_and_give_up(void)
{
    int error = fw_ipc_once_call(o, give_up, NULL);

    CHECK(error == ECANCELED || (error == 0 && shared->b == 1));
}

static void survive(void)
{
    call();
    CHECK(fw_ipc_once_is_done(o));
}

/* --- Others, beside the victim --------------------------------------------------------------- */

static int initialise_until_victim_idle(void *arg)
{
    peer_is_ready();
    await_victim_idle();
    return initialise(arg);
}

static void call_first(void)
{
    CHECK(fw_ipc_once_call(o, initialise_until_victim_idle, NULL) == 0);
}

/* Long enough for others to arrive and sleep. */
static int initialise_slowly(void *arg)
{
    usleep(SLOW_US);
    return initialise(arg);
}

static void call_slowly(void)
{
    CHECK(fw_ipc_once_call(o, initialise_slowly, NULL) == 0);
}

static void call_after_victim(void)
{
    peer_is_ready();
    await_victim_begun();
    call();
}

static int half(void *arg)
{
    (void)arg;
    shared->a = 1;
    _exit(0);
}

static void die_inside(void)
{
    fw_ipc_once_call(o, half, NULL);
}

static void reset_dead(void)
{
    reset();
    run_and_die(die_inside);
}

/* It runs to its end once, whoever dies; a second time only where it had not been said. */
static const struct kill_case cases[] = {
    {"call, first call", reset, NULL, NULL, call, NULL, survive, ANY_CHANGES},
    {"call", reset, NULL, become_participant, call, call, survive, ANY_CHANGES},
    {"call, given up", reset, NULL, become_participant, call_and_give_up, call_and_give_up, survive,
     0},
    {"call, another one runs", reset, call_first, become_participant, call, NULL, survive, 0},
    {"call, another one sleeps", reset, call_after_victim, become_participant, call_slowly, NULL,
     survive, ANY_CHANGES},
    {"call, another one died", reset_dead, NULL, become_participant, call, call, survive,
     ANY_CHANGES},
    {.name = NULL}};

const struct kill_table once_table = {.name = "once", .cases = cases, .prepare = prepare};
