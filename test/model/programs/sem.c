/* SPDX-License-Identifier: MIT */
/*
 * The programs for semaphores, events and wait-any.  The words of their scripts:
 *
 *   wait, timed, poll, default   takes a unit of s: blocking, until it times out, never
 *                                sleeping, with the default policy
 *   posix, posix-timed           the same as sem_wait has it: EINTR, and a cancellation point
 *   try                          takes one if there is one
 *   posix-try                    the same as sem_trywait has it: also one that is reserved
 *   post, post2                  adds one, two
 *   wait-t, post-t               the same with a second semaphore
 *   any, any-timed               waits for s or t
 *   pass, pass-timed             waits for the event
 *   any-e                        waits for the event or s
 *   set, reset                   the event
 *   free                         frees s and the event
 *
 * At every change: the words say what permits_word.h allows, and who is to be woken is being woken.
 * In the end: no unit was lost or made up; nobody sleeps beside a unit; who is not there is not
 * counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "script.h"
#include "thread/permits_word.h"
#include "thread_calls.h"

struct sem_script {
    uint64_t s, t;       /* the words at the start */
    uint32_t max;        /* of s; 0: none */
    uint32_t spin_state; /* of s; not 0: that many waits with the default policy sleep at once */
    bool automatic;      /* the event */
    bool may_pass;       /* a reserved unit may be taken by another */
};

SCRIPT_WORDS(WAIT, TIMED, POLL, DEFAULT, POSIX, POSIX_TIMED, TRY, POSIX_TRY, POST, POST2, WAIT_T,
             POST_T, ANY, ANY_TIMED, PASS, PASS_TIMED, ANY_E, SET, RESET, FREE);

/* In model_shared.shadow: of s, of t, and of an automatic event. */
enum shadow { OFFERED, TAKEN = OFFERED + 3, ADDED = TAKEN + 3, SHADOW_WORDS = ADDED + 3 };
enum supply { S, T, E };

static fw_sem *s, *t;
static fw_event *e;
static bool may_pass;

/* --- The words ------------------------------------------------------------------------------ */

static const struct model_part parts[] = {
    {"value", 0, 4}, {"sleepers", 4, 4}, {"guess", 12, 4}, {"spin", 16, 4}, {NULL, 0, 0}};
static const struct model_part event_parts[] = {{"set", 0, 4}, {"waiters", 4, 4}, {NULL, 0, 0}};

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    uint64_t w = offset == 4 ? value << 32 : value;

    if (offset > 4)
        snprintf(text, text_size, "%" PRIu64, value);
    else
        snprintf(text, text_size, "%u%s, %u waiting, %u waking%s", permits_value(w),
                 is_reserved(w) ? " RESERVED" : "", permits_waiters(w), permits_waking(w),
                 is_rechecking(w) ? " RE-CHECKING" : "");
    (void)size;
}

static void setup(void)
{
    static const struct sem_script none;
    const struct sem_script *script = script_options(&none);

    s = model_object("s", sizeof *s, parts, decode);
    t = model_object("t", sizeof *t, parts, decode);
    e = model_object("e", sizeof *e, script->automatic ? parts : event_parts,
                     script->automatic ? decode : NULL);
    may_pass = script->may_pass;
    s->state_ = script->s;
    s->guess_ = (uint32_t)script->s;
    s->spin_ = script->spin_state;
    s->limit_ = script->max == 0 ? 0 : FW_SEM_MAX ^ script->max;
    t->state_ = script->t;
    e->kind_ = script->automatic ? FW_EVENT_AUTO : FW_EVENT_MANUAL;
    *shadow(OFFERED + S) = permits_value(s->state_);
    *shadow(ADDED + S) = permits_value(s->state_);
    *shadow(OFFERED + T) = permits_value(t->state_);
    *shadow(ADDED + T) = permits_value(t->state_);
}

/* --- What holds at every change ------------------------------------------------------------- */

