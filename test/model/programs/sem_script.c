/* SPDX-License-Identifier: MIT */
/*
 * Runs the threads of the semaphore programs, and watches the words: sem_script.h.
 */
#include "sem_script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "script.h"
#include "sem_calls.h"
#include "thread/permits_word.h"

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
    {"value", 0, 4}, {"sleepers", 4, 4}, {"guess", 12, 4}, {"luck", 16, 4}, {NULL, 0, 0}};
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
    s->spin_ = script->luck;
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
    error = n == 1 ? sem_in_use->post(to) : sem_in_use->post_n(to, n);
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
    int error = w == TRY ? sem_in_use->trywait(s)
                         : sem_in_use->wait_policy(s, policy, w == TIMED ? &script_deadline : NULL);

    if (error == 0)
        took(self, S);
    else if (error != (w == TRY ? EAGAIN : ETIMEDOUT) || (w != TRY && w != TIMED))
        model_thread_fail("answer", "thread %llu got error %llu", self, (uint64_t)error);
}

static void take_posix(unsigned self, enum word w)
{
    int error = sem_in_use->wait_posix(s, w == POSIX_TIMED ? &script_deadline : NULL);

    if (error == 0)
        took(self, S);
    else if (error != (model_program->budget.eintr > 0 ? EINTR : ETIMEDOUT))
        model_thread_fail("answer", "thread %llu got error %llu", self, (uint64_t)error);
}

/* That it found none can be told afterwards only where nobody else takes one. */
static void try_posix(unsigned self)
{
    if (sem_in_use->trywait_posix(s))
        took(self, S);
}

static void choose(unsigned self, enum word w)
{
    const fw_any objects[] = {{w == ANY_E ? FW_ANY_EVENT : FW_ANY_SEM, w == ANY_E ? (void *)e : s},
                              {FW_ANY_SEM, w == ANY_E ? s : t}};
    unsigned which;

    if (sem_in_use->wait_any(objects, 2, w == ANY_TIMED ? &script_deadline : NULL, &which) != 0)
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
    sem_in_use->set(e);
}

static void pass(unsigned self, const fw_deadline *until)
{
    if (sem_in_use->pass_policy(e, &script_blocking, until) == 0 && e->kind_ == FW_EVENT_AUTO)
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
        sem_in_use->wait_policy(t, &script_blocking, NULL);
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
        sem_in_use->reset(e);
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

HOOKS(sem_hooks, .words = word_names, .setup = setup, .act = act, .changed = changed,
      .finished = finished);
