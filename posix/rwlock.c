/* SPDX-License-Identifier: MIT */
/*
 * pthread_rwlock_*.  Contract and layout: rwlock.h.
 *
 * A private lock is an fw_rwlock in the last sixteen bytes: states and invariants are those of
 * src/thread/rwlock.c, the rules those of src/thread/rwlock_posix.h.  A process-shared one:
 * rwlock_shared.c.
 *
 * kind                        who reads, asks to read again, while a writer waits
 * --------------------------  ---------------------------------------------------
 * 0 prefer readers            gets in
 * 1 prefer writers            gets in
 * 2 and does not read twice   waits, as all who come to read
 *
 * The fast paths guess: doc/design/rwlock.md, "The fast paths guess".  On a shared lock they guess
 * wrong, for its fw_rwlock looks held for good (FW_POSIX_RWLOCK_ELSEWHERE_); so it is whoever has
 * got one who sees whether it was of another make.  No branch on what has to be loaded stands
 * before the compare-and-swap, which would wait for it.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/attributes.h"
#include "export.h"
#include "rwlock.h"
#include "rwlock_shared.h"
#include "stat.h"
#include "sys/clock.h"
#include "thread/rwlock_posix.h"
#include "thread/rwlock_word.h"

/* In as few lines of the instruction cache as it can be: it costs little more than its call. */
#define HOT __attribute__((aligned(64)))

/*
 * What the thread knows that tells a better guess, of whichever lock: it has just taken one to
 * write; or when it last looked, others read beside it, which lasts where they have lost their
 * CPU inside.  Wrong: a needless compare-and-swap.
 */
enum { NOTHING, WRITES, OTHERS_READ };
static __thread uint32_t knows __attribute__((tls_model("initial-exec")));

static struct fw_posix_rwlock_ *lock_of(pthread_rwlock_t *p)
{
    return (struct fw_posix_rwlock_ *)p;
}

static inline bool is_private(const struct fw_posix_rwlock_ *l)
{
    return __builtin_expect(l->shared == 0, 1);
}

/* Some read, and nobody is queued. */
static inline bool is_just_read(uint64_t w)
{
    return (w & ~(RW_OWNER_HALF | RW_READERS)) == 0 && rw_has_readers(w);
}

int fw_posix_rwlock_init_(pthread_rwlock_t *p, const pthread_rwlockattr_t *attr)
{
    const struct fw_posix_rwlockattr_ *a = (const struct fw_posix_rwlockattr_ *)attr;
    struct fw_posix_rwlock_ *l = lock_of(p);

    memset(l, 0, sizeof *l);
    if (a == NULL)
        return 0;
    l->kind = (uint32_t)a->kind;
    if (a->shared != PTHREAD_PROCESS_PRIVATE)
        fw_rwlock_shared_init_(l);
    return 0;
}
FW_EXPORT(fw_posix_rwlock_init_, pthread_rwlock_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_init_, pthread_rwlock_init, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_init_, __pthread_rwlock_init, GLIBC_2_2_5);

/* There is nothing to be given back, and nothing is said about a lock that is held. */
int fw_posix_rwlock_destroy_(pthread_rwlock_t *p)
{
    (void)p;
    return 0;
}
FW_EXPORT(fw_posix_rwlock_destroy_, pthread_rwlock_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_destroy_, pthread_rwlock_destroy, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_destroy_, __pthread_rwlock_destroy, GLIBC_2_2_5);

#define READ FW_POSIX_RWLOCK_READ
#define WRITE FW_POSIX_RWLOCK_WRITE

static int trylock(struct fw_posix_rwlock_ *l, enum fw_posix_rwlock_want_ want)
{
    if (want == READ)
        return is_private(l) ? fw_rwlock_tryrdlock(&l->lock) : fw_rwlock_shared_tryrdlock_(l);
    return is_private(l) ? fw_rwlock_trywrlock(&l->lock) : fw_rwlock_shared_trywrlock_(l);
}

int fw_posix_rwlock_tryrdlock_(pthread_rwlock_t *p)
{
    return trylock(lock_of(p), READ);
}
FW_EXPORT(fw_posix_rwlock_tryrdlock_, pthread_rwlock_tryrdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_tryrdlock_, pthread_rwlock_tryrdlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_tryrdlock_, __pthread_rwlock_tryrdlock, GLIBC_2_2_5);

