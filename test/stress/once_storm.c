/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include <furwock/once.h>

/*
 * Many threads at the same onces.  Initialisers fail, and are cancelled now and then; others fork
 * meanwhile.  In the end each once is done, its initialiser has succeeded once, and everybody who
 * came through has seen the result.
 */

enum { ONCES = 200 };

struct subject {
    fw_once once;
    unsigned successes; /* plain: whoever comes through must see it */
    unsigned inside;
};

static struct subject subjects[ONCES];
static uint64_t failures, cancelled;

/* What an initialiser is given. */
struct call {
    struct worker *me;
    struct subject *s;
    bool is_doomed; /* its thread has been cancelled */
};

static int initialise(void *arg)
{
    struct call *c = arg;

    if (__atomic_fetch_add(&c->s->inside, 1, __ATOMIC_RELAXED) != 0)
        stress_fail("two initialisers at once", NULL);
    if (draw(c->me, 4) == 0)
        sched_yield();
    if (draw(c->me, 8) == 0 && !c->is_doomed)
        sleep_us(100); /* a cancellation point */
    if (c->s->successes != 0)
        stress_fail("initialised again", NULL);
    __atomic_fetch_sub(&c->s->inside, 1, __ATOMIC_RELAXED);
    if (c->is_doomed) {
        __atomic_fetch_add(&cancelled, 1, __ATOMIC_RELAXED);
        pthread_testcancel(); /* does not return */
    }
    if (draw(c->me, 3) == 0) {
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        return EAGAIN;
    }
    c->s->successes++;
    return 0;
}

static void *doomed(void *arg)
{
    struct call *c = arg;

    pthread_cancel(pthread_self());
    fw_once_call(&c->s->once, initialise, c);
    return NULL; /* somebody else has initialised it */
}

/* A thread of its own, which ends inside of the initialiser if it gets there. */
static void send_doomed(struct worker *me, struct subject *s)
{
    struct worker other = {.random = me->random | 1};
    struct call c = {&other, s, true};
    pthread_t thread;

    if (pthread_create(&thread, NULL, doomed, &c) == 0)
        pthread_join(thread, NULL);
}

static void come_through(struct worker *me, struct subject *s)
{
    struct call c = {me, s, false};

    while (fw_once_call(&s->once, initialise, &c) != 0)
        continue;
    if (s->successes != 1)
        stress_fail("came through, and the result is not there", NULL);
}

/* In the child all onces can be done, whoever was at work at the fork. */
static void fork_and_go_on(struct worker *me)
{
    pid_t child = stress_fork();

    if (child == 0) {
        for (int i = 0; i < ONCES; i++) {
            if (!fw_once_is_done(&subjects[i].once))
                subjects[i].inside = subjects[i].successes = 0; /* half done: begin anew */
            come_through(me, &subjects[i]);
        }
        _exit(0);
    }
    stress_forked(child);
}

static void make(struct worker *me, int i)
{
    (void)me;
    subjects[i] = (struct subject){.once = FW_ONCE_INIT};
}

static void use_once(struct worker *me, int i)
{
    if (draw(me, 8) == 0)
        send_doomed(me, &subjects[i]);
    if (me->index == 1 && i == ONCES / 2)
        fork_and_go_on(me);
    come_through(me, &subjects[i]);
}

static void body(struct worker *me)
{
    stress_batches(me, ONCES, make, use_once);
}

static void end(void)
{
    if (failures == 0 || cancelled == 0)
        stress_fail("nothing has failed or been cancelled", NULL);
}

const struct stress_test once_tests[] = {
    {"once_storm", "Initialisers that fail, are cancelled, and are forked away", body, 60,
     .least_threads = 2, .most_threads = 64, .end = end, .has_to_fork = true},
    {0}};
