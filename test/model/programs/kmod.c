/* SPDX-License-Identifier: MIT */
/*
 * The programs for the core of the kernel module (kmod/).
 *
 *   wait, timed          WAIT while the word is 0, the latter until its deadline
 *   wake, wakeall        sets the word to 1, then wakes one or all
 *   requeue              sets the word to 1, then moves all waiters to the other word
 *   wakemoved            wakes all that wait for the other word
 *   greedy, fair, random takes the word as user space does, or by DOWN and LOCK, is inside, and
 *                        gives it back: greedy in user space if it can, else by UP and UNLOCK
 *   late                 as greedy, but gives up when its deadline passes
 *   down, up             the kernel semaphore
 *
 * Words to take: FROM(1) by FWK_COUNT, FROM(0) by FWK_OWNER.  One is inside at a time;
 * a waiter that leaves its queue by itself was not woken; all that sleep are woken in the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <furwock/futex.h>
#include <furwock/kernel.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../subject/subject.h"
#include "kmod_calls.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(WAIT, TIMED, WAKE, WAKEALL, REQUEUE, WAKEMOVED, GREEDY, FAIR, RANDOM, LATE, DOWN, UP);

enum { BUCKETS = 2 };
enum shadow { INSIDE, UPS, DOWNS };

static fwk_word word, moved;
static struct fwk_bucket *buckets;
static struct fwk_table table;
static fwk_task *tasks;
static struct fwk_sem *sem;

/* Keys of two buckets, by the hash of the core. */
static struct fwk_key key_of(fwk_word w, u64 kind)
{
    return (struct fwk_key){.object = w == word ? 0x1000 : 0x2000, .offset = 0, .kind = kind};
}

static void setup(void)
{
    word = model_object("word", 8, NULL, NULL);
    moved = model_object("moved", 8, NULL, NULL);
    buckets = model_object("buckets", BUCKETS * sizeof *buckets, NULL, NULL);
    tasks = model_object("tasks", MODEL_MAX_THREADS * sizeof *tasks + 8, NULL, NULL);
    sem = model_object("sem", sizeof *sem, NULL, NULL);
    table = (struct fwk_table){buckets, BUCKETS - 1};
    for (unsigned i = 0; i < BUCKETS; i++)
        kmod_in_use()->bucket_init(&buckets[i]);
    kmod_in_use()->sem_init(sem);
    sem->key = key_of(word, FWK_SEM);
    *word = (uint32_t)model_program->initial;
}

static void waiter_init(struct fwk_waiter *w, unsigned self, u64 kind)
{
    memset(w, 0, sizeof *w);
    w->key = key_of(word, kind);
    w->task = &tasks[self];
    w->self = self + 1;
}

/* 0: it has left its queue; ETIMEDOUT. */
static int sleep_until(struct fwk_waiter *w, const fw_deadline *deadline)
{
    for (;;) {
        uint32_t seen = fw_load32_relaxed(&w->task->woken);

        if (!fwk_is_queued(w))
            return 0;
        if (fw_futex_wait(&w->task->woken, seen, FW_FUTEX_SHARED, deadline) == -ETIMEDOUT)
            return ETIMEDOUT;
    }
}

static bool leave(struct fwk_waiter *w)
{
    bool was_queued = kmod_in_use()->unqueue(w);

    if (was_queued != (w->outcome == FWK_NONE))
        model_thread_fail("outcome", "a waiter leaves its queue: %llu, and its outcome is %llu",
                          was_queued, w->outcome);
    return was_queued;
}

static void wait_once(unsigned self, bool is_timed)
{
    struct fwk_waiter w;

    waiter_init(&w, self, FWK_WAIT);
    if (kmod_in_use()->wait(&table, &w, word, 0) == 0 &&
        sleep_until(&w, is_timed ? &script_soon : NULL) != 0)
        leave(&w);
}

static u64 kind(void)
{
    return model_program->initial != 0 ? FWK_COUNT : FWK_OWNER;
}

static bool take_in_user_space(unsigned self)
{
    uint32_t is_free = (uint32_t)model_program->initial;

    return fw_cas32_acquire(word, &is_free, kind() == FWK_COUNT ? 0 : self + 1);
}

static bool give_in_user_space(unsigned self)
{
    uint32_t is_held = kind() == FWK_COUNT ? 0 : self + 1;

    return fw_cas32_release(word, &is_held, (uint32_t)model_program->initial);
}

