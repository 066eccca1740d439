/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_PLANTED_H
#define FW_TEST_PLANTED_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

/*
 * Programs with planted faults, for furwock run --check and for others that look for the same:
 *
 *     planted KIND bad      VARIANTS times a fault of that kind
 *     planted KIND good     what looks much like it, and is no fault
 *
 * All of it is one text, compiled once for each variant: so each has its own functions and lines.
 * What a variant is like follows from its number: which kind of lock, in a variable or on the heap,
 * how many locks, which way.
 */
enum { VARIANTS = 20, LOCKS = 5, ROLES = 5 };

enum lock_kind { NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE, RWLOCK, LOCK_KINDS };

struct lock {
    enum lock_kind kind;
    union {
        pthread_mutex_t mutex;
        pthread_rwlock_t rwlock;
    };
};

/* One variant.  Its roles are threads: one after another, or at once, as its kind says. */
struct fault {
    int number;
    bool is_bad;
    struct lock *lock; /* LOCKS of them */
    pthread_cond_t cond;
    sem_t turn[4];
    bool is_over;
};

struct fault_kind {
    const char *name;
    int roles;
    bool at_once;    /* its threads run at the same time */
    bool never_ends; /* role 0 of a bad one waits forever */
};

/* Runs a role of the variant of that number. */
typedef void fault_role(struct fault *f, int role);

#define FAULT_KINDS(X)              \
    X(order, 4, false, false)       \
    X(relock, 1, false, true)       \
    X(destroyed, 1, false, false)   \
    X(reused, 1, false, false)      \
    X(stranger, 2, true, false)     \
    X(not_held, 1, false, false)    \
    X(two_mutexes, 3, true, false)  \
    X(unheld, 1, false, false)      \
    X(thread_exit, 1, false, false) \
    X(forked, 1, false, false)      \
    X(lost, 2, true, false)         \
    X(blocked, 1, false, false)     \
    X(inversion, 2, true, false)

#define INLINE static inline __attribute__((always_inline))

/* --- Locks of whatever kind, each call in the function that it is written in ------------------ */

INLINE bool is_shared_kind(const struct lock *l)
{
    return l->kind == RWLOCK;
}

INLINE int take(struct lock *l)
{
    return is_shared_kind(l) ? pthread_rwlock_wrlock(&l->rwlock) : pthread_mutex_lock(&l->mutex);
}

INLINE int take_to_read(struct lock *l)
{
    return is_shared_kind(l) ? pthread_rwlock_rdlock(&l->rwlock) : pthread_mutex_lock(&l->mutex);
}

INLINE int try_to_take(struct lock *l)
{
    return is_shared_kind(l) ? pthread_rwlock_trywrlock(&l->rwlock)
                             : pthread_mutex_trylock(&l->mutex);
}

INLINE int release(struct lock *l)
{
    return is_shared_kind(l) ? pthread_rwlock_unlock(&l->rwlock) : pthread_mutex_unlock(&l->mutex);
}

INLINE void make(struct lock *l)
{
    static const int types[] = {[NORMAL] = PTHREAD_MUTEX_NORMAL,
                                [RECURSIVE] = PTHREAD_MUTEX_RECURSIVE,
                                [ERRORCHECK] = PTHREAD_MUTEX_ERRORCHECK,
                                [ADAPTIVE] = PTHREAD_MUTEX_ADAPTIVE_NP};
    pthread_mutexattr_t attr;

    if (is_shared_kind(l)) {
        pthread_rwlock_init(&l->rwlock, NULL);
        return;
    }
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, types[l->kind]);
    pthread_mutex_init(&l->mutex, &attr);
    pthread_mutexattr_destroy(&attr);
}

INLINE int destroy(struct lock *l)
{
    return is_shared_kind(l) ? pthread_rwlock_destroy(&l->rwlock)
                             : pthread_mutex_destroy(&l->mutex);
}

/* planted.c */
void wait_turn(struct fault *f, int turn);
void give_turn(struct fault *f, int turn);
void give_up(const char *why) __attribute__((noreturn)); /* exit status 77 */

#endif
