/* SPDX-License-Identifier: MIT */
/*
 * Runs the threads of the condition variable programs: cond_script.h.
 */
#include <errno.h>

#include "../kernel.h"
#include "../subject/subject.h"
#include "cond_script.h"
#include "mutex_check.h"
#include "script.h"
#include "thread_calls.h"

SCRIPT_WORDS(LOCK, UNLOCK, FAIR, WAIT, POLL, DEFAULT, TIMED, ONCE, POLL_ONCE, TIMED_ONCE, PUT,
             SIGNAL, BROADCAST, FREE, LEAVE, FOREIGN, FOREIGN_ONCE, FOREIGN_TIMED, REFUSED, HAND,
             RELEASE);

static bool counts; /* every wait is for one signal */
static fw_mutex *m;
static fw_cond *c;
static uint64_t *late; /* NULL: nothing is loose */

static bool is_for_one_signal(enum word w)
{
    return !((w >= WAIT && w <= TIMED) || w == FOREIGN || w == FOREIGN_TIMED);
}

static void setup(void)
{
    static const struct cond_script none;
    const struct cond_script *s = script_options(&none);

    cond_check_setup(&s->initial);
    m = cond_check_mutex();
    c = cond_check_cond();
    late = s->loose ? model_object("late", sizeof *late, NULL, NULL) : NULL;
    counts = true;
    subject_is_stale = s->is_stale;
    for (unsigned i = 0; i < model_thread_count; i++)
        for (const unsigned *w = script_words[i]; *w != END; w++)
            counts = counts && is_for_one_signal(*w);
}

static const fw_wait_policy *policy_of(enum word how)
{
    if (how == DEFAULT)
        return NULL;
    return how == POLL || how == POLL_ONCE ? &script_spinning : &script_blocking;
}

static void unlock(void)
{
    if (late != NULL)
        cond_in_use()->unlock_late(m, late, false);
    else
        cond_in_use()->unlock(m);
}

static int unlock_posix(void *arg)
{
    (void)arg;
    unlock();
    return 0;
}

static int unlock_refused(void *arg)
{
    (void)arg;
    return EPERM;
}

static int lock_posix(void *arg, bool is_counted)
{
    (void)arg;
    if (!is_counted)
        return cond_in_use()->lock_policy(m, &script_blocking, NULL);
    cond_in_use()->lock_registered(m);
    return 0;
}

static int wait_posix(enum word how, const fw_deadline *until)
{
    struct fw_cond_mutex_ mutex = {.unlock = how == REFUSED ? unlock_refused : unlock_posix,
                                   .lock = lock_posix};

    if (how < FOREIGN) {
        mutex.moves = m;
        mutex.late = late;
    }
    return cond_in_use()->wait_posix(c, &mutex, until);
}

/* True: woken. */
static bool wait_once(unsigned self, enum word how)
{
    bool timed = how == TIMED || how == TIMED_ONCE || how == FOREIGN_TIMED;
    const fw_deadline *until = timed ? &script_deadline : NULL;
    int error;

    cond_check_wait(self);
    error = late != NULL ? wait_posix(how, until)
                         : cond_in_use()->wait_policy(c, m, policy_of(how), until);
    cond_check_back(self, error == 0 ? WAIT_WOKEN : WAIT_TIMED_OUT);
    return error == 0;
}

static void wait_for_token(unsigned self, enum word how)
{
    uint64_t *tokens = cond_check_tokens();
    bool over = false;

    while (*tokens == 0 && !over)
        over = !wait_once(self, how);
    if (*tokens != 0)
        --*tokens;
}

/* The memory of the mutex may go when every other thread is on its last release. */
static void leave(unsigned self)
{
    bool last = script_is_last(self, MUTEX_GONE);

    unlock();
    if (last)
        cond_check_free(self, true);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case LOCK:
        (void)!cond_in_use()->lock_policy(m, &script_blocking, NULL);
        cond_check_enter(self);
        break;
    case UNLOCK:
        unlock();
        break;
    case HAND: /* by something that is written later than the mutex */
        model_op(OP_FENCE_LOCAL, NULL, 0, 0, 0, 0, 0);
        cond_check_hand(true);
        break;
    case RELEASE:
        while (!cond_check_hand(false))
            model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
        unlock();
        break;
    case FAIR:
        cond_in_use()->unlock_fair(m);
        break;
    case PUT:
        ++*cond_check_tokens();
        break;
    case SIGNAL:
        cond_check_signal(self, false);
        cond_in_use()->signal(c);
        cond_check_signalled(self);
        break;
    case BROADCAST:
        cond_check_signal(self, true);
        cond_in_use()->broadcast(c);
        cond_check_signalled(self);
        break;
    case FREE:
        cond_check_free(self, false);
        break;
    case LEAVE:
        leave(self);
        break;
    case ONCE:
    case POLL_ONCE:
    case TIMED_ONCE:
    case FOREIGN_ONCE:
    case REFUSED:
        wait_once(self, w);
        break;
    default:
        wait_for_token(self, w);
    }
}

static void cancelled(unsigned self)
{
    cond_check_back(self, WAIT_CANCELLED);
    unlock();
}

static void finished(void)
{
    cond_check_finished(counts);
}

HOOKS(cond_hooks, .words = word_names, .setup = setup, .act = act, .cancelled = cancelled,
      .changed = cond_check_changed, .finished = finished);
