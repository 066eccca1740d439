/* SPDX-License-Identifier: MIT */
/* Once.  The outcome of a run: how often the initialiser came to its end. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/once.h>

#include "step.h"

enum { SLOW_US = 2000 };

static fw_ipc_once *o, *other;

static void prepare(void)
{
    o = object_new(sizeof *o);
    other = object_new(sizeof *other);
}

static void reset(void)
{
    memset(o, 0, sizeof *o);
}

static int nothing(void *arg)
{
    (void)arg;
    return 0;
}

static void be_member(void)
{
    memset(other, 0, sizeof *other);
    CHECK(fw_ipc_once_call(other, nothing, NULL) == 0);
}

/* One at a time; left half done only by the dead. */
static int initialise(void *arg)
{
    (void)arg;
    if ((here->a != 0 || here->b != 0) && !fw_ipc_once_is_left(o))
        fail("it was begun, and nobody says so");
    here->a = 1;
    fw_step_();
    here->b = 1;
    fw_step_();
    count(1);
    return 0;
}

static void call(void)
{
    CHECK(fw_ipc_once_call(o, initialise, NULL) == 0);
    CHECK(here->a == 1 && here->b == 1);
}

static int give_up(void *arg)
{
    (void)arg;
    fw_step_();
    return ECANCELED;
}

static void call_in_vain(void)
{
    int error = fw_ipc_once_call(o, give_up, NULL);

    CHECK(error == ECANCELED || (error == 0 && here->b == 1));
}

static void survive(void)
{
    call();
    CHECK(fw_ipc_once_is_done(o));
}

/* --- Others, beside the victim --------------------------------------------------------------- */

static int initialise_until_it_rests(void *arg)
{
    is_multithreaded();
    until_victim_rests();
    return initialise(arg);
}

static void call_first(void)
{
    CHECK(fw_ipc_once_call(o, initialise_until_it_rests, NULL) == 0);
}

/* For so long that others come and sleep. */
static int initialise_slowly(void *arg)
{
    usleep(SLOW_US);
    return initialise(arg);
}

static void call_slowly(void)
{
    CHECK(fw_ipc_once_call(o, initialise_slowly, NULL) == 0);
}

static void come_and_call(void)
{
    is_multithreaded();
    until_victim_acts();
    call();
}

static int half(void *arg)
{
    (void)arg;
    here->a = 1;
    _exit(0);
}

static void die_inside(void)
{
    fw_ipc_once_call(o, half, NULL);
}

static void reset_dead(void)
{
    reset();
    one_that_dies(die_inside);
}

/* It runs to its end once, whoever dies; a second time only where it had not been said. */
static const struct row rows[] = {
    {"call, first call", reset, NULL, NULL, call, call, survive, ANY_CHANGES},
    {"call", reset, NULL, be_member, call, call, survive, ANY_CHANGES},
    {"call in vain", reset, NULL, be_member, call_in_vain, call_in_vain, survive, 0},
    {"call, another one runs", reset, call_first, be_member, call, NULL, survive, 0},
    {"call, another one sleeps", reset, come_and_call, be_member, call_slowly, NULL, survive,
     ANY_CHANGES},
    {"call, another one died", reset_dead, NULL, be_member, call, call, survive, ANY_CHANGES},
    {.name = NULL}};

const struct table once_table = {"once", rows, prepare};