/* The holder that keeps others out, for the library that counts: a writer. */
static int holder_of(const struct fw_posix_rwlock_ *l)
{
    return is_private(l) ? fw_rwlock_owner(&l->lock) : (int)l->writer;
}

static int wait_for(struct fw_posix_rwlock_ *l, enum fw_posix_rwlock_want_ want,
                    const fw_deadline *deadline)
{
    if (want == READ)
        return is_private(l) ? fw_rwlock_rdlock_posix_(&l->lock, deadline)
                             : fw_rwlock_shared_rdlock_(l, NULL, deadline);
    return is_private(l) ? fw_rwlock_wrlock_posix_(&l->lock, deadline)
                         : fw_rwlock_shared_wrlock_(l, NULL, deadline);
}

COLD int fw_posix_rwlock_lock_until_(pthread_rwlock_t *p, enum fw_posix_rwlock_want_ want,
                                     const fw_deadline *deadline, const void *site)
{
    struct fw_posix_rwlock_ *l = lock_of(p);
    struct fw_stat_ stat;
    int error = trylock(l, want);

    if (error != EBUSY)
        return error;
    fw_stat_begin_(&stat, want == READ ? FW_STAT_READ : FW_STAT_WRITE, l, site);
    fw_stat_holder_(&stat, holder_of(l), NULL);
    error = wait_for(l, want, deadline);
    fw_stat_end_(&stat, error);
    return error;
}

/* Deadlines are looked at in any case, as the C library does. */
static int timedlock(pthread_rwlock_t *p, enum fw_posix_rwlock_want_ want, clockid_t clock,
                     const struct timespec *at, const void *site)
{
    fw_deadline deadline = {*at, clock};

    return fw_deadline_is_valid_(&deadline) ? fw_posix_rwlock_lock_until_(p, want, &deadline, site)
                                            : EINVAL;
}

/* The word of a lock that the caller reads alone; without a name, if it has none yet. */
static inline uint64_t sole_reader(void)
{
    return (uint64_t)fw_self_id_ << 32 | FW_RWLOCK_READ_;
}

static inline uint64_t sole_writer(void)
{
    return (uint64_t)fw_self_id_ << 32 | FW_RWLOCK_WRITE_;
}

/* n readers -> n + 1 readers, where nobody waits */
static inline bool joins_readers(struct fw_posix_rwlock_ *l, uint64_t seen)
{
    return is_just_read(seen) && !rw_is_full(seen) &&
           fw_cas64_acquire(&l->lock.state_, &seen, seen + FW_RWLOCK_READ_);
}

NOINLINE static int rdlock_among_others(struct fw_posix_rwlock_ *l, uint64_t seen, const void *site)
{
    knows = is_just_read(seen) ? OTHERS_READ : NOTHING;
    return is_private(l) && joins_readers(l, seen)
               ? 0
               : fw_posix_rwlock_lock_until_((pthread_rwlock_t *)l, READ, NULL, site);
}

HOT int fw_posix_rwlock_rdlock_(pthread_rwlock_t *p)
{
    struct fw_posix_rwlock_ *l = lock_of(p);
    uint64_t seen = 0;

    if (__builtin_expect(knows == OTHERS_READ, 0))
        seen = fw_load64_relaxed(&l->lock.state_);
    else if (__builtin_expect(fw_cas64_acquire(&l->lock.state_, &seen, sole_reader()), 1) &&
             is_private(l))
        return 0;
    return rdlock_among_others(l, seen, FW_SITE_);
}
FW_EXPORT(fw_posix_rwlock_rdlock_, pthread_rwlock_rdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_rdlock_, pthread_rwlock_rdlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_rdlock_, __pthread_rwlock_rdlock, GLIBC_2_2_5);

int fw_posix_rwlock_timedrdlock_(pthread_rwlock_t *p, const struct timespec *at)
{
    return timedlock(p, READ, CLOCK_REALTIME, at, FW_SITE_);
}
FW_EXPORT(fw_posix_rwlock_timedrdlock_, pthread_rwlock_timedrdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_timedrdlock_, pthread_rwlock_timedrdlock, GLIBC_2_2_5);

