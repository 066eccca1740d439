/* SPDX-License-Identifier: MIT */
/*
 * The programs for cancellable waits (src/await/note.c): a thread waits for the mutex, or for a
 * signal and then for the mutex, by an operation of a group, beside operations on the events of a
 * note and its parent.  The operations lie on its stack.  So these are also the programs for an
 * operation that waits for a condition variable and goes on to the mutex (src/await/cond.c), for
 * the end of one by its owner, and for groups.  The words:
 *
 *   lock, unlock, once   a thread takes the mutex; waits once for a signal, as in cond_script.h
 *   held                 it has the mutex from the start (A)
 *   note-lock            takes the mutex, unless the note is notified before; if it does not get
 *                        it, its words up to `unlock` are left out
 *   timed-lock           the same with a deadline
 *   note-once            waits once for a signal, or until the note is notified
 *   timed-once           the same with a deadline
 *   signal, broadcast
 *   notify, notify-parent
 *
 * Checked besides what cond_check.h checks: that a wait is cancelled only if it was notified, and
 * times out only where it may; that nobody sleeps who was notified; and that no waker touches the
 * memory of a wait that has returned (NT1; the engine does).
 */
#include <errno.h>

#include <furwock/note.h>

#include "../engine/report.h"
#include "../subject/subject.h"
#include "cond_check.h"
#include "script.h"
#include "thread_calls.h"

SCRIPT_WORDS(LOCK, HELD, UNLOCK, ONCE, NOTE_LOCK, TIMED_LOCK, NOTE_ONCE, TIMED_ONCE, SIGNAL,
             BROADCAST, NOTIFY, NOTIFY_PARENT);

/* In model_shared.shadow, behind those of cond_check.c. */
enum shadow {
    NOTIFIED = MODEL_SHADOW_WORDS - 2, /* somebody is about to notify, or has notified */
    NOTED                              /* bit per thread: it is in a wait with the note */
};

static fw_mutex *m;
static fw_cond *c;
static fw_note *n, *parent;

static void setup(void)
{
    static const struct cond_check_options none;

    cond_check_setup(script_options(&none));
    m = cond_check_mutex();
    c = cond_check_cond();
    n = model_object("note", sizeof *n, NULL, NULL);
    parent = model_object("parent", sizeof *parent, NULL, NULL);
    (void)!fw_note_init(parent, NULL, NULL);
    (void)!fw_note_init(n, parent, NULL);
}

static const fw_deadline *until(enum word how)
{
    return how == TIMED_LOCK || how == TIMED_ONCE ? &script_deadline : NULL;
}

static void check_result(unsigned self, enum word how, int error)
{
    *shadow(NOTED) &= ~model_bit(self);
    if (error == ECANCELED && *shadow(NOTIFIED) == 0)
        model_thread_fail("cancelled", "nobody has notified the note", 0, 0);
    if (error != 0 && error != ECANCELED && !(error == ETIMEDOUT && until(how) != NULL))
        model_thread_fail("result", "the wait returns %llu", (uint64_t)error, 0);
}

/* True: it has the mutex. */
static bool lock_with_note(unsigned self, enum word how)
{
    int error;

    *shadow(NOTED) |= model_bit(self);
    error = note_in_use()->lock(m, n, until(how));
    check_result(self, how, error);
    if (error == 0)
        cond_check_enter(self);
    else
        report_remark(self, "has given up");
    return error == 0;
}

static void wait_with_note(unsigned self, enum word how)
{
    int error;

    cond_check_wait(self);
    *shadow(NOTED) |= model_bit(self);
    error = note_in_use()->wait(c, m, n, until(how));
    check_result(self, how, error);
    cond_check_back(self, error == 0 ? WAIT_WOKEN : WAIT_TIMED_OUT);
}

static void signal_one_or_all(unsigned self, bool all)
{
    cond_check_signal(self, all);
    if (all)
        note_in_use()->broadcast(c);
    else
        note_in_use()->signal(c);
    cond_check_signalled(self);
}

static void notify(fw_note *which)
{
    *shadow(NOTIFIED) = 1;
    note_in_use()->notify(which);
}

