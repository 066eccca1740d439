/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/bits/self.h>

#include "../buckets.h"
#include "../kernel.h"
#include "coroutine.h"
#include "model.h"
#include "perform.h"
#include "script.h"
#include "thread.h"

struct model_thread model_threads[MODEL_MAX_THREADS];
uint8_t model_stacks[MODEL_MAX_THREADS][MODEL_STACK] __attribute__((aligned(64)));
unsigned model_current;
struct model_failure model_failure;

static void *engine_sp; /* NULL: no thread runs */
static unsigned pauses;
static uint8_t dead[MODEL_STACK];

/* --- What is a thread's own ----------------------------------------------------------------- */

static const struct model_own *own_table(void)
{
    static const struct model_own none = {.begin = NULL};

    return model_program->hooks->own != NULL ? model_program->hooks->own() : &none;
}

/* Room for all of it, at the top of the stack; a multiple of 16, as stack pointers are. */
static size_t own_size(void)
{
    size_t size = 0;

    for (const struct model_own *o = own_table(); o->begin != NULL; o++)
        size += (size_t)(o->end - o->begin);
    return (size + 15) & ~(size_t)15;
}

static uint8_t *own_begin(unsigned thread)
{
    return model_stacks[thread] + MODEL_STACK - own_size();
}

/* Where these variables of the thread are; those of a process are its first thread's. */
static uint8_t *place_of(unsigned thread, const struct model_own *of)
{
    bool is_first = !of->is_of_process || thread >= model_program->together;
    uint8_t *at = own_begin(is_first ? thread : 0);

    for (const struct model_own *o = own_table(); o != of; o++)
        at += o->end - o->begin;
    return at;
}

static void bring_own(unsigned thread)
{
    for (const struct model_own *o = own_table(); o->begin != NULL; o++)
        memcpy(o->begin, place_of(thread, o), (size_t)(o->end - o->begin));
}

static void take_own(unsigned thread)
{
    for (const struct model_own *o = own_table(); o->begin != NULL; o++)
        memcpy(place_of(thread, o), o->begin, (size_t)(o->end - o->begin));
}

void *thread_own(unsigned thread, const void *variable)
{
    for (const struct model_own *o = own_table(); o->begin != NULL; o++)
        if ((const uint8_t *)variable >= o->begin && (const uint8_t *)variable < o->end)
            return place_of(thread, o) + ((const uint8_t *)variable - o->begin);
    return NULL;
}

/* Of a thread that is done; another one of its process may need its variables yet. */
static uint8_t *last_frame(unsigned thread)
{
    return thread < model_program->together ? own_begin(thread)
                                            : model_stacks[thread] + MODEL_STACK;
}

/* --- Failures ------------------------------------------------------------------------------- */

void model_fail(const char *kind, const char *text, uint64_t a, uint64_t b)
{
    if (model_failure.kind == NULL)
        model_failure = (struct model_failure){kind, text, a, b};
}

void model_thread_fail(const char *kind, const char *text, uint64_t a, uint64_t b)
{
    model_fail(kind, text, a, b);
    for (;;)
        model_switch(&model_threads[model_current].sp, engine_sp);
}

uint64_t model_op(enum model_kind kind, const void *addr, uint64_t size, uint64_t a, uint64_t b,
                  uint64_t c, uint64_t d)
{
    struct model_thread *t = &model_threads[model_current];

    t->op = (struct model_op){kind, (uint64_t)(uintptr_t)addr, size, a, b, c, d};
    if (model_program->hooks->access != NULL && perform_is_no_step(model_current))
        return t->result;
    t->status = THREAD_STOPPED;
    model_switch(&t->sp, engine_sp);
    while (t->signalled != 0) {
        struct model_op interrupted = t->op;
        uint64_t result = t->result;
        bool was_done = t->signalled == 2;

        t->signalled = 0;
        t->in_handler = 1;
        model_program->hooks->handler();
        t->in_handler = 0;
        t->op = interrupted;
        t->result = result;
        if (was_done)
            break;
        t->status = THREAD_STOPPED;
        model_switch(&t->sp, engine_sp);
    }
    return t->result;
}

void model_pause(void)
{
    if (model_program->hooks->paused != NULL)
        model_program->hooks->paused(model_current);
    if (++pauses > MODEL_MAX_PAUSES)
        model_thread_fail("livelock", "a thread spins and looks at nothing", 0, 0);
}

void model_thread_end(void)
{
    struct model_thread *t = &model_threads[model_current];

    t->status = THREAD_DONE;
    for (;;)
        model_switch(&t->sp, engine_sp);
}

