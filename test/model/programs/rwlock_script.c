/* SPDX-License-Identifier: MIT */
/*
 * Runs the threads of the read-write lock programs: rwlock_script.h.
 */
#include "rwlock_script.h"
#include "../buckets.h"
#include "../kernel.h"
#include "../subject/subject.h"
#include "rwlock_calls.h"
#include "script.h"
#include "thread/rwlock_word.h"

SCRIPT_WORDS(READ, WRITE, UP, SPIN_READ, SPIN_WRITE, DEFAULT_READ, DEFAULT_WRITE, TIMED_READ,
             TIMED_WRITE, TIMED_UP, REAL_WRITE, TRY_READ, TRY_WRITE, TRY_UP, UPGRADE, TIMED_UPGRADE,
             TRY_UPGRADE, DOWNGRADE, DOWNGRADE_UP, AGAIN, UNLOCK, UNLOCK_ANY, LEAVE, TURN, SPIN,
             DONE);

static fw_rwlock *l;
static fw_half_ *is_done;

static void setup(void)
{
    static const struct rwlock_script none;
    const struct rwlock_script *s = script_options(&none);

    l = rwlock_check_setup(s->kind, s->state, s->line);
    is_done = model_program->tasks != NULL ? model_object("done", 8, NULL, NULL) : NULL;
    subject_is_stale = s->is_stale;
}

/* --- Taking --------------------------------------------------------------------------------- */

static int take(enum word w, enum rwlock_mode *mode)
{
    const struct rwlock_calls *calls = rwlock_in_use;

    *mode = w == READ || w == SPIN_READ || w == DEFAULT_READ || w == TIMED_READ || w == TRY_READ
                ? RWLOCK_READS
            : w == UP || w == TIMED_UP || w == TRY_UP ? RWLOCK_UPREADS
                                                      : RWLOCK_WRITES;
    switch (w) {
    case READ:
        return calls->rdlock_policy(l, &script_blocking, NULL);
    case WRITE:
        return calls->wrlock_policy(l, &script_blocking, NULL);
    case UP:
        return calls->uplock_policy(l, &script_blocking, NULL);
    case SPIN_READ:
        return calls->rdlock_policy(l, &script_spinning, NULL);
    case SPIN_WRITE:
        return calls->wrlock_policy(l, &script_spinning, NULL);
    case DEFAULT_READ:
        calls->rdlock(l);
        return 0;
    case DEFAULT_WRITE:
        calls->wrlock(l);
        return 0;
    case TIMED_READ:
        return calls->rdlock_policy(l, &script_blocking, &script_deadline);
    case TIMED_WRITE:
        return calls->wrlock_policy(l, &script_blocking, &script_deadline);
    case TIMED_UP:
        return calls->uplock_policy(l, &script_blocking, &script_deadline);
    case REAL_WRITE:
        return calls->wrlock_policy(l, &script_blocking, &script_deadline_real);
    case TRY_READ:
        return calls->tryrdlock(l);
    case TRY_WRITE:
        return calls->trywrlock(l);
    default:
        return calls->tryuplock(l);
    }
}

/* --- Changing modes ------------------------------------------------------------------------- */

static void check_owner(unsigned self)
{
    if (rwlock_in_use->owner(l) != (pid_t)(SUBJECT_FIRST_TID + self))
        model_thread_fail("owner", "fw_rwlock_owner does not name thread %llu, which has the lock",
                          self, 0);
}

static void upgrade(unsigned self, enum word w)
{
    int error = w == TRY_UPGRADE
                    ? rwlock_in_use->tryupgrade(l)
                    : rwlock_in_use->timedupgrade(l, w == TIMED_UPGRADE ? &script_deadline : NULL);

    rwlock_check_has(self, error == 0 ? RWLOCK_WRITES : RWLOCK_UPREADS);
    check_owner(self);
}

static void downgrade(unsigned self, enum word w)
{
    enum rwlock_mode to = w == DOWNGRADE ? RWLOCK_READS : RWLOCK_UPREADS;

    rwlock_check_changes(self, to);
    if (w == DOWNGRADE)
        rwlock_in_use->downgrade(l);
    else
        rwlock_in_use->downgrade_upgradable(l);
    rwlock_check_has(self, to);
}

/* --- Letting go ----------------------------------------------------------------------------- */

static void let_go(unsigned self, enum rwlock_mode mode, enum word w)
{
    bool last = w == LEAVE && rwlock_check_is_last(self) && mode == RWLOCK_WRITES;

    rwlock_check_changes(self, RWLOCK_NONE);
    if (w == UNLOCK_ANY)
        rwlock_in_use->unlock(l);
    else if (mode == RWLOCK_READS)
        rwlock_in_use->rdunlock(l);
    else if (mode == RWLOCK_WRITES)
        rwlock_in_use->wrunlock(l);
    else
        rwlock_in_use->upunlock(l);
    if (last)
        model_op(OP_FREE, l, sizeof *l, 0, 0, 0, 0);
}

static void read_again(unsigned self)
{
    if (rwlock_in_use->rdlock_policy(l, &script_blocking, NULL) != 0)
        return;
    rwlock_check_back(self);
    rwlock_in_use->rdunlock(l);
}

/* One of priority 0 has the lock, or is inside the bucket: that lock does inherit, but not here. */
static bool ordinary_thread_has_it(void)
{
    uint64_t inside = fw_load64_relaxed(&buckets_only()->inside);
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    if (inside != 0 && model_threads[inside - 1].priority == 0)
        return true;
    return rw_has_writer(w) &&
           model_threads[(rw_owner(w) >> FW_ID_SHIFT) - SUBJECT_FIRST_TID].priority == 0;
}

/* Without the lock. */
static void act_alone(enum word w)
{
    if (w == TURN)
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    else if (w == DONE)
        fw_store32_relaxed(is_done, 1);
    else
        while (fw_load32_relaxed(is_done) == 0 && !ordinary_thread_has_it())
            ;
}

static void act(unsigned self, unsigned w)
{
    enum rwlock_mode mode = rwlock_check_mode(self);

    if (w >= TURN) {
        act_alone(w);
    } else if (w < UPGRADE && mode == RWLOCK_NONE) {
        int error = take(w, &mode);
        rwlock_check_back(self);
        if (error == 0)
            rwlock_check_has(self, mode);
    } else if (w >= UPGRADE && w <= TRY_UPGRADE && mode == RWLOCK_UPREADS) {
        upgrade(self, w);
    } else if ((w == DOWNGRADE && mode >= RWLOCK_UPREADS) ||
               (w == DOWNGRADE_UP && mode == RWLOCK_WRITES)) {
        downgrade(self, w);
    } else if (w == AGAIN && mode == RWLOCK_READS) {
        read_again(self);
    } else if (w >= UNLOCK && mode != RWLOCK_NONE) {
        let_go(self, mode, w);
    } else if (w == LEAVE) {
        rwlock_check_is_last(self);
    }
}

HOOKS(rwlock_hooks, .words = word_names, .setup = setup, .act = act,
      .changed = rwlock_check_changed, .finished = rwlock_check_finished);
