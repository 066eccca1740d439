/* SPDX-License-Identifier: MIT */
/* The mutex.  The outcome of a run: how many were told that a holder has died. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>

#include "step.h"

static fw_ipc_mutex *m, *other;

enum { LONG_ENOUGH_S = 3600, SHORT_MS = 5 };

static void prepare(void)
{
    m = object_new(sizeof *m);
    other = object_new(sizeof *other);
}

static void reset(void)
{
    CHECK(fw_ipc_mutex_init(m) == 0);
}

static void be_member(void)
{
    CHECK(fw_ipc_mutex_lock(other) == 0 && fw_ipc_mutex_unlock(other) == 0);
}

/* By a holder: the generation has grown, and the data are whole, or the answer said otherwise. */
static void inside(int error)
{
    uint64_t generation = fw_ipc_mutex_generation(m);

    CHECK(fw_ipc_mutex_is_held_by_me(m));
    if (generation <= here->last)
        fail("the generation is %llu after %llu", (unsigned long long)generation,
             (unsigned long long)here->last);
    here->last = generation;
    if (error == EOWNERDEAD) {
        fw_ipc_death death;
        count(1);
        CHECK(fw_ipc_mutex_death(m, &death) == 0);
        CHECK(death.process != getpid() && death.generation <= generation);
        fw_step_();
        here->a = here->b;
        fw_step_();
        CHECK(fw_ipc_mutex_consistent(m) == 0);
    } else if (error != 0) {
        fail("lock: %s", strerror(error));
    }
    fw_step_();
    if (here->a != here->b)
        fail("the data are half changed: %llu %llu", (unsigned long long)here->a,
             (unsigned long long)here->b);
    here->a++;
    fw_step_();
    here->b++;
    fw_step_();
}

static void leave(void)
{
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void lock_all(void)
{
    inside(fw_ipc_mutex_lock(m));
    leave();
}

static void trylock_all(void)
{
    int error;

    while ((error = fw_ipc_mutex_trylock(m)) == EBUSY)
        usleep(50);
    inside(error);
    leave();
}

static void timedlock_all(void)
{
    fw_deadline deadline = in_ms(LONG_ENOUGH_S * 1000);

    inside(fw_ipc_mutex_timedlock(m, &deadline));
    leave();
}

/* Never asleep. */
static void spinlock_all(void)
{
    fw_wait_policy policy = {.kind = FW_WAIT_SPIN};

    inside(fw_ipc_mutex_lock_policy(m, &policy, NULL));
    leave();
}

static void time_out(void)
{
    fw_deadline deadline = in_ms(SHORT_MS);
    int error = fw_ipc_mutex_timedlock(m, &deadline);

    if (error == ETIMEDOUT)
        return;
    inside(error); /* it was stopped meanwhile */
    leave();
}

static void hold_until_it_rests(void)
{
    inside(fw_ipc_mutex_lock(m));
    is_multithreaded();
    until_victim_rests();
    leave();
}

static void hold_a_while(void)
{
    inside(fw_ipc_mutex_lock(m));
    is_multithreaded();
    until_victim_acts();
    usleep(SHORT_MS * 1000);
    leave();
}

static void hold_until_it_is_done(void)
{
    inside(fw_ipc_mutex_lock(m));
    is_multithreaded();
    until_victim_is_done();
    leave();
}

static void come_and_lock(void)
{
    come_second();
    lock_all();
}

static void hold_and_let_come(void)
{
    inside(fw_ipc_mutex_lock(m));
    become_multithreaded();
}

static void die_inside(void)
{
    inside(fw_ipc_mutex_lock(m));
    here->a++;
}

static void reset_dead(void)
{
    reset();
    one_that_dies(die_inside);
}

/* Unlocks without having repaired. */
static void give_up(void)
{
    int error = fw_ipc_mutex_lock(m);

    CHECK(error == EOWNERDEAD || error == ENOTRECOVERABLE);
    if (error == EOWNERDEAD)
        leave();
}

static void come_to_nothing(void)
{
    come_second();
    give_up();
}

static void hold_unsound_and_let_come(void)
{
    CHECK(fw_ipc_mutex_lock(m) == EOWNERDEAD);
    become_multithreaded();
}

/* Whoever comes next gives it up, if it is not done yet; and so it stays. */
static void survive_giving_up(void)
{
    give_up();
    CHECK(fw_ipc_mutex_lock(m) == ENOTRECOVERABLE);
    CHECK(fw_ipc_mutex_trylock(m) == ENOTRECOVERABLE);
    CHECK(fw_ipc_mutex_unlock(m) == EPERM);
}

/* Repaired by a function: nobody is told. */
static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    CHECK(death->process != getpid());
    fw_step_();
    here->a = here->b;
    fw_step_();
    return 0;
}

static void lock_all_with_repair(void)
{
    CHECK(fw_ipc_mutex_on_death(m, repair, NULL) == 0);
    lock_all();
    CHECK(fw_ipc_mutex_on_death(m, NULL, NULL) == 0);
}

/*
 * Where a victim locks, changes, and unlocks, others are told of its death from the step on in
 * which it gets the mutex, until the one in which it gives it back: two changes.
 */
static const struct row rows[] = {
    {"lock, first call", reset, NULL, NULL, lock_all, lock_all, lock_all, 2},
    {"lock", reset, NULL, be_member, lock_all, lock_all, lock_all, 2},
    {"trylock", reset, NULL, be_member, trylock_all, trylock_all, lock_all, 2},
    {"timedlock", reset, NULL, be_member, timedlock_all, timedlock_all, lock_all, 2},
    {"lock, held", reset, hold_until_it_rests, be_member, lock_all, NULL, lock_all, ANY_CHANGES},
    {"lock, held, first call", reset, hold_until_it_rests, NULL, lock_all, NULL, lock_all,
     ANY_CHANGES},
    {"lock, held, spinning", reset, hold_a_while, be_member, spinlock_all, NULL, lock_all,
     ANY_CHANGES},
    {"timedlock, held", reset, hold_until_it_rests, be_member, timedlock_all, NULL, lock_all,
     ANY_CHANGES},
    {"timedlock, too late", reset, hold_until_it_is_done, be_member, time_out, NULL, lock_all,
     ANY_CHANGES},
    {"unlock, another sleeps", reset, come_and_lock, hold_and_let_come, leave, NULL, lock_all, 1},
    /* The victim is told as well, then dies and makes others hear of it. */
    {"lock, holder dead", reset_dead, NULL, be_member, lock_all, lock_all, lock_all, 2},
    {"lock, holder dead, repaired by function", reset_dead, NULL, be_member, lock_all_with_repair,
     lock_all_with_repair, lock_all_with_repair, 0},
    {"lock, another locks", reset, NULL, be_member, lock_all, lock_all, lock_all, BESIDE},
    {"lock, holder dead, another locks", reset_dead, NULL, be_member, lock_all, lock_all, lock_all,
     BESIDE},
    {"give up", reset_dead, NULL, be_member, give_up, give_up, survive_giving_up, 0},
    {"give up, another sleeps", reset_dead, come_to_nothing, hold_unsound_and_let_come, leave, NULL,
     survive_giving_up, 0},
    {.name = NULL}};

const struct table mutex_table = {"mutex", rows, prepare};