int fw_posix_rwlock_clockrdlock_(pthread_rwlock_t *p, clockid_t clock, const struct timespec *at)
{
    return timedlock(p, READ, clock, at, FW_SITE_);
}
FW_EXPORT(fw_posix_rwlock_clockrdlock_, pthread_rwlock_clockrdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_clockrdlock_, pthread_rwlock_clockrdlock, GLIBC_2_30);

int fw_posix_rwlock_trywrlock_(pthread_rwlock_t *p)
{
    return trylock(lock_of(p), WRITE);
}
FW_EXPORT(fw_posix_rwlock_trywrlock_, pthread_rwlock_trywrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_trywrlock_, pthread_rwlock_trywrlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_trywrlock_, __pthread_rwlock_trywrlock, GLIBC_2_2_5);

HOT int fw_posix_rwlock_wrlock_(pthread_rwlock_t *p)
{
    struct fw_posix_rwlock_ *l = lock_of(p);
    uint64_t seen = 0;

    if (__builtin_expect(
            fw_self_id_ != 0 && fw_cas64_acquire(&l->lock.state_, &seen, sole_writer()), 1) &&
        is_private(l)) {
        knows = WRITES;
        return 0;
    }
    return fw_posix_rwlock_lock_until_((pthread_rwlock_t *)l, WRITE, NULL, FW_SITE_);
}
FW_EXPORT(fw_posix_rwlock_wrlock_, pthread_rwlock_wrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_wrlock_, pthread_rwlock_wrlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_wrlock_, __pthread_rwlock_wrlock, GLIBC_2_2_5);

int fw_posix_rwlock_timedwrlock_(pthread_rwlock_t *p, const struct timespec *at)
{
    return timedlock(p, WRITE, CLOCK_REALTIME, at, FW_SITE_);
}
FW_EXPORT(fw_posix_rwlock_timedwrlock_, pthread_rwlock_timedwrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_timedwrlock_, pthread_rwlock_timedwrlock, GLIBC_2_2_5);

int fw_posix_rwlock_clockwrlock_(pthread_rwlock_t *p, clockid_t clock, const struct timespec *at)
{
    return timedlock(p, WRITE, clock, at, FW_SITE_);
}
FW_EXPORT(fw_posix_rwlock_clockwrlock_, pthread_rwlock_clockwrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_clockwrlock_, pthread_rwlock_clockwrlock, GLIBC_2_30);

COLD static int unlock_slow(struct fw_posix_rwlock_ *l)
{
    if (is_private(l))
        fw_rwlock_unlock_posix_(&l->lock, fw_load64_relaxed(&l->lock.state_));
    else
        fw_rwlock_shared_unlock_(l);
    return 0;
}

/* n readers -> n - 1 readers, where nobody waits */
static inline bool leaves_readers(struct fw_posix_rwlock_ *l, uint64_t seen)
{
    return is_just_read(seen) &&
           fw_cas64_release(&l->lock.state_, &seen, rw_without_reader(seen, fw_self_id_));
}

NOINLINE static int unlock_among_others(struct fw_posix_rwlock_ *l, uint64_t seen)
{
    knows = is_just_read(seen) && !rw_has_one_reader(seen) ? OTHERS_READ : NOTHING;
    return leaves_readers(l, seen) ? 0 : unlock_slow(l);
}

/* one reader who is me -> free; WRITER who is me -> free; or look */
HOT int fw_posix_rwlock_unlock_(pthread_rwlock_t *p)
{
    struct fw_posix_rwlock_ *l = lock_of(p);
    uint64_t seen = sole_reader();

    if (__builtin_expect(knows == NOTHING, 1)) {
        if (__builtin_expect(fw_cas64_release(&l->lock.state_, &seen, 0), 1))
            return 0;
    } else if (knows == WRITES) {
        knows = NOTHING;
        seen = sole_writer();
    } else {
        seen = fw_load64_relaxed(&l->lock.state_);
    }
    if (seen == sole_writer() && fw_cas64_release(&l->lock.state_, &seen, 0))
        return 0;
    return unlock_among_others(l, seen);
}
FW_EXPORT(fw_posix_rwlock_unlock_, pthread_rwlock_unlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlock_unlock_, pthread_rwlock_unlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_rwlock_unlock_, __pthread_rwlock_unlock, GLIBC_2_2_5);
