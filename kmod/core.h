/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FWK_CORE_H
#define FWK_CORE_H

#include "shim.h"

/*
 * The wait queues of the kernel service, and the rules of its calls.
 *
 * Nothing here sleeps, allocates, or knows of the kernel, but by shim.h; so the same text runs in
 * the module, in programs that test it, and in the model checker.  A call that has to wait queues a
 * waiter and returns; its caller sleeps until fwk_is_queued() is false.
 *
 * States, invariants, locking order, life times: doc/design/kernel-service.md.
 */

/* What a function leaves locked, or released, for the kernel's checker, sparse. */
#ifdef __CHECKER__
#define FWK_LOCKS(lock) __acquires(lock)
#define FWK_UNLOCKS(lock) __releases(lock)
#define FWK_COUNTS_AS_LOCKED(lock) __acquire(lock)
#define FWK_COUNTS_AS_UNLOCKED(lock) __release(lock)
#else
#define FWK_LOCKS(lock)
#define FWK_UNLOCKS(lock)
#define FWK_COUNTS_AS_LOCKED(lock) ((void)0)
#define FWK_COUNTS_AS_UNLOCKED(lock) ((void)0)
#endif

struct fwk_link {
    struct fwk_link *next, *prev;
};

/* What keeps a key's object from being replaced by another at its address. */
struct fwk_hold {
    void *object;
    u64 kind; /* key.c */
};

/* The queue that a waiter is in: a word, and the kind of the call. */
struct fwk_key {
    u64 object;
    u64 offset;
    u64 kind; /* enum fwk_kind, and above its bits the number of a semaphore */
    struct fwk_hold hold;
};

enum fwk_kind { FWK_WAIT, FWK_COUNT, FWK_OWNER, FWK_SEM };
#define FWK_KIND_BITS 8

void fwk_hold_take(const struct fwk_hold *hold);    /* once more; under bucket locks */
void fwk_hold_release(const struct fwk_hold *hold); /* under none: may free */

struct fwk_bucket {
    fwk_spin lock;
    u64 tickets;             /* given out */
    struct fwk_link all;     /* its waiters, of all keys: by priority, then by ticket */
    struct fwk_link classes; /* of these, the first of each priority */
    struct fwk_link sems;
};

struct fwk_table {
    struct fwk_bucket *buckets;
    u64 mask; /* their number is a power of two; less 1 */
};

void fwk_bucket_init(struct fwk_bucket *b);

/* A waiter has left its queue because of: */
enum fwk_outcome { FWK_NONE, FWK_WOKEN, FWK_GRANTED };

/* On the stack of the call that waits, or in an asynchronous wait.  The caller sets the first. */
struct fwk_waiter {
    struct fwk_key key;
    fwk_task *task; /* who sleeps, or NULL: then notify is called, under the bucket's lock */
    void (*notify)(struct fwk_waiter *w);
    u64 priority; /* smaller is more urgent */
    u64 self;     /* thread id: what a lock that is handed over holds */

    struct fwk_bucket *bucket; /* whose lock guards the rest; NULL: in none, and never again */
    struct fwk_link all, class;
    u64 ticket;
    u64 outcome;
};

static inline bool fwk_is_queued(struct fwk_waiter *w)
{
    return fwk_load_acquire(&w->bucket) != NULL;
}

/* Takes it out of its queue.  False: it has left before, and `outcome` says why. */
bool fwk_unqueue(struct fwk_waiter *w);

/* --- WAIT, WAKE, REQUEUE -------------------------------------------------------------------- */

/* 0: queued.  -EAGAIN: the word is another; -EFAULT: as of fwk_word_read(). */
int fwk_wait(struct fwk_table *t, struct fwk_waiter *w, fwk_word word, u32 expected);

/* How many were woken: at most `most` of those that are queued now. */
u32 fwk_wake(struct fwk_table *t, const struct fwk_key *key, u32 most);

