// SPDX-License-Identifier: MIT
// Contract: differ.h.
//
//   phase     who leaves it
//   IDLE      the director: gives an order, BUSY
//   BUSY      the actor: does it, DONE; or is cancelled in it, GONE
//   DONE      the director: writes the result down, IDLE
//   GONE      the director: another thread takes the name, IDLE
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "differ.h"
#include "test/support/asleep.h"

#define STILL 3 // looks that find nobody moving, one after the other, before that is believed
#define LOOK_US 20

enum phase { IDLE, BUSY, DONE, GONE };

struct actor {
    pthread_t thread;
    int go; // an eventfd: waits without any of what is tested
    pid_t tid;
    enum phase phase;
    bool leave, doomed;
    struct order order;
    long result;
};

static struct actor actors[ACTORS];
static const struct family *family;

static void interrupted(int signal)
{
    (void)signal;
}

static void gone(void *me)
{
    struct actor *a = me;

    if (family->cancelled != NULL)
        family->cancelled(&a->order);
    __atomic_store_n(&a->phase, GONE, __ATOMIC_RELEASE);
}

static void obey(struct actor *a)
{
    long result;

    pthread_cleanup_push(gone, a);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    errno = 0;
    result = a->order.call(&a->order);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    a->result = result == -1 ? -errno : result;
    pthread_cleanup_pop(0);
    __atomic_store_n(&a->phase, DONE, __ATOMIC_RELEASE);
}

static void *life(void *me)
{
    struct actor *a = me;
    uint64_t one;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    a->tid = (pid_t)syscall(SYS_gettid);
    __atomic_store_n(&a->phase, IDLE, __ATOMIC_RELEASE);
    while (read(a->go, &one, sizeof(one)) == sizeof(one) && !a->leave)
        obey(a);
    return NULL;
}

static void birth(struct actor *a)
{
    a->leave = a->doomed = false;
    a->phase = BUSY;
    if (pthread_create(&a->thread, NULL, life, a) != 0)
        abort();
    while (__atomic_load_n(&a->phase, __ATOMIC_ACQUIRE) != IDLE)
        sched_yield();
}

static void funeral(struct actor *a)
{
    pthread_join(a->thread, NULL);
    birth(a);
}

void actors_start(const struct family *f)
{
    struct sigaction action = {.sa_handler = interrupted};

    family = f;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < ACTORS; i++) {
        actors[i].go = eventfd(0, 0);
        birth(&actors[i]);
    }
}

bool actor_sleeps(int who)
{
    return __atomic_load_n(&actors[who].phase, __ATOMIC_ACQUIRE) == BUSY;
}

bool actor_is_doomed(int who)
{
    return actors[who].doomed;
}

static bool moves(const struct actor *a)
{
    if (__atomic_load_n(&a->phase, __ATOMIC_ACQUIRE) != BUSY)
        return false;
    return a->order.ends || !is_asleep(a->tid);
}

static void write_down(int who, bool late)
{
    struct actor *a = &actors[who];
    enum phase phase = __atomic_load_n(&a->phase, __ATOMIC_ACQUIRE);

    if (phase == IDLE || (phase == BUSY && late))
        return;
    say("%d %s%s", who, late ? "... " : "", a->order.name);
    if (!late && a->order.when != NULL)
        say(" (clock %d, %s)", a->order.clock, a->order.when);
    if (phase == DONE) {
        say(" = %ld\n", a->result);
        a->phase = IDLE;
        family->ended(who, &a->order, a->result);
    } else if (phase == GONE) {
        say(": cancelled\n");
        funeral(a);
    } else {
        say(" sleeps\n");
    }
}

// Waits until nobody moves; the one who was told comes first, then who ended by it.
static void await_rest(int told)
{
    for (int still = 0; still < STILL; still++)
        for (int i = 0; i < ACTORS; i++)
            if (moves(&actors[i])) {
                still = -1;
                usleep(LOOK_US);
            }
    if (told != NO_ACTOR)
        write_down(told, false);
    for (int i = 0; i < ACTORS; i++)
        if (i != told)
            write_down(i, true);
}

void act(int who, struct order order)
{
    struct actor *a = &actors[who];
    uint64_t one = 1;

    a->order = order;
    __atomic_store_n(&a->phase, BUSY, __ATOMIC_RELEASE);
    if (write(a->go, &one, sizeof(one)) != sizeof(one))
        abort();
    await_rest(who);
}

void actor_dies(int who)
{
    struct actor *a = &actors[who];
    uint64_t one = 1;

    say("%d dies\n", who);
    a->leave = true;
    if (write(a->go, &one, sizeof(one)) != sizeof(one))
        abort();
    funeral(a);
    await_rest(NO_ACTOR);
}

void actor_cancel(int who)
{
    say("%d is to be cancelled\n", who);
    actors[who].doomed = true;
    pthread_cancel(actors[who].thread);
    await_rest(NO_ACTOR);
}

void actor_interrupt(int who, bool restart)
{
    say("%d gets a signal%s\n", who, restart ? ", to go on" : "");
    pthread_kill(actors[who].thread, restart ? SIGUSR2 : SIGUSR1);
    await_rest(NO_ACTOR);
}