/* As kmod/wait.c does. */
static bool take(unsigned self, const fw_deadline *deadline)
{
    struct fwk_acquire a = {.protocol = kmod_in_use()->protocol_of(kind()), .word = word};
    struct fwk_waiter w;

    if (take_in_user_space(self))
        return true;
    waiter_init(&w, self, kind());
    for (;;) {
        int outcome = kmod_in_use()->acquire(&table, &w, &a);

        if (outcome == FWK_TAKEN)
            return true;
        if (outcome != FWK_QUEUED)
            continue; /* the word has changed */
        if (sleep_until(&w, deadline) != 0)
            return kmod_in_use()->acquire_end(&table, &w, &a) == FWK_TAKEN;
        if (w.outcome == FWK_GRANTED)
            return true;
    }
}

static void give(unsigned self, enum fwk_policy policy)
{
    struct fwk_key key = key_of(word, kind());
    struct fwk_release r = {kmod_in_use()->protocol_of(kind()), &key, word, self + 1, policy};

    if (policy == FWK_GREEDY && give_in_user_space(self))
        return;
    while (kmod_in_use()->release(&table, &r) == -EAGAIN)
        continue;
}

static void section(unsigned self, enum fwk_policy policy, const fw_deadline *deadline)
{
    if (!take(self, deadline))
        return;
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu comes in, and thread %llu is inside", self,
                          *shadow(INSIDE) - 1);
    *shadow(INSIDE) = self + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(INSIDE) = 0;
    give(self, policy);
}

static void down(unsigned self)
{
    struct fwk_waiter w;
    struct fwk_sem *gone;

    waiter_init(&w, self, FWK_SEM);
    if (kmod_in_use()->sem_down(&table, &w, &gone) == FWK_QUEUED)
        sleep_until(&w, NULL);
    if (++*shadow(DOWNS) > *shadow(UPS))
        model_thread_fail("made up", "%llu units were taken, and %llu were there", *shadow(DOWNS),
                          *shadow(UPS));
}

static void up(void)
{
    struct fwk_key key = key_of(word, FWK_SEM);
    struct fwk_sem *spare = sem;
    u32 units = 1;

    ++*shadow(UPS);
    kmod_in_use()->sem_up(&table, &key, &units, &spare);
}

static void wake(uint32_t n)
{
    struct fwk_key key = key_of(word, FWK_WAIT);

    fw_store32_relaxed(word, 1);
    kmod_in_use()->wake(&table, &key, n);
}

static void requeue(void)
{
    struct fwk_key from = key_of(word, FWK_WAIT), to = key_of(moved, FWK_WAIT);
    struct fwk_requeue r = {.from = &from, .to = &to, .move = FW_KERNEL_ALL};

    fw_store32_relaxed(word, 1);
    kmod_in_use()->requeue(&table, &r);
}

static void wake_moved(void)
{
    struct fwk_key key = key_of(moved, FWK_WAIT);

    kmod_in_use()->wake(&table, &key, FW_KERNEL_ALL);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case WAIT:
    case TIMED:
        wait_once(self, w == TIMED);
        break;
    case WAKE:
    case WAKEALL:
        wake(w == WAKE ? 1 : FW_KERNEL_ALL);
        break;
    case REQUEUE:
        requeue();
        break;
    case WAKEMOVED:
        wake_moved();
        break;
    case GREEDY:
    case FAIR:
    case RANDOM:
        section(self, w == GREEDY ? FWK_GREEDY : w == FAIR ? FWK_FAIR : FWK_RANDOM, NULL);
        break;
    case LATE:
        section(self, FWK_GREEDY, &script_soon);
        break;
    case DOWN:
        down(self);
        break;
    default:
        up();
    }
}

static void finished(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        if (buckets[i].all.next != &buckets[i].all ||
            buckets[i].classes.next != &buckets[i].classes)
            model_fail("queue", "all are done, and somebody is queued in bucket %llu", i, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("kmod-wait", "wait | wakeall"),
    PROGRAM("kmod-wait-two", "wait | wait | wakeall"),
    PROGRAM("kmod-timed", "wait | timed | wakeall", INTERRUPTED),
    PROGRAM("kmod-requeue", "timed | wait | requeue wakemoved"),
    PROGRAM("kmod-count", "greedy | greedy", FROM(1)),
    PROGRAM("kmod-count-three", "greedy | greedy | greedy", FROM(1)),
    PROGRAM("kmod-count-fair", "fair | fair | greedy", FROM(1)),
    PROGRAM("kmod-count-random", "random | random | greedy", FROM(1), BOUND(2, 3)),
    PROGRAM("kmod-count-late", "greedy greedy | late | greedy", FROM(1), BOUND(3, 4)),
    PROGRAM("kmod-owner", "greedy greedy | fair", FROM(0)),
    PROGRAM("kmod-owner-three", "fair | greedy | late", FROM(0), BOUND(3, 4)),
    PROGRAM("kmod-sem", "down | up", ABOUT("also before it is waited for")),
    PROGRAM("kmod-sem-two", "down down | up | up"),
};

GROUP(kmod, "kmod");
