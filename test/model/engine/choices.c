/* SPDX-License-Identifier: MIT */
/* What can happen next: perform.h. */
#include "../buckets.h"
#include "../cpus.h"
#include "../fifo.h"
#include "../kernel.h"
#include "../memory.h"
#include "perform.h"

static void add(struct model_choice *list, unsigned *n, unsigned thread, unsigned what)
{
    list[(*n)++] = (struct model_choice){(uint8_t)thread, (uint8_t)what};
}

static bool may_be_signalled(const struct model_thread *t)
{
    return model_program->hooks->handler != NULL && model_shared.budget.signals > 0 &&
           t->in_handler == 0 && !(t->op.kind == OP_FENCE_ALL && t->op.a != 0);
}

static bool may_be_cancelled(const struct model_thread *t)
{
    return (t->op.kind == OP_CANCEL || ((t->op.kind == OP_WAIT || t->op.kind == OP_WAIT_ANY) &&
                                        (t->op.d & WAIT_CANCELLABLE) != 0)) &&
           model_shared.budget.cancels > 0;
}

/* CLOCK_REALTIME may be set at any time; it matters just before somebody looks at it. */
static void list_clock_steps(struct model_choice *list, unsigned *n, unsigned thread)
{
    if (model_shared.budget.clock_steps == 0 || !kernel_minds_realtime(thread))
        return;
    add(list, n, thread, CHOICE_SET_BACK);
    add(list, n, thread, CHOICE_SET_AHEAD);
}

static void list_stopped(struct model_choice *list, unsigned *n, unsigned thread)
{
    const struct model_thread *t = &model_threads[thread];
    bool fences = false;

    switch (t->op.kind) {
    case OP_STORE:
    case OP_COMMIT:
    case OP_LEAVE:
    case OP_CLAIM:
        if (!memory_buffer_is_full(thread))
            add(list, n, thread, CHOICE_DO);
        break;
    case OP_FENCE_ALL:
        for (unsigned i = 0; i < model_thread_count; i++)
            if (kernel_owes_interrupt(thread, i)) {
                add(list, n, thread, CHOICE_INTERRUPT + i);
                if (kernel_may_miss(i))
                    add(list, n, thread, CHOICE_MISS + i);
                fences = true;
            }
        if (!fences)
            add(list, n, thread, CHOICE_DO);
        if (t->op.a == 0 && model_shared.budget.refusals > 0)
            add(list, n, thread, CHOICE_REFUSE);
        break;
    case OP_ENTER:
        if (buckets_may_enter(thread))
            add(list, n, thread, CHOICE_DO);
        break;
    case OP_WAIT:
    case OP_WAIT_ANY:
    case OP_CANCEL:
        if (may_be_cancelled(t))
            add(list, n, thread, CHOICE_CANCEL);
        if (kernel_may_fault(thread))
            add(list, n, thread, CHOICE_FAULT);
        add(list, n, thread, CHOICE_DO);
        break;
    default:
        add(list, n, thread, CHOICE_DO);
    }
    if (t->op.kind == OP_CLAIM && model_shared.budget.refusals > 0)
        add(list, n, thread, CHOICE_REFUSE);
    if (t->op.kind == OP_CLOCK && kernel_may_tick(thread))
        add(list, n, thread, CHOICE_TICK);
    if (t->op.kind == OP_CHANCE && model_shared.budget.chances > 0)
        add(list, n, thread, CHOICE_YES);
    if (cpus_may_lie(t->op.kind, CHOICE_SAYS_YES))
        add(list, n, thread, CHOICE_SAYS_YES);
    if (cpus_may_lie(t->op.kind, CHOICE_SAYS_NO))
        add(list, n, thread, CHOICE_SAYS_NO);
    if (t->op.kind == OP_LOOK_OWNER || t->op.kind == OP_LOOK_WAITERS || t->op.kind == OP_COMMIT)
        add(list, n, thread, CHOICE_ABORT);
    if (may_be_signalled(t))
        add(list, n, thread, CHOICE_SIGNAL);
    list_clock_steps(list, n, thread);
}

