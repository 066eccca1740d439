/* SPDX-License-Identifier: MIT */
#ifndef FW_CHECKING_CHECK_H
#define FW_CHECKING_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "check_file.h"
#include "node.h"

/*
 * libfurwock-pthread-check.so, for `furwock run --check`: what a thread holds, and what is found
 * out at each acquisition.  doc/guide/check.md says what for.
 *
 * CK1 A thread that is stopped or killed anywhere blocks no other: no lock is taken here, and no
 *     entry of a table is given to another key.
 * CK2 Nothing is allocated but by the tables below, which are in .bss and bounded.  What does not
 *     fit is counted, and not checked.
 * CK3 Each thread alone writes its own stack of held locks, except that another one may set
 *     `object` to NULL (it has unlocked what was not its own).
 */
enum { FW_CHECK_DEPTH = 64, FW_CHECK_CACHE = 512, FW_CHECK_THREADS = 1024 };

struct fw_check_held_ {
    const void *object; /* NULL: was unlocked by another thread */
    const void *site;   /* where it was taken */
    uint64_t before;    /* the hash of the chain below */
    uint32_t mark;      /* node and mode: node.h */
    uint32_t again;     /* how often it was locked beyond the first time */
};

struct fw_check_thread_ {
    uint32_t count;
    uint32_t epoch;   /* of which what is in the cache was verified */
    uint64_t hash;    /* of the chain of what is held */
    uint32_t is_used; /* by a thread: 0 free, 1 used */
    uint32_t thread;  /* its kernel id */
    uint32_t is_busy; /* at work here: what it locks meanwhile is not looked at */
    uint32_t beyond;  /* locks that it holds and that are not in the stack */
    uint32_t is_armed;
    uint32_t ended;
    uint32_t inherited; /* how many of the stack were taken before a fork */
    struct fw_check_held_ held[FW_CHECK_DEPTH];
    uint64_t cache[FW_CHECK_CACHE];     /* hashes of chains that are known to be in order */
    uint32_t dead[FW_CHECK_NODES / 32]; /* of cycle.c: bits of nodes that lead nowhere */
};

extern __thread struct fw_check_thread_ *fw_check_me_ __attribute__((tls_model("initial-exec")));

/* Changes when a class was split, or the process got its second thread: caches are void then. */
extern uint32_t fw_check_epoch_;

/* --hold=MS, in nanoseconds; 0: not asked for. */
extern uint64_t fw_check_hold_ns_;