static void check_units(uint64_t word)
{
    uint64_t w = without_stale(word, model_program->generation);

    if (permits_waiters(w) == 0 && w != permits_value(w))
        model_fail("word", "nobody waits, and the word is 0x%llx", w, 0);
    if (is_reserved(w) && permits_waiters(w) == 0)
        model_fail("word", "a unit is reserved for nobody: 0x%llx", w, 0);
    if (is_rechecking(w) && !is_reserved(w))
        model_fail("word", "somebody re-checks without a reservation: 0x%llx", w, 0);
    if (permits_available(w) > 0 && permits_others(w) > 0 && permits_waking(w) == 0)
        model_fail("stranded", "a unit is available, and nobody is on the way: 0x%llx", w, 0);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    const struct model_object *o = model_object_at(addr, 8);
    bool is_auto = e->kind_ == FW_EVENT_AUTO;

    (void)thread;
    if (addr == (uint64_t)(uintptr_t)s && !may_pass && is_reserved(before) &&
        is_reserved(s->state_) && permits_value(before) == 1 && permits_value(s->state_) == 0)
        model_fail("stolen", "somebody else took the unit that was reserved", 0, 0);
    if (o == NULL || (model_shared.dead >> (o - model_objects) & 1) != 0)
        return;
    if (addr == (uint64_t)(uintptr_t)s || addr == (uint64_t)(uintptr_t)t ||
        (is_auto && addr == (uint64_t)(uintptr_t)e))
        check_units(*(const uint64_t *)(uintptr_t)addr);
}

/* --- What threads do ------------------------------------------------------------------------ */

static void took(unsigned self, enum supply which)
{
    static const char *const remarks[] = {"has one of s", "has one of t", "passes"};
    uint64_t taken = ++*shadow(TAKEN + which);

    report_remark(self, remarks[which]);
    if (taken > *shadow(OFFERED + which))
        model_thread_fail("made up", "%llu were taken, and only %llu were there", taken,
                          *shadow(OFFERED + which));
}

static void add(fw_sem *to, enum supply which, uint32_t n)
{
    int error;

    *shadow(OFFERED + which) += n;
    error = n == 1 ? sem_in_use()->post(to) : sem_in_use()->post_n(to, n);
    if (error == 0)
        *shadow(ADDED + which) += n;
    else
        *shadow(OFFERED + which) -= n;
}

static void take(unsigned self, enum word w)
{
    const fw_wait_policy *policy = w == DEFAULT ? NULL
                                   : w == POLL  ? &script_spinning
                                                : &script_blocking;
    int error = w == TRY
                    ? sem_in_use()->trywait(s)
                    : sem_in_use()->wait_policy(s, policy, w == TIMED ? &script_deadline : NULL);

    if (error == 0)
        took(self, S);
    else if (error != (w == TRY ? EAGAIN : ETIMEDOUT) || (w != TRY && w != TIMED))
        model_thread_fail("answer", "thread %llu got error %llu", self, (uint64_t)error);
}

static void take_posix(unsigned self, enum word w)
{
    int error = sem_in_use()->wait_posix(s, w == POSIX_TIMED ? &script_deadline : NULL);

    if (error == 0)
        took(self, S);
    else if (error != (model_program->budget.eintr > 0 ? EINTR : ETIMEDOUT))
        model_thread_fail("answer", "thread %llu got error %llu", self, (uint64_t)error);
}

/* That it found none can be told afterwards only where nobody else takes one. */
static void try_posix(unsigned self)
{
    if (sem_in_use()->trywait_posix(s))
        took(self, S);
}

static void choose(unsigned self, enum word w)
{
    const fw_any objects[] = {{w == ANY_E ? FW_ANY_EVENT : FW_ANY_SEM, w == ANY_E ? (void *)e : s},
                              {FW_ANY_SEM, w == ANY_E ? s : t}};
    unsigned which;

    if (sem_in_use()->wait_any(objects, 2, w == ANY_TIMED ? &script_deadline : NULL, &which) != 0)
        return;
    if (w != ANY_E)
        took(self, which == 0 ? S : T);
    else if (which == 1)
        took(self, S);
    else if (e->kind_ == FW_EVENT_AUTO)
        took(self, E);
}

static void set(void)
{
    ++*shadow(OFFERED + E); /* some of these may come to nothing: it is set already */
    sem_in_use()->set(e);
}

static void pass(unsigned self, const fw_deadline *until)
{
    if (sem_in_use()->pass_policy(e, &script_blocking, until) == 0 && e->kind_ == FW_EVENT_AUTO)
        took(self, E);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case POST:
    case POST2:
        add(s, S, w == POST ? 1 : 2);
        break;
    case POSIX:
    case POSIX_TIMED:
        take_posix(self, w);
        break;
    case POSIX_TRY:
        try_posix(self);
        break;
    case POST_T:
        add(t, T, 1);
        break;
    case WAIT_T:
        (void)!sem_in_use()->wait_policy(t, &script_blocking, NULL);
        took(self, T);
        break;
    case ANY:
    case ANY_TIMED:
    case ANY_E:
        choose(self, w);
        break;
    case PASS:
    case PASS_TIMED:
        pass(self, w == PASS ? NULL : &script_deadline);
        break;
    case SET:
        set();
        break;
    case RESET:
        sem_in_use()->reset(e);
        break;
    case FREE:
        model_op(OP_FREE, s, sizeof *s, 0, 0, 0, 0);
        model_op(OP_FREE, e, sizeof *e, 0, 0, 0, 0);
        break;
    default:
        take(self, w);
    }
}

