/* SPDX-License-Identifier: MIT */
/*
 * The programs for the condition variable that processes share in the POSIX drop-in.
 *
 *   get         waits for a token, and takes it
 *   timed       the same, and gives up when it times out
 *   put         adds a token and signals, with the mutex held
 *   put-after   the same, and signals after the release
 *   put-all     adds a token for each of the others, and broadcasts, with the mutex held
 *   destroy     waits until nobody of the process is queued, and frees the variable
 *
 * Its mutex may be of any kind; here it is one that no memory is needed for.  Who puts cannot be
 * killed: nobody could take what was never put.
 */
#include <stdio.h>

#include "../buckets.h"
#include "../engine/report.h"
#include "../kernel.h"
#include "../memory.h"
#include "posix_calls.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(GET, TIMED, PUT, PUT_AFTER, PUT_ALL, DESTROY);

/* INSIDE: thread + 1. */
enum shadow { INSIDE, TOKENS };

static struct fw_shared_cond_ *c;

static void setup(void)
{
    static const struct model_part parts[] = {{"word", 0, 4}, {"mark", 4, 4}, {NULL, 0, 0}};

    c = model_object("c", sizeof *c, parts, NULL);
    c->word = 2; /* any number */
}

static void lock(unsigned self)
{
    while (*shadow(INSIDE) != 0)
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(INSIDE) = self + 1;
    report_remark(self, "has the mutex");
    model_op(OP_FENCE_LOCAL, NULL, 0, 0, 0, 0, 0);
}

static void unlock(void)
{
    model_op(OP_FENCE_LOCAL, NULL, 0, 0, 0, 0, 0);
    *shadow(INSIDE) = 0;
}

static int unlock_mutex(void *arg)
{
    (void)arg;
    unlock();
    return 0;
}

static int lock_mutex(void *arg, bool is_counted)
{
    (void)arg;
    (void)is_counted;
    lock(model_current);
    return 0;
}

static void get(enum word w)
{
    static const struct fw_cond_mutex_ how = {.unlock = unlock_mutex, .lock = lock_mutex};
    int error = 0;

    while (*shadow(TOKENS) == 0 && error == 0)
        error = posix_cond_in_use()->wait(c, &how, w == TIMED ? &script_soon : NULL);
    if (*shadow(TOKENS) > 0)
        (*shadow(TOKENS))--;
}

static void destroy(void)
{
    bool is_empty;

    do {
        struct fw_waitqueue_ *r = fw_waitqueue_lock_(c);

        is_empty = fw_waitqueue_first_(r, c) == NULL;
        fw_waitqueue_unlock_(r);
        model_op(OP_FENCE_LOCAL, NULL, 0, 0, 0, 0, 0);
    } while (!is_empty);
    model_op(OP_FREE, c, sizeof *c, 0, 0, 0, 0);
}

static void act(unsigned self, unsigned w)
{
    if (w == DESTROY) {
        destroy();
        return;
    }
    lock(self);
    switch (w) {
    case PUT_ALL:
        *shadow(TOKENS) += model_thread_count - 1;
        posix_cond_in_use()->broadcast(c);
        break;
    case PUT:
        ++*shadow(TOKENS);
        posix_cond_in_use()->signal(c);
        break;
    case PUT_AFTER:
        ++*shadow(TOKENS);
        break;
    default:
        get(w);
    }
    unlock();
    if (w == PUT_AFTER)
        posix_cond_in_use()->signal(c);
}

static void cancelled(unsigned self)
{
    (void)self;
    unlock();
}

static bool lies_with(const struct fw_waiter_node_ *p, unsigned self)
{
    unsigned owner = MODEL_MAX_THREADS;

    return memory_stack_of((uint64_t)(uintptr_t)p, &owner) && owner == self;
}

/* Other processes have buckets of their own, and a mutex that outlives its owner. */
static void killed(unsigned self)
{
    struct fw_waitqueue_ *r = &buckets_only()->bucket;
    struct fw_waiter_node_ *node = buckets_first(r);

    if (*shadow(INSIDE) == self + 1)
        *shadow(INSIDE) = 0;
    while (node != NULL && !lies_with(node, self))
        node = fw_waitqueue_next_(node);
    if (node != NULL)
        fw_waitqueue_remove_(r, node);
    if (buckets_only()->inside == self + 1 && model_threads[self].buffered == 0)
        buckets_only()->inside = 0;
}

static void finished(void)
{
    if (model_shared.asleep != 0 && *shadow(TOKENS) != 0)
        model_fail("lost wake-up", "somebody waits for a token, and there are %llu",
                   *shadow(TOKENS), 0);
    if (model_shared.asleep == 0 && buckets_first(&buckets_only()->bucket) != NULL)
        model_fail("bucket", "nobody waits, and somebody is queued", 0, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .cancelled = cancelled,
             .killed = killed, .finished = finished);

/* The last thread puts. */
#define PROGRAM(...) \
    SCRIPTED(hooks, __VA_ARGS__, .generic = true, .buckets = 1, .spares_last = true)

static const struct model_program programs[] = {
    PROGRAM("pcond", "get get | put put"),
    PROGRAM("pcond-after", "get get | put-after put-after"),
    PROGRAM("pcond-two", "get | get | put put"),
    PROGRAM("pcond-back", "get get | get | put-after put-after put-after",
            ABOUT("who was woken waits again")),
    PROGRAM("pcond-signallers", "get | get | put-after | put-after"),
    PROGRAM("pcond-all", "get | get | put-all"),
    PROGRAM("pcond-free", "get | get | put-all destroy", ABOUT("destroyed once all were woken")),
    PROGRAM("pcond-timed", "timed | put", TICKS(1)),
    PROGRAM("pcond-timed-two", "timed | get | put-after put-after", TICKS(1)),
    PROGRAM("pcond-spurious", "get | get | put-after put-after", INTERRUPTED),
    PROGRAM("pcond-cancel", "get | get | put-after put-after", CANCELS(1)),
    PROGRAM("pcond-cancel-one", "get | get | put-after", MAY_SLEEP, CANCELS(1),
            ABOUT("one is cancelled, perhaps with the only wake")),
    PROGRAM("pcond-kill", "get | get | put-after put-after", .rechecks = true, .unmarked = true,
            KILLS(1), ABOUT("one of two is killed, perhaps with a wake")),
};

GROUP(posix_cond, "posix-cond");
