/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../buckets.h"
#include "../engine/report.h"
#include "../memory.h"
#include "../subject/subject.h"
#include "cond_check.h"
#include "mutex_check.h"
#include "script.h"
#include "thread/mutex_word.h"

/* In model_shared.shadow, behind those of the mutex. */
enum shadow {
    TOKENS = MUTEX_FAIR_ASLEEP + 1,
    CALLED,    /* bit per thread: in a wait that has not released the mutex yet */
    WAITING,   /* bit per wait */
    ENDED,     /* bit per wait: woken */
    GONE,      /* bit per wait: timed out, or cancelled */
    SIGNALS,   /* SET_BITS per call: who was waiting; BROADCAST */
    JOINED,    /* SET_BITS per call: who began to wait before it returned */
    CALLING,   /* a byte per thread: its present call + 1 */
    SIGNALLED, /* how many calls */
    HANDED,    /* the mutex was left for another to release */
    ARRIVED,   /* a byte per wait that has begun, the first one lowest: thread + 1 */
    LINE,      /* bit per thread: it was in the queue when the signal was given */
    WAITS,     /* a byte per thread: how many waits it has begun */
    WOKEN      /* bit per thread: it slept in the queue when the broadcast was given; DISTURBED */
};

_Static_assert(WOKEN < MODEL_SHADOW_WORDS, "there is room");

#define WAITS_PER_THREAD 2u
#define SET_BITS 16u
#define BROADCAST (1u << 15)
#define MAX_SIGNALS (64u / SET_BITS)
#define DISTURBED (UINT64_C(1) << 63) /* another one has had the mutex since */

_Static_assert(MODEL_MAX_THREADS *WAITS_PER_THREAD < 15, "a set of waits has a bit for each");

static uint64_t *word;
static fw_cond *cond;

/* The wait in which the thread is; 0 where it has waited too often to be watched. */
static uint64_t wait_bit(unsigned thread)
{
    uint64_t n = *shadow(WAITS) >> 8 * thread & 0xff;

    return n == 0 || n > WAITS_PER_THREAD ? 0
                                          : model_bit(thread * WAITS_PER_THREAD + (unsigned)n - 1);
}

static unsigned call_of(unsigned thread)
{
    return (unsigned)(*shadow(CALLING) >> 8 * thread & 0xff);
}

/* --- Readable words ------------------------------------------------------------------------- */

static const struct model_part parts[] = {{"seq", 0, 4}, {"waiters", 4, 4}, {NULL, 0, 0}};

void cond_check_setup(const struct cond_check_options *options)
{
    word = mutex_check_setup(options->mutex);
    cond = model_object("c", sizeof *cond, parts, NULL);
    cond->seq_ = (uint32_t)options->seq;
    cond->waiters_ = (uint32_t)options->waiters;
}

fw_mutex *cond_check_mutex(void)
{
    return (fw_mutex *)word;
}

fw_cond *cond_check_cond(void)
{
    return cond;
}

uint64_t *cond_check_tokens(void)
{
    return shadow(TOKENS);
}

/* --- Who is served first -------------------------------------------------------------------- */

static unsigned arrivals(void)
{
    unsigned n = 0;

    while (n < 7 && (*shadow(ARRIVED) >> 8 * n & 0xff) != 0)
        n++;
    return n;
}

/* When its last wait began. */
static unsigned arrival_of(unsigned thread)
{
    unsigned at = 0;

    for (unsigned i = 0; i < arrivals(); i++)
        if ((*shadow(ARRIVED) >> 8 * i & 0xff) == thread + 1)
            at = i;
    return at;
}

/* Bit per thread that is in the queue. */
static uint64_t line(void)
{
    const struct fw_waitqueue_ *bucket = &buckets_only()->bucket;
    uint64_t set = 0;
    unsigned thread;

    for (unsigned i = 0; i < FW_WAITQUEUE_LISTS_; i++)
        for (const struct fw_waiter_node_ *f = bucket->lines[i]; f != NULL; f = f->next_object)
            for (const struct fw_waiter_node_ *p = f; p != NULL; p = p->next)
                if (memory_stack_of((uint64_t)(uintptr_t)p, &thread))
                    set |= model_bit(thread);
    return set;
}

/* A signal has served one, and the other stays; one that has yet to sleep may be misjudged. */
static bool goes_first(unsigned other, unsigned served)
{
    uint64_t mine = model_threads[served].priority, its = model_threads[other].priority;

    if (its != mine)
        return its > mine && (!subject_is_stale || model_threads[other].status == THREAD_ASLEEP);
    return !subject_is_stale && arrival_of(other) < arrival_of(served);
}

