/* SPDX-License-Identifier: MIT */
/* Read-write locks that are wrong, each in one way. */
#include "bench/adapters/rw_adapter_define.h"
#include "broken.h"

/* One that works and lets readers go first, or writers. */
struct rw {
    uint32_t readers; /* WRITTEN: a writer */
    uint32_t waiting; /* writers that wait */
    uint32_t aside;
};

#define WRITTEN 0xffffffffu

static bool read_once(struct rw *l)
{
    uint32_t n = look(&l->readers);

    return n != WRITTEN && change(&l->readers, n, n + 1);
}

static bool write_once(struct rw *l)
{
    return change(&l->readers, 0, WRITTEN);
}

static void reader_in(struct rw *l)
{
    while (!read_once(l))
        sched_yield();
}

static void reader_out(struct rw *l)
{
    __atomic_fetch_sub(&l->readers, 1, __ATOMIC_RELEASE);
}

static void writer_in(struct rw *l)
{
    while (!write_once(l))
        sched_yield();
}

static void writer_out(struct rw *l)
{
    __atomic_store_n(&l->readers, 0, __ATOMIC_RELEASE);
}

/* A try may lose to another that changes the word; with WRITTEN or readers it says so. */
static int reader_try(struct rw *l)
{
    while (look(&l->readers) != WRITTEN)
        if (read_once(l))
            return 0;
    return EBUSY;
}

static int reader_in_time(struct rw *l, const struct timespec *at)
{
    while (!read_once(l)) {
        if (is_over(at))
            return ETIMEDOUT;
        sched_yield();
    }
    return 0;
}

static int writer_in_time(struct rw *l, const struct timespec *at)
{
    while (!write_once(l)) {
        if (is_over(at))
            return ETIMEDOUT;
        sched_yield();
    }
    return 0;
}

ADAPTER_ZERO_IS_FREE(rw)
RW_CALLS(rw, struct rw, reader_in(l), reader_out(l), writer_in(l), writer_out(l))
RW_TRIES(rw, struct rw, reader_try(l), write_once(l) ? 0 : EBUSY)
RW_TIMED(rw, struct rw, reader_in_time(l, at), writer_in_time(l, at))

#define WRONG_RW(name_, flags_)                                                                    \
    .name = (name_), .about = "wrong", .family = FAMILY_RIVAL, .flags = ADAPTER_BLOCKS | (flags_), \
    ADAPTER_OBJECT(struct rw, rw_init_)

static void read_anyway(void *lock)
{
    (void)lock;
}

static int say_yes(void *lock)
{
    (void)lock;
    return 0;
}

static int give_up_at_once(void *lock, const struct timespec *at)
{
    (void)at;
    return reader_try(lock) == 0 ? 0 : ETIMEDOUT;
}

static int never_give_up(void *lock, const struct timespec *at)
{
    (void)at;
    writer_in(lock);
    return 0;
}

/* Readers wait while writers wait; a writer that gives up is still counted. */
static void read_after_writers(void *lock)
{
    struct rw *l = lock;

    while (look(&l->waiting) != 0 || !read_once(l))
        sched_yield();
}

static void write_first(void *lock)
{
    struct rw *l = lock;

    __atomic_fetch_add(&l->waiting, 1, __ATOMIC_RELAXED);
    writer_in(l);
    __atomic_fetch_sub(&l->waiting, 1, __ATOMIC_RELAXED);
}

static int write_first_or_leave_the_flag(void *lock, const struct timespec *at)
{
    struct rw *l = lock;

    __atomic_fetch_add(&l->waiting, 1, __ATOMIC_RELAXED);
    int answer = writer_in_time(l, at);
    if (answer == 0)
        __atomic_fetch_sub(&l->waiting, 1, __ATOMIC_RELAXED);
    return answer;
}

static void read_or_oversleep(void *lock)
{
    struct rw *l = lock;

    if (!read_once(l)) {
        oversleep(&l->aside);
        reader_in(l);
    }
}

static void reader_out_and_touch(void *lock)
{
    struct rw *l = lock;

    reader_out(l);
    touch(&l->aside);
}

static void writer_out_and_spill(void *lock)
{
    struct rw *l = lock;

    l[1].readers = 1;
    writer_out(l);
}

static const struct rw_adapter reads_anyway = {
    WRONG_RW("reads-anyway", 0), RW_TRY_MEMBERS(rw),      RW_TIMED_MEMBERS(rw),
    .rdlock = read_anyway,       .rdunlock = read_anyway, .wrlock = rw_wr_lock_,
    .wrunlock = rw_wr_unlock_,
};