void model_thread_exit(void)
{
    struct model_thread *t = &model_threads[model_current];

    t->status = THREAD_DYING;
    for (;;)
        model_switch(&t->sp, engine_sp);
}

void model_entry(void)
{
    (model_program->hooks->thread != NULL ? model_program->hooks->thread
                                          : script_run)(model_current);
    model_thread_end();
}

/*
 * Sources with a fault in them follow pointers that lead nowhere: out of a frame that is gone, for
 * one.  That is a finding like any other; the thread does not go on.
 */
static void crashed(int number, siginfo_t *info, void *context)
{
    void *lost;

    (void)context;
    if (engine_sp == NULL) {
        signal(number, SIG_DFL); /* the model's own; it happens again at once */
        return;
    }
    model_fail("crash", "an access to 0x%llx by thread %llu", (uint64_t)(uintptr_t)info->si_addr,
               model_current);
    model_switch(&lost, engine_sp);
}

static void catch_crashes(void)
{
    static uint8_t stack[65536];
    static bool done;
    struct sigaction action = {.sa_sigaction = crashed,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    if (done)
        return;
    done = true;
    memset(dead, MODEL_DEAD, sizeof dead);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

void thread_prepare(unsigned thread)
{
    uint8_t *stack = model_stacks[thread];
    uint8_t *sp;

    catch_crashes();
    memset(stack, 0, MODEL_STACK);
    sp = model_prepare(own_begin(thread));
    memset(stack, MODEL_DEAD, (size_t)(sp - stack));
    model_threads[thread].sp = sp;
    model_threads[thread].status = THREAD_RUNNING;
}

/* --- Dead bytes ----------------------------------------------------------------------------- */

/* As much as this of a stack is never used, or it is too small. */
#define UNUSED 512u

/* No frame leaves that many bytes in a row as they were, and writes beyond them. */
#define LARGEST_GAP 2048u
#define BLOCK 256u

static bool are_dead(const uint8_t *from, const uint8_t *to)
{
    return memcmp(from, dead, (size_t)(to - from)) == 0;
}

/*
 * What lies below the stack pointer is dead, but would shine through in later frames.  Most of it
 * has not been written to since it was cleared the last time: it is cleared from the top down, to
 * where nothing is found for long.
 */
static void clear_below(uint8_t *stack, uint8_t *sp)
{
    uint8_t *lowest = sp;

    for (uint8_t *end = sp; end > stack && (size_t)(lowest - end) < LARGEST_GAP;) {
        uint8_t *begin = (size_t)(end - stack) > BLOCK ? end - BLOCK : stack;

        if (!are_dead(begin, end)) {
            memset(begin, MODEL_DEAD, (size_t)(end - begin));
            lowest = begin;
        }
        end = begin;
    }
    if (lowest >= stack + UNUSED)
        return;
    fputs("fw-model: a stack is too small: MODEL_STACK\n", stderr);
    exit(3);
}

void thread_check_dead(void)
{
    for (unsigned i = 0; i < model_thread_count; i++) {
        if (are_dead(model_stacks[i], model_threads[i].sp))
            continue;
        fputs("fw-model: a frame has a larger gap than LARGEST_GAP\n", stderr);
        exit(3);
    }
}

/* Takes all frames below sp away. */
static void kill_frames(unsigned thread, uint8_t *sp)
{
    uint8_t *old = model_threads[thread].sp;

    memset(old, MODEL_DEAD, (size_t)(sp - old));
    model_threads[thread].sp = sp;
}

void thread_run(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];
    uint8_t *stack = model_stacks[thread];

    model_current = thread;
    pauses = 0;
    bring_own(thread);
    fw_self_id_ = (uint32_t)t->tls_id;
    model_switch(&engine_sp, t->sp);
    engine_sp = NULL;
    clear_below(stack, t->sp);
    take_own(thread);
    t->tls_id = fw_self_id_;
    if (t->status == THREAD_DONE)
        kill_frames(thread, last_frame(thread));
    if (t->status == THREAD_DYING)
        kernel_kill(thread);
    if (t->status != THREAD_STOPPED)
        t->op = (struct model_op){0};
    t->result = 0;
    model_check_freed();
    buckets_check(thread);
}

void thread_drop(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    t->op = (struct model_op){0};
    t->result = 0;
    kill_frames(thread, own_begin(thread));
}

void thread_finish(unsigned thread)
{
    struct model_thread *t = &model_threads[thread];

    t->status = THREAD_DONE;
    kill_frames(thread, model_stacks[thread] + MODEL_STACK);
}