static void check_served(void)
{
    uint64_t left = line();

    for (unsigned served = 0; served < model_thread_count; served++)
        for (unsigned other = 0; other < model_thread_count; other++)
            if ((*shadow(LINE) & ~left & model_bit(served)) != 0 &&
                (left & model_bit(other)) != 0 && goes_first(other, served))
                model_thread_fail("order", "thread %llu is served before thread %llu", served,
                                  other);
    *shadow(LINE) = 0;
}

/* Those who sleep when a broadcast begins. */
static uint64_t sleepers_in_line(void)
{
    uint64_t set = line();

    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_threads[i].status != THREAD_ASLEEP)
            set &= ~model_bit(i);
    return set;
}

/* Another thread has the mutex, or has released it and is about to wake one. */
static bool is_disturbed(unsigned self)
{
    uint64_t inside = *shadow(MUTEX_INSIDE);

    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_threads[i].status == THREAD_STOPPED && model_threads[i].op.kind == OP_WAKE &&
            model_threads[i].op.addr - (uint64_t)(uintptr_t)word < sizeof(fw_mutex))
            return true;
    return inside != 0 && inside != self + 1;
}

/*
 * The mutex goes from one to the next of them by priority.  Once another thread has had it in
 * between, its release may have woken a second of them (mutex_word.h, wakes_nobody).  Then those
 * who are awake contend, and only a sleeper must not be more urgent than the one that has it.
 */
static void check_turn(unsigned self)
{
    uint64_t woken = *shadow(WOKEN);

    if ((woken & model_bit(self)) == 0) {
        *shadow(WOKEN) = woken == 0 ? 0 : woken | DISTURBED;
        return;
    }
    *shadow(WOKEN) = woken & ~model_bit(self);
    for (unsigned other = 0; other < model_thread_count; other++)
        if ((woken & model_bit(other)) != 0 &&
            model_threads[other].priority > model_threads[self].priority &&
            ((woken & DISTURBED) == 0 || model_threads[other].status == THREAD_ASLEEP))
            model_thread_fail("order", "thread %llu has the mutex before thread %llu", self, other);
}

/* --- The mutex ------------------------------------------------------------------------------ */

void cond_check_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint32_t id = subject_id(thread);

    if (addr != (uint64_t)(uintptr_t)word)
        return;
    if (*shadow(HANDED) != 0 && owner_half(before) == *shadow(HANDED))
        id = owner_half(before);
    if (owner_half(before) != id || owner_half(*word) == id)
        return;
    *shadow(MUTEX_INSIDE) = 0;
    if ((*shadow(CALLED) & model_bit(thread)) != 0) { /* its wait has begun */
        *shadow(CALLED) &= ~model_bit(thread);
        *shadow(WAITING) |= wait_bit(thread);
        *shadow(ARRIVED) |= (thread + 1) << 8 * arrivals();
        for (unsigned i = 0; i < model_thread_count; i++)
            if (call_of(i) != 0)
                *shadow(JOINED) |= wait_bit(thread) << SET_BITS * (call_of(i) - 1);
    }
}

void cond_check_enter(unsigned self)
{
    uint64_t inside = *shadow(MUTEX_INSIDE);
    uint64_t owner = memory_read(self, (uint64_t)(uintptr_t)word, 4);

    report_remark(self, "has the mutex");
    if (inside != 0)
        model_thread_fail("exclusion", "threads %llu and %llu have the mutex", inside - 1, self);
    if (owner != subject_id(self))
        model_thread_fail("owner", "thread %llu has the mutex, and the owner half is 0x%llx", self,
                          owner);
    *shadow(MUTEX_INSIDE) = self + 1;
    check_turn(self);
}

/* --- Waits and signals ---------------------------------------------------------------------- */

bool cond_check_hand(bool now)
{
    bool before = *shadow(HANDED) != 0;

    if (now)
        *shadow(HANDED) = subject_id(model_current);
    return before;
}

void cond_check_wait(unsigned self)
{
    if ((*shadow(WAITS) >> 8 * self & 0xff) <= WAITS_PER_THREAD)
        *shadow(WAITS) += (UINT64_C(1) << 8 * self);
    *shadow(CALLED) |= model_bit(self);
}