static const struct rw_adapter reads_alone = {
    WRONG_RW("reads-alone", 0), .rdlock = rw_wr_lock_,     .rdunlock = rw_wr_unlock_,
    .wrlock = rw_wr_lock_,      .wrunlock = rw_wr_unlock_,
};

static const struct rw_adapter tries_lie = {
    WRONG_RW("tries-lie", 0),    RW_MEMBERS(rw), RW_TIMED_MEMBERS(rw), .tryrdlock = say_yes,
    .trywrlock = rw_wr_trylock_,
};

static const struct rw_adapter gives_up_early = {
    WRONG_RW("gives-up-early", 0),
    RW_MEMBERS(rw),
    RW_TRY_MEMBERS(rw),
    .timedrdlock = give_up_at_once,
    .timedwrlock = rw_wr_timedlock_,
};

static const struct rw_adapter never_gives_up = {
    WRONG_RW("never-gives-up", 0),
    RW_MEMBERS(rw),
    RW_TRY_MEMBERS(rw),
    .timedrdlock = rw_rd_timedlock_,
    .timedwrlock = never_give_up,
};

static const struct rw_adapter leaves_a_flag = {
    WRONG_RW("leaves-a-flag", 0),
    RW_TRY_MEMBERS(rw),
    .preference = RW_PREFER_WRITERS,
    .rdlock = read_after_writers,
    .rdunlock = rw_rd_unlock_,
    .wrlock = write_first,
    .wrunlock = rw_wr_unlock_,
    .timedrdlock = rw_rd_timedlock_,
    .timedwrlock = write_first_or_leave_the_flag,
};

static const struct rw_adapter says_fair = {
    WRONG_RW("says-fair", 0),     RW_MEMBERS(rw), RW_TRY_MEMBERS(rw), RW_TIMED_MEMBERS(rw),
    .preference = RW_PREFER_FAIR,
};

static const struct rw_adapter says_writers = {
    WRONG_RW("says-writers", 0),     RW_MEMBERS(rw), RW_TRY_MEMBERS(rw), RW_TIMED_MEMBERS(rw),
    .preference = RW_PREFER_WRITERS,
};

static const struct rw_adapter says_readers = {
    WRONG_RW("says-readers", 0), .preference = RW_PREFER_READERS, .rdlock = read_after_writers,
    .rdunlock = rw_rd_unlock_,   .wrlock = write_first,           .wrunlock = rw_wr_unlock_,
};

static const struct rw_adapter oversleeps = {
    WRONG_RW("oversleeps", 0), .rdlock = read_or_oversleep, .rdunlock = rw_rd_unlock_,
    .wrlock = rw_wr_lock_,     .wrunlock = rw_wr_unlock_,
};

static const struct rw_adapter touches_freed_memory = {
    WRONG_RW("touches-freed-memory", ADAPTER_FREEABLE),
    .rdlock = rw_rd_lock_,
    .rdunlock = reader_out_and_touch,
    .wrlock = rw_wr_lock_,
    .wrunlock = rw_wr_unlock_,
};

static const struct rw_adapter knows_no_owner = {
    WRONG_RW("knows-no-owner", ADAPTER_OWNER),
    RW_MEMBERS(rw),
    RW_TRY_MEMBERS(rw),
    RW_TIMED_MEMBERS(rw),
};

static const struct rw_adapter spills = {
    WRONG_RW("spills", 0),
    .rdlock = rw_rd_lock_,
    .rdunlock = rw_rd_unlock_,
    .wrlock = rw_wr_lock_,
    .wrunlock = writer_out_and_spill,
};

static const struct rw_adapter polls = {
    WRONG_RW("polls", 0),
    RW_MEMBERS(rw),
    RW_TRY_MEMBERS(rw),
    RW_TIMED_MEMBERS(rw),
};

const struct rw_adapter *const rw_adapter_list[] = {
    &reads_anyway,         &reads_alone,    &tries_lie,    &gives_up_early, &never_gives_up,
    &leaves_a_flag,        &says_fair,      &says_writers, &says_readers,   &oversleeps,
    &touches_freed_memory, &knows_no_owner, &spills,       &polls,          NULL,
};

const struct missing_adapter rw_adapter_missing[] = {{NULL, NULL}};