struct fwk_requeue {
    const struct fwk_key *from, *to;
    u32 wake, move;
    fwk_word word; /* checked if `compares` */
    u32 expected;
    bool compares;
};

/* How many were woken and moved; -EAGAIN, -EFAULT as fwk_wait. */
long fwk_requeue(struct fwk_table *t, const struct fwk_requeue *r);

/* --- DOWN and UP, LOCK and UNLOCK: words that the kernel changes --- */

/* What a word means.  Of `v`, the word as it is: */
struct fwk_protocol {
    bool (*is_free)(u32 v);
    u32 (*taken)(u32 v, u32 self, bool has_others);   /* free -> held; others wait */
    u32 (*contended)(u32 v);                          /* held -> held, and somebody waits */
    u32 (*released)(u32 v);                           /* held -> free; or one more unit */
    u32 (*granted)(u32 v, u32 next, bool has_others); /* held -> held by the next */
    bool (*is_owner)(u32 v, u32 self);                /* who takes: it has it already; or NULL */
    u32 most;                                         /* a word that is not released further */
};

/* FWK_COUNT: the word of Linux 2.5.7, for DOWN and UP.  FWK_OWNER: FUTEX_LOCK's. */
const struct fwk_protocol *fwk_protocol_of(u64 kind);

enum { FWK_TAKEN, FWK_QUEUED, FWK_BUSY, FWK_TAKEN_DEAD };

struct fwk_acquire {
    const struct fwk_protocol *protocol;
    fwk_word word;
    u32 dead; /* the owner that is known to be dead, or 0 */
};

/*
 * Takes the word, or queues the waiter, at the place that it had before if it had one.
 * FWK_TAKEN, FWK_QUEUED; FWK_TAKEN_DEAD: taken from a dead owner.  -EDEADLK; -EFAULT, -EAGAIN: as
 * of fwk_word_swap(), or the word changed too often meanwhile.
 */
int fwk_acquire(struct fwk_table *t, struct fwk_waiter *w, const struct fwk_acquire *a);

/*
 * The waiter gives up: FWK_BUSY, and it is in no queue; or it got the word just now (FWK_TAKEN).
 * A wake that it has received and does not use is passed on.  Errors as above, passed on as well.
 */
int fwk_acquire_end(struct fwk_table *t, struct fwk_waiter *w, const struct fwk_acquire *a);

enum fwk_policy { FWK_GREEDY, FWK_FAIR, FWK_RANDOM };

struct fwk_release {
    const struct fwk_protocol *protocol;
    const struct fwk_key *key;
    fwk_word word;
    u32 self;
    enum fwk_policy policy;
};

/* How many were served or woken.  -EPERM, -EOVERFLOW; -EFAULT, -EAGAIN above: nothing done. */
long fwk_release(struct fwk_table *t, const struct fwk_release *r);

/* --- Kernel semaphores --- */

/* Units that came before those that they are for.  Exists while there are any. */
struct fwk_sem {
    struct fwk_link link; /* in its bucket */
    struct fwk_key key;
    u64 units;
};

void fwk_sem_init(struct fwk_sem *sem);

/* FWK_TAKEN, FWK_QUEUED.  *gone: the caller frees it; or NULL. */
int fwk_sem_down(struct fwk_table *t, struct fwk_waiter *w, struct fwk_sem **gone);

/*
 * Lets go up to *units waiters, puts what remains into the semaphore, which is *spare if there was
 * none, with its key set (*spare is then NULL), and returns how many were let go.  *units: what
 * is left, as there was no spare; or -EOVERFLOW, and nothing is done.
 */
long fwk_sem_up(struct fwk_table *t, const struct fwk_key *key, u32 *units, struct fwk_sem **spare);

/* True: it is in no bucket any more, and the caller frees it.  False: somebody else will. */
bool fwk_sem_forget(struct fwk_table *t, struct fwk_sem *sem);

#endif