void cond_check_back(unsigned self, enum wait_end how)
{
    static const char *const names[] = {"is back", "is back: time-out", "is cancelled"};
    uint64_t mine = wait_bit(self);

    report_remark(self, names[how]);
    if ((*shadow(CALLED) & model_bit(self)) != 0) { /* it never let go of the mutex */
        *shadow(CALLED) &= ~model_bit(self);
        return;
    }
    *shadow(WAITING) &= ~mine;
    *shadow(how == WAIT_WOKEN ? ENDED : GONE) |= mine;
    cond_check_enter(self);
}

void cond_check_signal(unsigned self, bool all)
{
    uint64_t n;

    if (*shadow(MUTEX_INSIDE) != self + 1) /* others may begin to wait until now */
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    else if (!all && model_program->tasks != NULL)
        *shadow(LINE) = line();
    if (all && model_program->tasks != NULL)
        *shadow(WOKEN) = sleepers_in_line() | (is_disturbed(self) ? DISTURBED : 0);
    n = *shadow(SIGNALLED);
    if (n == MAX_SIGNALS)
        return;
    *shadow(SIGNALLED) = n + 1;
    *shadow(CALLING) |= (n + 1) << 8 * self;
    *shadow(SIGNALS) |= (*shadow(WAITING) | (all ? BROADCAST : 0)) << SET_BITS * n;
}

void cond_check_signalled(unsigned self)
{
    if (*shadow(LINE) != 0)
        check_served();
    *shadow(CALLING) &= ~(UINT64_C(0xff) << 8 * self);
}

void cond_check_free(unsigned self, bool mutex)
{
    (void)self;
    if (mutex)
        model_op(OP_FREE, word, 8, 0, 0, 0, 0);
    else
        model_op(OP_FREE, cond, 8, 0, 0, 0, 0);
}

/* --- The end -------------------------------------------------------------------------------- */

static unsigned count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* Any set of the calls has woken as many as it must. */
static void check_signals(uint64_t calls)
{
    uint64_t met = 0, joined = 0;
    unsigned owed = 0;

    for (unsigned i = 0; i < *shadow(SIGNALLED); i++) {
        uint64_t set = *shadow(SIGNALS) >> SET_BITS * i & (BROADCAST | (BROADCAST - 1));
        if ((calls >> i & 1) == 0 || (set & ~(uint64_t)BROADCAST) == 0)
            continue;
        met |= set & ~(uint64_t)BROADCAST;
        joined |= *shadow(JOINED) >> SET_BITS * i & (BROADCAST - 1);
        owed += (set & BROADCAST) != 0 ? MODEL_MAX_THREADS : 1;
    }
    met &= ~*shadow(GONE);
    if (owed > count(met))
        owed = count(met);
    if (count((met | joined) & *shadow(ENDED)) < owed)
        model_fail("lost wake-up", "%llu waiter(s) had to be woken, and %llu were", owed,
                   count((met | joined) & *shadow(ENDED)));
}

/* Whoever sleeps, sleeps in a wait: not for the mutex, nor after its wake. */
static void check_sleepers(bool counts)
{
    for (unsigned i = 0; i < model_shared.asleep; i++) {
        unsigned thread = (unsigned)model_shared.queue[i];
        if ((*shadow(WAITING) & wait_bit(thread)) != wait_bit(thread) ||
            model_threads[thread].op.addr - (uint64_t)(uintptr_t)word < sizeof(fw_mutex))
            model_fail("lost wake-up", "thread %llu sleeps, and not for a signal", thread, 0);
        else if (!counts && *shadow(TOKENS) != 0)
            model_fail("lost wake-up", "thread %llu waits for a token, and there are %llu", thread,
                       *shadow(TOKENS));
    }
}

void cond_check_finished(bool counts)
{
    const struct fw_waitqueue_ *bucket = &buckets_only()->bucket;

    check_sleepers(counts);
    for (uint64_t calls = 1; counts && calls < UINT64_C(1) << *shadow(SIGNALLED); calls++)
        check_signals(calls);
    if (!script_is_freed(word))
        mutex_check_finished();
    if (model_shared.asleep == 0 && buckets_first(bucket) != NULL)
        model_fail("bucket", "nobody waits, and somebody is queued", 0, 0);
    if (!script_is_freed(cond) && buckets_first(bucket) != NULL && cond->waiters_ == 0)
        model_fail("word", "somebody is queued, and the variable does not say so", 0, 0);
}