static inline uint64_t fw_check_mix_(uint64_t hash, uint32_t mark)
{
    hash = (hash ^ mark) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static inline uint64_t *fw_check_slot_(struct fw_check_thread_ *t, uint64_t hash)
{
    return &t->cache[hash >> 55];
}

_Static_assert(FW_CHECK_CACHE == 1 << (64 - 55), "the upper bits are the index");

static inline void fw_check_push_(struct fw_check_thread_ *t, const void *object, uint32_t mark,
                                  const void *site, uint64_t hash)
{
    struct fw_check_held_ *h = &t->held[t->count];

    h->object = object;
    h->site = site;
    h->before = t->hash;
    h->mark = mark;
    h->again = 0;
    t->hash = hash;
    t->count++;
}

/*
 * The usual case of an acquisition that will succeed: the lock has its node, and the chain was seen
 * before, or there is none.  False: fw_check_before_ and fw_check_got_ have to look.
 */
static inline bool fw_check_enter_(const void *object, uint32_t mark, const void *site)
{
    struct fw_check_thread_ *t = fw_check_me_;
    uint64_t hash;

    if (__builtin_expect(t == NULL, 0) || __builtin_expect(mark < 2, 0))
        return false;
    hash = fw_check_mix_(t->hash, mark);
    if (t->count != 0 &&
        (t->count >= FW_CHECK_DEPTH || t->epoch != fw_load32_relaxed(&fw_check_epoch_) ||
         *fw_check_slot_(t, hash) != hash))
        return false;
    if (__builtin_expect(t->is_busy, 0))
        return false;
    fw_check_push_(t, object, mark, site, hash);
    return true;
}

/* The usual case of a release: the lock was taken last, and once.  False: look. */
static inline bool fw_check_leave_(const void *object)
{
    struct fw_check_thread_ *t = fw_check_me_;
    struct fw_check_held_ *h;

    if (__builtin_expect(t == NULL || t->count <= t->inherited, 0))
        return false;
    h = &t->held[t->count - 1];
    if (__builtin_expect(h->object != object || h->again != 0, 0))
        return false;
    t->hash = h->before;
    t->count--;
    return true;
}

/* --- thread.c --------------------------------------------------------------------------------- */

/* The record of the calling thread; NULL: none is left, or it is at work here (is_busy). */
struct fw_check_thread_ *fw_check_thread_here_(void);

/* The entry of what the thread holds; NULL. */
struct fw_check_held_ *fw_check_find_(struct fw_check_thread_ *t, const void *object);
void fw_check_drop_(struct fw_check_thread_ *t, struct fw_check_held_ *h);

/* It is held in another mode from now on. */
void fw_check_mark_(struct fw_check_thread_ *t, struct fw_check_held_ *h, uint32_t mark);

/* Any thread that holds it, as far as is known: the entry, and the thread's id; NULL: none. */
const struct fw_check_held_ *fw_check_holder_(const void *object, uint32_t *thread);

/* Takes it from the stack of whoever holds it: it was unlocked by another. */
void fw_check_take_from_(const void *object);

/* In a forked child: did a thread that is not here hold it? */
bool fw_check_is_lost_(const void *object, uint32_t *thread, const void **site);

/* --- order.c ---------------------------------------------------------------------------------- */

/*
 * The thread is about to acquire the lock, and will wait as long as it takes: the orders that
 * result are remembered, and whatever cycle they close is reported.  Returns the mark, which is
 * another one if its class had to be split.
 */
uint32_t fw_check_order_(struct fw_check_thread_ *t, const void *object, uint32_t mark,
                         const void *site);

/* thread.c, in a forked child: the lock was made anew. */
void fw_check_is_found_(const void *object);

/* What it holds is named by nodes that may be classes that were split since: names them again. */
void fw_check_rename_(struct fw_check_thread_ *t);

/* --- report.c --------------------------------------------------------------------------------- */

/* A call that stands for the calling thread's present one, with its call chain. */
void fw_check_call_here_(struct fw_check_call_ *call, const void *object, const void *site);

/* Beside it: what the thread holds. */
void fw_check_call_holds_(struct fw_check_call_ *call, const struct fw_check_held_ *h);

/* Reports it once for each key; keeps errno. */
void fw_check_report_(const struct fw_check_finding_ *finding);

/* The same with one call, on the object. */
void fw_check_report_one_(enum fw_check_kind_ kind, const void *object, const void *site,
                          uint32_t owner, const struct fw_check_held_ *held);

/* The same of something that took `ns`. */
void fw_check_report_timed_(enum fw_check_kind_ kind, const void *object, const void *site,
                            const struct fw_check_held_ *held, uint64_t ns);

/* Where counts of what did not fit are kept; NULL: nowhere. */
struct fw_check_ *fw_check_file_(void);

/* --- acquire.c -------------------------------------------------------------------------------- */

/* How a lock is asked for. */
enum fw_check_ask_ {
    FW_CHECK_WAITS, /* as long as it takes: the order counts */
    FW_CHECK_TRIES  /* may give up: no order into it */
};

/* Where the number of the lock's node is kept; NULL: nowhere, it is found by the address. */
struct fw_check_target_ {
    const void *object;
    uint32_t *node;
    bool reads;           /* a read lock */
    bool is_recursive;    /* may be locked again by its owner */
    bool refuses_relock;  /* EDEADLK: a program may ask */
    bool blocks_readers;  /* a reader that reads already may wait for a writer */
    bool is_left_by_fork; /* a forked child does not hold it */
};

void fw_check_before_(const struct fw_check_target_ *target, enum fw_check_ask_ ask,
                      const void *site);
void fw_check_got_(const struct fw_check_target_ *target, const void *site);

/*
 * The object is about to be unlocked by this thread.  `owner` is the thread that holds it as far as
 * the lock knows: 0: nobody; FW_CHECK_UNKNOWN.
 */
#define FW_CHECK_UNKNOWN UINT32_MAX
void fw_check_release_(const void *object, uint32_t owner, const void *site);

#endif