static bool may_be_killed(unsigned thread)
{
    uint64_t status = model_threads[thread].status;

    return model_shared.budget.kills > 0 && (model_program->immortal >> thread & 1) == 0 &&
           !(model_program->spares_last && thread == model_thread_count - 1) &&
           (status == THREAD_STOPPED || status == THREAD_ASLEEP);
}

static void list_asleep(struct model_choice *list, unsigned *n, unsigned thread)
{
    if (model_threads[thread].op.kind == OP_SLEEP) {
        add(list, n, thread, CHOICE_TURN);
        return;
    }
    if (kernel_may_time_out(thread))
        add(list, n, thread, CHOICE_TIME_OUT);
    else if (kernel_may_recheck(thread) && !model_program->is_patient)
        add(list, n, thread, CHOICE_RECHECK);
    if (model_shared.budget.spurious > 0)
        add(list, n, thread, CHOICE_SPURIOUS);
    if (model_shared.budget.eintr > 0)
        add(list, n, thread, CHOICE_EINTR);
    if (may_be_cancelled(&model_threads[thread]))
        add(list, n, thread, CHOICE_CANCEL);
    if (may_be_signalled(&model_threads[thread]))
        add(list, n, thread, CHOICE_SIGNAL);
    list_clock_steps(list, n, thread);
}

/* Re-checks come when time passes, and it does only when all others are waiting, too. */
static void list_rechecks(struct model_choice *list, unsigned *n)
{
    for (unsigned i = 0; i < *n; i++)
        if (!perform_is_whim(list[i]))
            return;
    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_threads[i].status == THREAD_ASLEEP && kernel_may_recheck(i))
            add(list, n, i, CHOICE_RECHECK);
}

static bool may_step(unsigned thread)
{
    return cpus_may_step(thread) &&
           (model_program->may_run == NULL || model_program->may_run(thread));
}

unsigned perform_list(struct model_choice *list)
{
    unsigned n = 0;

    for (unsigned i = 0; i < model_thread_count; i++) {
        if (model_threads[i].status == THREAD_STOPPED && may_step(i))
            list_stopped(list, &n, i);
        else if (model_threads[i].status == THREAD_ASLEEP)
            list_asleep(list, &n, i);
        else if ((model_threads[i].status == THREAD_DYING ||
                  model_threads[i].status == THREAD_ENDING) &&
                 fifo_may_end(i))
            add(list, &n, i, CHOICE_MARK);
        if (cpus_may_come(i))
            add(list, &n, i, CHOICE_COMES);
        if (cpus_may_go(i))
            add(list, &n, i, CHOICE_GOES);
        if (may_be_killed(i))
            add(list, &n, i, CHOICE_KILL);
        if (model_threads[i].buffered > 0)
            add(list, &n, i, CHOICE_FLUSH);
    }
    if (model_program->is_patient)
        list_rechecks(list, &n);
    return n;
}

bool perform_is_whim(struct model_choice choice)
{
    if (perform_is_miss(choice))
        return true;
    switch (choice.what) {
    case CHOICE_ABORT:
    case CHOICE_SPURIOUS:
    case CHOICE_EINTR:
    case CHOICE_SET_BACK:
    case CHOICE_SET_AHEAD:
    case CHOICE_REFUSE:
    case CHOICE_SIGNAL:
    case CHOICE_YES:
    case CHOICE_FAULT:
    case CHOICE_CANCEL:
    case CHOICE_KILL:
    case CHOICE_GOES:
    case CHOICE_SAYS_YES:
    case CHOICE_SAYS_NO:
        return true;
    case CHOICE_TICK:
        return !model_program->time_passes;
    case CHOICE_RECHECK: /* nobody relies on re-checks as long as nobody dies */
        return model_shared.killed == 0 && !model_program->rechecks_are_due;
    case CHOICE_TIME_OUT:
        return !kernel_time_out_is_free(choice.thread);
    default:
        return false;
    }
}