/* False: it has not got the mutex. */
static bool act(unsigned self, enum word w)
{
    switch (w) {
    case LOCK:
        (void)!note_in_use()->lock_policy(m, &script_blocking, NULL);
        cond_check_enter(self);
        break;
    case HELD:
        cond_check_enter(self);
        break;
    case NOTE_LOCK:
    case TIMED_LOCK:
        return lock_with_note(self, w);
    case UNLOCK:
        note_in_use()->unlock(m);
        break;
    case ONCE:
        cond_check_wait(self);
        (void)!note_in_use()->wait_policy(c, m, &script_blocking, NULL);
        cond_check_back(self, WAIT_WOKEN);
        break;
    case NOTE_ONCE:
    case TIMED_ONCE:
        wait_with_note(self, w);
        break;
    case SIGNAL:
    case BROADCAST:
        signal_one_or_all(self, w == BROADCAST);
        break;
    default:
        notify(w == NOTIFY ? n : parent);
    }
    return true;
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w++)
        if (!act(self, *w))
            while (*w != UNLOCK)
                w++;
}

static void finished(void)
{
    cond_check_finished(true);
    for (unsigned i = 0; i < model_shared.asleep; i++)
        if (*shadow(NOTIFIED) != 0 && (*shadow(NOTED) & model_bit(model_shared.queue[i])) != 0)
            model_fail("lost notification", "thread %llu sleeps, and was notified",
                       model_shared.queue[i], 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread,
             .changed = cond_check_changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .buckets = 1)
#define HELD_BY_A \
    WITH_OPTIONS(cond_check_options, .mutex = SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD)

static const struct model_program programs[] = {
    /* --- For the mutex ---------------------------------------------------------------------- */
    PROGRAM("note-lock", "held unlock | note-lock unlock | notify", HELD_BY_A, BOUND(3, 4)),
    PROGRAM("note-lock-free", "lock unlock | note-lock unlock | notify", BOUND(3, 4)),
    PROGRAM("note-lock-two", "lock unlock | note-lock unlock | note-lock unlock | notify",
            .generic = true, BOUND(2, 3)),
    PROGRAM("note-lock-parent", "held unlock | note-lock unlock | notify-parent", HELD_BY_A,
            BOUND(3, 4)),
    PROGRAM("note-lock-twice", "held unlock | note-lock unlock | notify | notify-parent", HELD_BY_A,
            .generic = true, BOUND(2, 3), ABOUT("a note and its parent are notified at once")),
    PROGRAM("note-lock-timed", "held unlock | timed-lock unlock", HELD_BY_A, TICKS(1), BOUND(3, 4)),
    PROGRAM("note-lock-spurious", "lock unlock | note-lock unlock | notify", .generic = true,
            BOUND(2, 3), INTERRUPTED),
    /* --- For a signal, and then for the mutex ------------------------------------------------ */
    PROGRAM("note-wait", "lock note-once unlock | lock signal unlock | notify", .generic = true,
            BOUND(3, 4)),
    PROGRAM("note-wait-after", "lock note-once unlock | signal | notify", .generic = true,
            BOUND(3, 4)),
    PROGRAM("note-wait-holder", "lock note-once unlock | signal | lock unlock | notify",
            .generic = true, BOUND(2, 3),
            ABOUT("another has the mutex when it is signalled, or notified")),
    PROGRAM("note-wait-other", "lock note-once unlock | lock once unlock | signal | notify",
            MAY_SLEEP, .generic = true, BOUND(2, 3),
            ABOUT("one that is cancelled takes no signal from another")),
    PROGRAM("note-wait-two", "lock note-once unlock | lock note-once unlock | signal | notify",
            .generic = true, BOUND(2, 3)),
    PROGRAM("note-wait-all", "lock note-once unlock | lock once unlock | broadcast | notify",
            MAY_SLEEP, .generic = true, BOUND(2, 3)),
    PROGRAM("note-wait-signal", "lock note-once unlock | lock signal unlock", MAY_SLEEP,
            .generic = true, BOUND(3, 4), ABOUT("nobody notifies")),
    PROGRAM("note-wait-parent", "lock note-once unlock | notify-parent", BOUND(3, 4)),
    PROGRAM("note-wait-timed", "lock timed-once unlock | lock signal unlock", MAY_SLEEP, TICKS(1),
            .generic = true, BOUND(3, 4), ABOUT("it times out as it goes to the mutex")),
    PROGRAM("note-wait-timed-other", "lock timed-once unlock | lock once unlock | signal",
            MAY_SLEEP, TICKS(1), .generic = true, BOUND(2, 3),
            ABOUT("the signal of one that has timed out is another's")),
    PROGRAM("note-wait-timed-mutex",
            "lock timed-once unlock | lock once unlock | lock signal unlock", MAY_SLEEP, TICKS(1),
            .generic = true, BOUND(2, 3), ABOUT("the same, and it was at the mutex by then")),
};

GROUP(note, "note");
