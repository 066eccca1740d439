/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include "buckets.h"
#include "engine/model.h"
#include "engine/perform.h"
#include "engine/report.h"
#include "kernel.h"
#include "memory.h"
#include "sys/running.h"

static uint64_t bit(unsigned thread)
{
    return UINT64_C(1) << thread;
}

static bool has_cpu(unsigned thread)
{
    return (model_shared.on_cpu & bit(thread)) != 0;
}

/* Before a bucket in which somebody is, one sleeps. */
static bool can_use_cpu(unsigned thread)
{
    const struct model_thread *t = &model_threads[thread];

    return t->status == THREAD_STOPPED && (t->op.kind != OP_ENTER || buckets_may_enter(thread));
}

static bool wants_cpu(unsigned thread)
{
    return can_use_cpu(thread) && !has_cpu(thread);
}

static bool is_one_free(void)
{
    unsigned busy = 0;

    for (unsigned i = 0; i < model_thread_count; i++)
        busy += has_cpu(i);
    return busy < model_program->cpus;
}

static bool are_wanted(void)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (wants_cpu(i))
            return true;
    return false;
}

/* --- Coming and going ----------------------------------------------------------------------- */

bool cpus_may_step(unsigned thread)
{
    return (model_program->cpus == 0 && model_program->tasks == NULL) || has_cpu(thread);
}

bool cpus_may_come(unsigned thread)
{
    return model_program->cpus != 0 && wants_cpu(thread) && is_one_free();
}

bool cpus_may_go(unsigned thread)
{
    return model_program->tasks == NULL && has_cpu(thread) && are_wanted();
}

void cpus_turn(unsigned thread, bool comes)
{
    if (comes) {
        model_shared.on_cpu |= bit(thread);
        return;
    }
    model_shared.on_cpu &= ~bit(thread);
    memory_drain(thread);
    kernel_abort_section(thread);
}

void cpus_dispatch(void)
{
    if (model_program->cpus == 0)
        return;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (!can_use_cpu(i) && model_program->tasks == NULL)
            model_shared.on_cpu &= ~bit(i);
}

/* --- What is told --------------------------------------------------------------------------- */

static uint64_t answer(uint64_t kind, uint64_t about, uint64_t what)
{
    bool is_yes = what == CHOICE_SAYS_YES || model_program->assist == ASSIST_YES;
    bool is_no = what == CHOICE_SAYS_NO || model_program->assist == ASSIST_NO;

    if (model_program->assist == ASSIST_TRUE) {
        is_yes = kind == OP_WANTED ? are_wanted() : about < model_thread_count && has_cpu(about);
        is_no = !is_yes && about < model_thread_count;
    }
    if (kind == OP_WANTED)
        return is_yes;
    return is_yes ? FW_RUNNING_YES : is_no ? FW_RUNNING_NO : FW_RUNNING_UNKNOWN;
}

bool cpus_may_lie(uint64_t kind, uint64_t what)
{
    return model_program->assist == ASSIST_LIES &&
           (kind == OP_RUNNING || (kind == OP_WANTED && what == CHOICE_SAYS_YES));
}

void cpus_answer(unsigned thread, uint64_t what)
{
    const struct model_op op = model_threads[thread].op;
    uint64_t said = answer(op.kind, op.a, what);

    if (op.kind == OP_RUNNING)
        model_threads[thread].told = said;
    if (op.kind == OP_WANTED)
        report_result(said != 0 ? "others want the CPU" : "nobody wants the CPU");
    else
        report_result(said == FW_RUNNING_YES  ? "the owner runs"
                      : said == FW_RUNNING_NO ? "the owner does not run"
                                              : "it is not known whether the owner runs");
    kernel_return(thread, said);
}

uint64_t cpus_ask(uint64_t kind, uint64_t about)
{
    uint64_t said;

    if (model_program->assist == ASSIST_LIES || model_program->assist == ASSIST_TRUE)
        return model_op((enum model_kind)kind, NULL, 0, about, 0, 0, 0);
    said = answer(kind, about, CHOICE_DO);
    if (kind == OP_RUNNING)
        model_threads[model_current].told = said;
    return said;
}

/* --- What is done with it ------------------------------------------------------------------- */

/*
 * struct model_thread: told, the last answer of OP_RUNNING; since, the clock as it was when the
 * thread first looked at it in its present phase of polling, or one of these.
 */
enum { POLLS_NOT, POLLS };

static bool is_late(const struct model_thread *t)
{
    return t->since > POLLS && model_shared.clock > t->since;
}

void cpus_begin(unsigned thread)
{
    model_threads[thread].told = FW_RUNNING_UNKNOWN;
    model_threads[thread].since = POLLS_NOT;
}

void cpus_forget(void)
{
    model_threads[model_current].told = FW_RUNNING_UNKNOWN;
}

void cpus_move_on(unsigned thread)
{
    model_threads[thread].told = FW_RUNNING_UNKNOWN;
}

void cpus_note_pause(void)
{
    struct model_thread *t = &model_threads[model_current];

    if (t->told == FW_RUNNING_NO)
        model_thread_fail("told, and polls on",
                          "thread %llu polls for an owner that is said not to run", model_current,
                          0);
    if (model_program->assist != ASSIST_NONE && t->since == POLLS_NOT)
        t->since = POLLS;
}

void cpus_note_clock(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    if (t->since == POLLS)
        t->since = model_shared.clock;
}

bool cpus_polls_early(unsigned thread)
{
    return model_threads[thread].since == model_shared.clock;
}

void cpus_check_sleep(unsigned thread)
{
    const struct model_thread *t = &model_threads[thread];

    if (t->told == FW_RUNNING_YES && !is_late(t) && t->op.c > model_shared.clock)
        model_fail("told, and sleeps", "thread %llu sleeps, and the owner is said to run", thread,
                   0);
}
