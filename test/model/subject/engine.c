/* SPDX-License-Identifier: MIT */
/* An engine that has its waits in the model's kernel: src/await/engine.h, process.h. */
#include "await/engine.h"

#include <stddef.h>

#include <furwock/futex.h>

#include "../engine/model.h"
#include "process.h"
#include "sys/descriptors.h"

/* Processes with loops are the first threads of a program. */
enum { LOOPS = 2, EACH = MODEL_MAX_POSTED / LOOPS };

struct model_engine {
    struct fw_engine_ base;
    struct {
        struct fw_kernel_wait_ *wait; /* armed; NULL: none */
        uint64_t was_posted;
    } of[EACH];
};

static struct model_engine *engine_of(struct fw_engine_ *e)
{
    return (struct model_engine *)e;
}

static unsigned number_of(unsigned i)
{
    if (model_current >= LOOPS)
        model_thread_fail("script", "only the first %llu threads can have loops", LOOPS, 0);
    return model_current * EACH + i;
}

static struct posted_wait *posted_of(unsigned i)
{
    return &posted_table()[number_of(i)];
}

static void arm(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    struct model_engine *engine = engine_of(e);

    for (unsigned i = 0; i < EACH; i++)
        if (engine->of[i].wait == NULL) {
            engine->of[i].wait = w;
            return;
        }
    model_thread_fail("engine", "a loop has more than %llu waits", EACH, 0);
}

/* By flush. */
static void disarm(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    (void)e;
    w->is_leaving = true;
}

static void post(struct model_engine *engine, unsigned i)
{
    const struct fw_kernel_wait_ *w = engine->of[i].wait;

    engine->of[i].was_posted = true;
    if (w->is_leaving) {
        posted_of(i)->told = POSTED_CANCELLED;
        fw_event_write_(engine->base.fd);
        return;
    }
    posted_of(i)->event = process_event(engine->base.fd);
    model_op(OP_POST, w->word, 4, w->expected, number_of(i), 0, 0);
}

static void unpost(unsigned i)
{
    model_op(OP_UNPOST, NULL, 0, 0, number_of(i), 0, 0);
}

static bool flush(struct fw_engine_ *e)
{
    struct model_engine *engine = engine_of(e);

    for (unsigned i = 0; i < EACH; i++) {
        if (engine->of[i].wait == NULL)
            continue;
        if (!engine->of[i].was_posted)
            post(engine, i);
        else if (engine->of[i].wait->is_leaving && posted_of(i)->told == POSTED_QUEUED)
            unpost(i);
    }
    return true;
}

/* It has come back. */
static enum posted_told take(struct model_engine *engine, unsigned i)
{
    enum posted_told told = (enum posted_told)posted_of(i)->told;

    *posted_of(i) = (struct posted_wait){0};
    engine->of[i].wait = NULL;
    engine->of[i].was_posted = false;
    return told;
}

static struct fw_kernel_wait_ *reap(struct fw_engine_ *e)
{
    struct model_engine *engine = engine_of(e);
    struct fw_kernel_wait_ *back = NULL;

    if (!fw_event_read_(e->fd))
        return NULL;
    for (unsigned i = 0; i < EACH; i++) {
        struct fw_kernel_wait_ *w = engine->of[i].wait;

        if (w != NULL && engine->of[i].was_posted && posted_of(i)->told > POSTED_QUEUED)
            fw_wait_tell_(w, take(engine, i) == POSTED_WOKEN ? FW_TOLD_LOOK_ : FW_TOLD_CANCELLED_,
                          &back);
    }
    return back;
}

/* ENG3 */
static void end(struct fw_engine_ *e)
{
    struct model_engine *engine = engine_of(e);

    for (unsigned i = 0; i < EACH; i++) {
        const struct fw_kernel_wait_ *w = engine->of[i].wait;

        if (w == NULL)
            continue;
        if (engine->of[i].was_posted)
            unpost(i);
        if (take(engine, i) == POSTED_WOKEN)
            fw_futex_wake(w->word, 1, FW_FUTEX_SHARED);
    }
    subject_process_free(e);
}

static const struct fw_engine_kind_ kind = {
    .name = "model", .end = end, .arm = arm, .disarm = disarm, .flush = flush, .reap = reap};

int fw_engine_open_(struct fw_engine_ **e, uint32_t which)
{
    struct model_engine *engine = subject_process_calloc(1, sizeof *engine);

    (void)which;
    engine->base = (struct fw_engine_){.kind = &kind, .fd = fw_event_make_()};
    *e = &engine->base;
    return 0;
}
