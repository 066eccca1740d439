/* SPDX-License-Identifier: MIT */
/*
 * Runs the threads of the mutex programs: mutex_script.h.
 */
#include "mutex_script.h"
#include "../kernel.h"
#include "../subject/atomic.h"
#include "../subject/subject.h"
#include "mutex_calls.h"
#include "mutex_check.h"
#include "programs.h"
#include "script.h"
#include "thread/mutex_word.h"

SCRIPT_WORDS(BLOCK, SPIN3, SPIN, YIELD, DEFAULT, ADAPT, LOCK, TIMED, TIMED_SPIN, TIMED_ADAPT,
             TIMED_REAL, TRY, POSIX, POSIX_TIMED, UNLOCK, FAIR, LET, LET_FAIR, FREE, HELD, NOT_HELD,
             TURN, DONE, GO, SPIN_ON, DONE_UNLOCK, TURN_UNLOCK);

static const fw_wait_policy policies[] = {
    [BLOCK] = {FW_WAIT_BLOCK, 0},     [SPIN3] = {FW_WAIT_SPIN_THEN_BLOCK, 3000},
    [SPIN] = {FW_WAIT_SPIN, 0},       [YIELD] = {FW_WAIT_YIELD, 0},
    [DEFAULT] = {FW_WAIT_DEFAULT, 0}, [ADAPT] = {FW_WAIT_ADAPTIVE, 3000}};

static fw_mutex *m;
static fw_half_ *counter; /* NULL: this program does not count */
static fw_half_ *is_done;

static void setup(void)
{
    m = mutex_check_setup(model_program->initial);
    counter = model_program->arg != NULL ? model_object("counter", 4, NULL, NULL) : NULL;
    is_done = model_program->tasks != NULL ? model_object("done", 8, NULL, NULL) : NULL;
}

/* The critical section lasts until the release is visible, so others have time to intrude. */
static void critical_section(unsigned self)
{
    mutex_check_enter(self);
    if (counter == NULL)
        return;
    fw_store32_relaxed(counter, fw_load32_relaxed(counter) + 1);
    if (mutex_in_use->owner(m) != (pid_t)(SUBJECT_FIRST_TID + self))
        model_thread_fail("owner", "fw_mutex_owner does not name thread %llu, which has the lock",
                          self, 0);
}

static int acquire(enum word how)
{
    switch (how) {
    case LOCK:
        mutex_in_use->lock(m);
        return 0;
    case TIMED:
        return mutex_in_use->lock_policy(m, &policies[BLOCK], &script_deadline);
    case TIMED_SPIN:
        return mutex_in_use->lock_policy(m, &policies[SPIN], &script_deadline);
    case TIMED_ADAPT:
        return mutex_in_use->lock_policy(m, &policies[ADAPT], &script_deadline);
    case TIMED_REAL:
        return mutex_in_use->lock_policy(m, &policies[BLOCK], &script_deadline_real);
    case TRY:
        return mutex_in_use->trylock(m);
    case POSIX:
        return mutex_in_use->lock_posix(m, NULL);
    case POSIX_TIMED:
        return mutex_in_use->lock_posix(m, &script_deadline);
    case HELD:
        return 0;
    default:
        return mutex_in_use->lock_policy(m, &policies[how], NULL);
    }
}

/* The memory may go when every other thread is on its last release, or has given up. */
static bool is_last(unsigned self)
{
    return script_is_last(self, MUTEX_GONE);
}

static void release(unsigned self, enum word how)
{
    if (how == TURN_UNLOCK)
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    if (how == DONE_UNLOCK)
        fw_store32_relaxed(is_done, 1);
    if (how == FREE && is_last(self)) {
        model_op(OP_FREE, m, 8, 0, 0, 0, 0);
        return;
    }
    if (how == FAIR) {
        mutex_check_fair_release(self);
        mutex_in_use->unlock_fair(m);
    } else if (how == LET || how == LET_FAIR) {
        mutex_in_use->unlock_posix(m, how == LET_FAIR);
    } else {
        mutex_in_use->unlock(m);
    }
}

/* One of priority 0 has the lock, which does not inherit; or somebody who has yet to sign. */
static bool ordinary_thread_has_it(void)
{
    uint32_t owner = fw_load32_relaxed((fw_half_ *)&m->state_);

    if (owner == 0 || (owner & MUTEX_HANDOFF) != 0)
        return false;
    return owner == FW_ID_HELD ||
           model_threads[(owner >> FW_ID_SHIFT) - SUBJECT_FIRST_TID].priority == 0;
}

/* Without the lock. */
static void act_alone(const unsigned *w)
{
    if (w[0] == TURN)
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    else if (w[0] == DONE)
        fw_store32_relaxed(is_done, 1);
    while (w[1] == SPIN_ON && fw_load32_relaxed(is_done) == 0 && !ordinary_thread_has_it())
        ;
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w += 2) {
        if (w[0] == TURN || w[0] == DONE || w[0] == GO) {
            act_alone(w);
        } else if (w[0] == NOT_HELD) {
            mutex_check_stranger(self);
            release(self, w[1]);
        } else if (acquire(w[0]) == 0) {
            critical_section(self);
            release(self, w[1]);
        } else {
            mutex_check_gave_up(self);
            if (w[1] == FREE)
                is_last(self);
        }
    }
}

static void handler(void)
{
    unsigned self = model_current;

    if (mutex_in_use->trylock(m) == 0) {
        critical_section(self);
        mutex_in_use->unlock(m);
    }
}

static void finished(void)
{
    if (model_shared.dead != 0)
        return;
    mutex_check_finished();
    if (counter != NULL && *counter != *shadow(MUTEX_ENTRIES))
        model_fail("lost update", "%llu entries, and the counter says %llu", *shadow(MUTEX_ENTRIES),
                   *counter);
}

HOOKS(mutex_hooks, .words = word_names, .setup = setup, .thread = thread, .handler = handler,
      .changed = mutex_check_changed, .finished = finished);
