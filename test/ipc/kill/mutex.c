/* SPDX-License-Identifier: MIT */
/* The mutex.  The outcome of a run: how many were told that a holder has died. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/interrupt.h>
#include <furwock/ipc/mutex.h>

#include "region.h"

static fw_ipc_mutex *m;
static uint32_t *stop; /* a word that ends the victim's wait */

enum { LONG_ENOUGH_S = 3600, SHORT_MS = 5 };

static void prepare(void)
{
    m = object_new(sizeof *m);
    stop = object_new(sizeof *stop);
}

static void reset(void)
{
    CHECK(fw_ipc_mutex_init(m) == 0);
    *stop = 0;
}

/* By a holder: the generation has grown, and the data are whole, or the answer said otherwise. */
static void inside(int error)
{
    uint64_t generation = fw_ipc_mutex_generation(m);

    CHECK(fw_ipc_mutex_is_held_by_me(m));
    if (generation <= shared->last)
        fail("the generation is %llu after %llu", (unsigned long long)generation,
             (unsigned long long)shared->last);
    shared->last = generation;
    if (error == EOWNERDEAD) {
        fw_ipc_death death;
        add_outcome(1);
        CHECK(fw_ipc_mutex_death(m, &death) == 0);
        CHECK(death.generation <= generation);
        expect_dead(death.process);
        fw_step_();
        shared->a = shared->b;
        fw_step_();
        CHECK(fw_ipc_mutex_consistent(m) == 0);
    } else if (error != 0) {
        fail("lock: %s", strerror(error));
    }
    fw_step_();
    if (shared->a != shared->b)
        fail("the data are half changed: %llu %llu", (unsigned long long)shared->a,
             (unsigned long long)shared->b);
    shared->a++;
    fw_step_();
    shared->b++;
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

static void be_interrupted(void)
{
    fw_ipc_interrupt interrupt = FW_IPC_INTERRUPT_INIT(stop, 0);
    int error;

    interrupt.flags = FW_FUTEX_SHARED;
    error = fw_ipc_mutex_lock_policy(m, &interrupt.policy, NULL);
    if (error == ECANCELED)
        return;
    inside(error); /* it was had before */
    leave();
}

static void interrupt_idle_victim(void)
{
    stay_until_victim_idle();
    __atomic_store_n(stop, 1, __ATOMIC_RELEASE);
    CHECK(fw_futex_wake(stop, FW_FUTEX_ALL, FW_FUTEX_SHARED) >= 0);
}

static void hold(void)
{
    inside(fw_ipc_mutex_lock(m));
}

ROLE_3(hold_until_victim_idle, hold, stay_until_victim_idle, leave)
ROLE_3(hold_until_victim_done, hold, stay_until_victim_done, leave)
ROLE_3(interrupt_and_hold, interrupt_idle_victim, stay_until_victim_done, leave)
ROLE(hold_and_interrupt, hold, interrupt_and_hold)
ROLE_3(hold_interrupt_and_leave, hold, interrupt_idle_victim, leave)
ROLE(wait_and_lock, await_admission, lock_all)
ROLE(hold_and_admit, hold, admit_peer)

static void hold_a_while(void)
{
    hold();
    peer_is_ready();
    await_victim_begun();
    usleep(SHORT_MS * 1000);
    leave();
}

static void die_inside(void)
{
    hold();
    shared->a++;
}

static void reset_dead(void)
{
    reset();
    run_and_die(die_inside);
}

/* Unlocks without having repaired. */
static void give_up(void)
{
    int error = fw_ipc_mutex_lock(m);

    CHECK(error == EOWNERDEAD || error == ENOTRECOVERABLE);
    if (error == EOWNERDEAD)
        leave();
}

ROLE(wait_and_give_up, await_admission, give_up)

static void hold_unsound_and_admit(void)
{
    CHECK(fw_ipc_mutex_lock(m) == EOWNERDEAD);
    admit_peer();
}

/* The next process gives it up, if it is not done yet; and so it stays. */
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
    expect_dead(death->process);
    fw_step_();
    shared->a = shared->b;
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
static const struct kill_case cases[] = {
    {"lock, first call", reset, NULL, NULL, lock_all, lock_all, lock_all, 2},
    {"lock", reset, NULL, become_participant, lock_all, lock_all, lock_all, 2},
    {"trylock", reset, NULL, become_participant, trylock_all, trylock_all, lock_all, 2},
    {"timedlock", reset, NULL, become_participant, timedlock_all, timedlock_all, lock_all, 2},
    {"lock, held", reset, hold_until_victim_idle, become_participant, lock_all, NULL, lock_all,
     ANY_CHANGES},
    {"lock, held, first call", reset, hold_until_victim_idle, NULL, lock_all, NULL, lock_all,
     ANY_CHANGES},
    {"lock, held, spinning", reset, hold_a_while, become_participant, spinlock_all, NULL, lock_all,
     ANY_CHANGES},
    {"timedlock, held", reset, hold_until_victim_idle, become_participant, timedlock_all, NULL,
     lock_all, ANY_CHANGES},
    {"timedlock, too late", reset, hold_until_victim_done, become_participant, time_out, NULL,
     lock_all, ANY_CHANGES},
    {"lock, interrupted", reset, hold_and_interrupt, become_participant, be_interrupted, NULL,
     lock_all, ANY_CHANGES},
    {"lock, interrupted, free in the end", reset, hold_interrupt_and_leave, become_participant,
     be_interrupted, NULL, lock_all, ANY_CHANGES},
    {"unlock, another sleeps", reset, wait_and_lock, hold_and_admit, leave, NULL, lock_all, 1},
    /* The victim is told as well, then dies and makes others hear of it. */
    {"lock, holder dead", reset_dead, NULL, become_participant, lock_all, lock_all, lock_all, 2},
    {"lock, holder dead, repaired by function", reset_dead, NULL, become_participant,
     lock_all_with_repair, lock_all_with_repair, lock_all_with_repair, 0},
    {"lock, another locks", reset, NULL, become_participant, lock_all, lock_all, lock_all,
     CHANGES_BESIDE},
    {"lock, holder dead, another locks", reset_dead, NULL, become_participant, lock_all, lock_all,
     lock_all, CHANGES_BESIDE},
    {"give up", reset_dead, NULL, become_participant, give_up, give_up, survive_giving_up, 0},
    {"give up, another sleeps", reset_dead, wait_and_give_up, hold_unsound_and_admit, leave, NULL,
     survive_giving_up, 0},
    {.name = NULL}};

const struct kill_table mutex_table = {.name = "mutex", .cases = cases, .prepare = prepare};
