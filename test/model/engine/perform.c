/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "../buckets.h"
#include "../cpus.h"
#include "../faults.h"
#include "../fifo.h"
#include "../kernel.h"
#include "../memory.h"
#include "../posted.h"
#include "../subject/subject.h"
#include "../waitv.h"
#include "perform.h"
#include "report.h"
#include "script.h"
#include "thread.h"

struct model_shared model_shared __attribute__((aligned(64)));
unsigned model_thread_count;
const struct model_program *model_program;

void perform_run_all(void)
{
    for (unsigned i = 0; i < model_thread_count && model_failure.kind == NULL; i++)
        if (model_threads[i].status == THREAD_RUNNING)
            thread_run(i);
}

static void run_on(void)
{
    perform_run_all();
    cpus_dispatch();
    fifo_dispatch();
}

/* What a locked instruction that saw this leaves.  op: a = operand or expected, b = new. */
static uint64_t outcome(const struct model_op *op, uint64_t seen)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * op->size);

    switch (op->kind) {
    case OP_CAS:
        return op->b;
    case OP_ADD:
        return (seen + op->a) & mask;
    case OP_OR:
        return seen | op->a;
    case OP_AND:
        return seen & op->a;
    default:
        return op->a;
    }
}

static void perform_locked(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    uint64_t seen;

    memory_drain(thread);
    if (model_failure.kind != NULL || !memory_check(op.addr, op.size))
        return;
    seen = memory_read(thread, op.addr, op.size);
    if (op.kind != OP_CAS || seen == op.a) {
        uint64_t value = outcome(&op, seen);
        report_change(op.addr, op.size, value);
        memory_write(thread, op.addr, op.size, value);
    } else {
        report_value(op.addr, op.size, seen);
        report_result("fails");
    }
    kernel_return(thread, seen);
}

static void perform_load(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    uint64_t seen;

    if (!memory_check(op.addr, op.size))
        return;
    seen = memory_read(thread, op.addr, op.size);
    report_value(op.addr, op.size, seen);
    if (op.kind == OP_LOAD)
        model_threads[thread].in_section = 0;
    else if (model_threads[thread].in_section == 0)
        model_threads[thread].in_section = 1;
    kernel_return(thread, seen);
}

static void perform_store(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;

    if (!memory_check(op.addr, op.size))
        return;
    report_buffered(op.addr, op.size, op.a);
    memory_buffer(thread, op.addr, op.size, op.a);
    model_threads[thread].in_section = 0;
    kernel_return(thread, 0);
}

/* The store itself comes when the thread runs on. */
static void perform_plain(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;

    memory_drain(thread);
    if (model_failure.kind != NULL || !memory_check(op.addr, op.size))
        return;
    report_plain(op.addr, op.size);
    kernel_return(thread, 0);
}

static void perform_free(unsigned thread)
{
    const struct model_op op = model_threads[thread].op;
    const struct model_object *object = model_object_at(op.addr, 1);

    memory_drain(thread);
    model_shared.dead |= UINT64_C(1) << (object - model_objects);
    memset(model_memory + object->offset, MODEL_DEAD, object->size);
    kernel_return(thread, 0);
}

static enum model_access access_of(const struct model_op *op)
{
    if (op->kind < OP_LOAD || op->kind > OP_AND)
        return ACCESS_STEP;
    if (!memory_is_shared(op->addr))
        return ACCESS_DIRECT;
    return model_program->hooks->access((const void *)(uintptr_t)op->addr);
}

bool perform_is_no_step(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];
    const struct model_op op = t->op;
    enum model_access access = access_of(&op);
    uint64_t seen = 0;
    uint64_t value;

    if (access == ACCESS_STEP)
        return false;
    memcpy(&seen, (const void *)(uintptr_t)op.addr, op.size);
    value = outcome(&op, seen);
    if (access == ACCESS_DIRECT && op.kind != OP_LOAD && (op.kind != OP_CAS || seen == op.a))
        memcpy((void *)(uintptr_t)op.addr, &value, op.size);
    t->result = seen;
    return true;
}

/* The operation itself, where there is no choice. */
static void perform_op(unsigned thread)
{
    if (model_program->hooks->stepped != NULL)
        model_program->hooks->stepped(thread);
    switch (model_threads[thread].op.kind) {
    case OP_LOAD:
    case OP_LOOK_OWNER:
    case OP_LOOK_WAITERS:
        perform_load(thread);
        break;
    case OP_STORE:
    case OP_COMMIT:
    case OP_LEAVE:
        perform_store(thread);
        break;
    case OP_XCHG:
    case OP_CAS:
    case OP_ADD:
    case OP_OR:
    case OP_AND:
        perform_locked(thread);
        break;
    case OP_FENCE_LOCAL:
    case OP_FENCE_ALL: /* no other thread is left */
        memory_drain(thread);
        kernel_return(thread, 0);
        break;
    case OP_WAIT:
        kernel_wait(thread);
        break;
    case OP_WAIT_ANY:
        waitv_step(thread);
        break;
    case OP_WAKE:
        kernel_wake(thread);
        break;
    case OP_REQUEUE:
    case OP_CMP_REQUEUE:
        kernel_requeue(thread, model_threads[thread].op.kind == OP_CMP_REQUEUE);
        break;
    case OP_ENTER:
        buckets_enter(thread);
        break;
    case OP_FREE:
        perform_free(thread);
        break;
    case OP_PLAIN:
        perform_plain(thread);
        break;
    case OP_RUNNING:
    case OP_WANTED:
        cpus_answer(thread, CHOICE_DO);
        break;
    case OP_CLOCK:
        kernel_clock(thread);
        break;
    default:
        if (!fifo_performs(thread) && !posted_performs(thread))
            kernel_return(thread, 0);
    }
}