/* --- What holds in the end ------------------------------------------------------------------ */

static void check_supply(const void *object, enum supply which)
{
    uint64_t w = without_stale(*(const uint64_t *)object, model_program->generation);
    uint64_t left = *shadow(ADDED + which) - *shadow(TAKEN + which);

    if (script_is_freed(object))
        return;
    if (which != E && permits_value(w) != left)
        model_fail("lost unit", "there should be %llu units, and there are %llu", left,
                   permits_value(w));
    if (permits_value(w) > 0 && permits_waiters(w) > 0)
        model_fail("lost wake-up", "%llu wait beside %llu units", permits_waiters(w),
                   permits_value(w));
    if (model_shared.asleep == 0 && w != permits_value(w))
        model_fail("word", "nobody is there any more, and the word is 0x%llx", w, 0);
}

static void finished(void)
{
    check_supply(s, S);
    check_supply(t, T);
    if (e->kind_ == FW_EVENT_AUTO)
        check_supply(e, E);
    else if (!script_is_freed(e) && model_shared.asleep == 0 && e->state_ >> 32 != 0)
        model_fail("word", "nobody is there any more, and the event counts waiters", 0, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)
#define WITH(...) WITH_OPTIONS(sem_script, __VA_ARGS__)
/* No polling. */
#define SLEEPS .spin_state = 1000

static const struct model_program programs[] = {
    /* --- Waits and posts -------------------------------------------------------------------- */
    PROGRAM("sem-two", "wait wait | post post"),
    PROGRAM("sem-back", "post wait-t post wait-t | wait post-t wait post-t"),
    PROGRAM("sem-waiters", "wait | wait | post post"),
    PROGRAM("sem-posters", "wait wait | post | post"),
    PROGRAM("sem-post2", "wait | wait | post2"),
    PROGRAM("sem-post2-three", "wait | wait | wait | post2 post", BOUND(2, 3)),
    PROGRAM("sem-barger", "wait | try | post post", MAY_SLEEP,
            ABOUT("somebody takes units from under the waiter")),
    PROGRAM("sem-mutex", "wait post | wait post | wait post", BOUND(3, 4), WITH(.s = 1, .max = 1)),
    PROGRAM("sem-binary", "wait | post post | post", WITH(.max = 1), MAY_SLEEP),
    PROGRAM("sem-default", "default default | post post", TICKS(2),
            ABOUT("polls a little, then sleeps")),
    PROGRAM("sem-poll", "poll | wait | post post", BOUND(3, 4)),
    /* --- Disturbances ----------------------------------------------------------------------- */
    PROGRAM("sem-spurious", "wait | wait | post post", INTERRUPTED, BOUND(3, 4)),
    PROGRAM("sem-timed", "timed | wait | post", TICKS(1), MAY_SLEEP),
    PROGRAM("sem-timed-two", "timed | timed | post post", TICKS(2), BOUND(3, 4)),
    PROGRAM("sem-starving", "wait | try try | post post post", TICKS(2), BOUND(3, 4), MAY_SLEEP,
            ABOUT("a waiter that loses for long reserves a unit")),
    PROGRAM("sem-starving-two", "wait | wait | try | post post post",
            .budget = {.ticks = 2, .spurious = 1}, BOUND(2, 3), MAY_SLEEP),
    PROGRAM("sem-starving-timed", "timed | try try | post post post", TICKS(2), BOUND(3, 4),
            MAY_SLEEP),
    PROGRAM("sem-starving-late", "timed | wait | post try | post", TICKS(3), BOUND(1, 2), MAY_SLEEP,
            ABOUT("it gives up as its unit comes, beside a second waiter")),
    /* --- As the POSIX drop-in has it ---------------------------------------------------------- */
    PROGRAM("sem-posix", "posix | posix | post post", INTERRUPTED, BOUND(3, 4), WITH(SLEEPS),
            ABOUT("a spurious wake and a signal handler")),
    PROGRAM("sem-posix-cancel", "posix | wait | post", CANCELS(1), MAY_SLEEP, WITH(SLEEPS)),
    PROGRAM("sem-posix-cancel-two", "posix | wait | post post", CANCELS(1), BOUND(3, 4),
            WITH(SLEEPS)),
    PROGRAM("sem-posix-timed", "posix-timed | posix | post", MAY_SLEEP,
            .budget = {.ticks = 1, .cancels = 1}, BOUND(3, 4), WITH(SLEEPS),
            ABOUT("a waiter gives up, another is cancelled")),
    PROGRAM("sem-posix-starving", "posix | try try | post post post", MAY_SLEEP,
            .budget = {.ticks = 2, .cancels = 1}, BOUND(4, 5), WITH(SLEEPS),
            ABOUT("one with a reservation is cancelled")),
    PROGRAM("sem-posix-starving-two", "posix | wait | post try post try | post", MAY_SLEEP,
            .budget = {.ticks = 2, .cancels = 1}, BOUND(2, 3), WITH(SLEEPS)),
    PROGRAM("sem-posix-passed", "posix | post posix-try post posix-try post posix-try post",
            TICKS(2), BOUND(6, 8), WITH(SLEEPS, .may_pass = true),
            ABOUT("the poster takes a reserved unit itself")),
    PROGRAM("sem-fork", "wait wait | post post", .generation = 1,
            WITH(.s = 2 * PERMITS_WAITER | PERMITS_RESERVED | PERMITS_RECHECKING),
            ABOUT("waiters, wakes and a reservation of before a fork")),
    PROGRAM("sem-free", "wait free | post"),
    PROGRAM("sem-free-two", "wait wait free | post | post"),
    /* --- Events ----------------------------------------------------------------------------- */
    PROGRAM("event-manual", "pass | pass | set"),
    PROGRAM("event-manual-timed", "pass-timed | pass | set", TICKS(1)),
    PROGRAM("event-manual-reset", "pass | pass-timed | set reset set", TICKS(1),
            ABOUT("the door opens, closes, and opens again")),
    PROGRAM("event-manual-twice", "pass reset pass | set set", MAY_SLEEP,
            ABOUT("the same door, twice")),
    PROGRAM("event-auto", "pass | pass | set set", WITH(.automatic = true), MAY_SLEEP,
            ABOUT("each set lets one pass")),
    PROGRAM("event-auto-reset", "pass | reset reset | set set set", TICKS(2), BOUND(3, 4),
            MAY_SLEEP, WITH(.automatic = true),
            ABOUT("resets in between, and a waiter that loses for long")),
    PROGRAM("event-auto-starving", "pass | set reset | set reset | set", TICKS(2), BOUND(2, 3),
            MAY_SLEEP, WITH(.automatic = true),
            ABOUT("resets meet a waiter that reserves and re-checks")),
    PROGRAM("event-free", "pass free | set"),
    PROGRAM("event-auto-free", "pass free | set", WITH(.automatic = true)),
    /* --- Wait-any --------------------------------------------------------------------------- */
    PROGRAM("any-waiter", "any | wait | wait-t | post post-t", TICKS(1), BOUND(1, 2), MAY_SLEEP,
            ABOUT("woken for both, beside a waiter of each")),
    PROGRAM("any-second", "any | wait-t | post post-t post-t", TICKS(2), BOUND(3, 4),
            ABOUT("woken for both, beside a waiter of the second")),
    PROGRAM("any-anys", "any | any | post-t post", TICKS(2), BOUND(2, 3)),
    PROGRAM("any-timed", "any-timed | wait-t | post-t post-t", TICKS(2), BOUND(3, 4),
            ABOUT("gives up beside a waiter of the second")),
    PROGRAM("any-event", "any-e | wait | set post post", TICKS(2), BOUND(3, 4),
            ABOUT("an event or a unit")),
    PROGRAM("any-event-auto", "any-e | pass | set post set", TICKS(2), BOUND(3, 4), MAY_SLEEP,
            WITH(.automatic = true)),
    PROGRAM("any-barger", "any | try | post post", TICKS(2), BOUND(3, 4), MAY_SLEEP,
            ABOUT("somebody takes units from under the chooser")),
    PROGRAM("any-spurious", "any any | post post-t",
            .budget = {.spurious = 1, .eintr = 1, .ticks = 2}),
    PROGRAM("any-dark", "any | wait-t | post-t post-t", TICKS(2), .old_kernel = true, BOUND(3, 4),
            ABOUT("the kernel cannot wait for several")),
};

GROUP(sem, "sem");