/* The handler runs before the operation; a sleep ends first. */
static void perform_signal(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    model_shared.budget.signals--;
    memory_drain(thread);
    t->in_section = 0;
    t->signalled = 1;
    if (t->status == THREAD_ASLEEP) {
        kernel_end_sleep(thread, -EINTR);
        t->signalled = 2;
    } else if (t->op.kind == OP_LOOK_WAITERS || t->op.kind == OP_COMMIT) {
        kernel_return(thread, KERNEL_ABORTED);
        t->signalled = 2;
    }
    t->status = THREAD_RUNNING;
}

/* Nobody has woken the thread. */
static void perform_end_of_sleep(unsigned thread, unsigned what)
{
    switch (what) {
    case CHOICE_SPURIOUS:
        model_shared.budget.spurious--;
        kernel_end_sleep(thread, 0);
        break;
    case CHOICE_EINTR:
        model_shared.budget.eintr--;
        kernel_end_sleep(thread, -EINTR);
        break;
    case CHOICE_CANCEL:
        model_shared.budget.cancels--;
        kernel_cancel(thread);
        break;
    case CHOICE_RECHECK:
        model_shared.budget.rechecks -= model_program->is_patient;
        kernel_end_sleep(thread, -ETIMEDOUT);
        break;
    case CHOICE_TURN:
        kernel_end_sleep(thread, 0);
        break;
    default:
        kernel_time_out(thread);
    }
}

/* Of the fence, or of a claim. */
static void perform_refusal(unsigned thread)
{
    bool is_claim = model_threads[thread].op.kind == OP_CLAIM;

    model_shared.budget.refusals--;
    kernel_return(thread, is_claim ? 0 : (uint64_t)-EPERM);
}

static void perform_clock(unsigned thread, unsigned what)
{
    if (what == CHOICE_TICK)
        kernel_tick(thread);
    else
        kernel_set_clock(what == CHOICE_SET_AHEAD);
}

static void perform_interrupt(struct model_choice choice)
{
    if (perform_is_miss(choice))
        kernel_miss(choice.thread, choice.what - CHOICE_MISS);
    else
        kernel_interrupt(choice.thread, choice.what - CHOICE_INTERRUPT);
    kernel_finish_fence(choice.thread);
}

static void perform_kill(unsigned thread)
{
    model_shared.budget.kills--;
    kernel_kill(thread);
}

void perform(struct model_choice choice)
{
    unsigned thread = choice.thread;

    switch (choice.what) {
    case CHOICE_DO:
        perform_op(thread);
        break;
    case CHOICE_FLUSH:
        memory_flush_oldest(thread);
        break;
    case CHOICE_ABORT:
        model_threads[thread].in_section = 0;
        kernel_return(thread, KERNEL_ABORTED);
        break;
    case CHOICE_SPURIOUS:
    case CHOICE_EINTR:
    case CHOICE_CANCEL:
    case CHOICE_TIME_OUT:
    case CHOICE_RECHECK:
    case CHOICE_TURN:
        perform_end_of_sleep(thread, choice.what);
        break;
    case CHOICE_KILL:
        perform_kill(thread);
        break;
    case CHOICE_MARK:
        kernel_mark(thread);
        break;
    case CHOICE_TICK:
    case CHOICE_SET_BACK:
    case CHOICE_SET_AHEAD:
        perform_clock(thread, choice.what);
        break;
    case CHOICE_REFUSE:
        perform_refusal(thread);
        break;
    case CHOICE_FAULT:
        kernel_return(thread, (uint64_t)-EFAULT);
        break;
    case CHOICE_SIGNAL:
        perform_signal(thread);
        break;
    case CHOICE_COMES:
    case CHOICE_GOES:
        cpus_turn(thread, choice.what == CHOICE_COMES);
        break;
    case CHOICE_SAYS_YES:
    case CHOICE_SAYS_NO:
        cpus_answer(thread, choice.what);
        break;
    case CHOICE_YES:
        model_shared.budget.chances--;
        kernel_return(thread, 1);
        break;
    default:
        perform_interrupt(choice);
    }
    run_on();
}

void perform_start(void)
{
    memset(&model_shared, 0, sizeof model_shared);
    memset(model_memory, 0, sizeof model_memory);
    memset(model_threads, 0, sizeof model_threads);
    memset(model_stacks, MODEL_DEAD, sizeof model_stacks);
    model_failure = (struct model_failure){0};
    model_object_count = model_memory_used = 0;
    model_thread_count = script_read();
    if (model_program->threads != 0)
        model_thread_count = model_program->threads;
    model_shared.budget = model_program->budget;
    model_shared.clock = KERNEL_BOOT_NS;
    subject_load_library();
    buckets_make();
    model_program->hooks->setup();
    for (unsigned i = 0; i < MODEL_MAX_THREADS; i++) {
        struct model_thread *t = &model_threads[i];
        t->sp = model_stacks[i] + MODEL_STACK;
        if (i >= model_thread_count)
            continue;
        thread_prepare(i);
        t->tls_id = subject_id(i);
        t->priority = model_program->tasks != NULL ? model_program->tasks[i].priority : 0;
        t->cpu = model_program->tasks != NULL ? model_program->tasks[i].cpu : 0;
    }
    run_on();
}
