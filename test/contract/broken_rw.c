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
        doze();
}

static void reader_out(struct rw *l)
{
    __atomic_fetch_sub(&l->readers, 1, __ATOMIC_RELEASE);
}

static void writer_in(struct rw *l)
{
    while (!write_once(l))
        doze();
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
        doze();
    }
    return 0;
}

static int writer_in_time(struct rw *l, const struct timespec *at)
{
    while (!write_once(l)) {
        if (is_over(at))
            return ETIMEDOUT;
        doze();
    }
    return 0;
}

ADAPTER_ZERO_IS_FREE(rw)
RW_CALLS(rw, struct rw, reader_in(l), reader_out(l), writer_in(l), writer_out(l))
RW_TRIES(rw, struct rw, reader_try(l), write_once(l) ? 0 : EBUSY)
RW_TIMED(rw, struct rw, reader_in_time(l, at), writer_in_time(l, at))

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
        doze();
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

/* Where nothing is said, it does as it should. */
#define GOOD_READS rw_rd_lock_, rw_rd_unlock_
#define GOOD_WRITES rw_wr_lock_, rw_wr_unlock_
#define GOOD_TRIES rw_rd_trylock_, rw_wr_trylock_
#define GOOD_TIMES rw_rd_timedlock_, rw_wr_timedlock_
#define NONE NULL, NULL
#define ROW(...) WRONG_RW(__VA_ARGS__)
#define WRONG_RW(name_, flags_, preference_, rd_, unrd_, wr_, unwr_, tryrd_, trywr_, timedrd_, \
                 timedwr_)                                                                     \
    {                                                                                          \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL,                             \
        .flags = ADAPTER_BLOCKS | (flags_), ADAPTER_OBJECT(struct rw, rw_init_),               \
        .preference = (preference_), .rdloop = rw_rd_loop_, .wrloop = rw_wr_loop_,             \
        .rdlock = (rd_), .rdunlock = (unrd_), .wrlock = (wr_), .wrunlock = (unwr_),            \
        .tryrdlock = (tryrd_), .trywrlock = (trywr_), .timedrdlock = (timedrd_),               \
        .timedwrlock = (timedwr_)                                                              \
    }

static const struct rw_adapter wrong[] = {
    ROW("reads-anyway", 0, RW_PREFER_NONE, read_anyway, read_anyway, GOOD_WRITES, GOOD_TRIES,
        GOOD_TIMES),
    ROW("reads-alone", 0, RW_PREFER_NONE, GOOD_WRITES, GOOD_WRITES, NONE, NONE),
    ROW("tries-lie", 0, RW_PREFER_NONE, GOOD_READS, GOOD_WRITES, say_yes, rw_wr_trylock_,
        GOOD_TIMES),
    ROW("gives-up-early", 0, RW_PREFER_NONE, GOOD_READS, GOOD_WRITES, GOOD_TRIES, give_up_at_once,
        rw_wr_timedlock_),
    ROW("never-gives-up", 0, RW_PREFER_NONE, GOOD_READS, GOOD_WRITES, GOOD_TRIES, rw_rd_timedlock_,
        never_give_up),
    ROW("leaves-a-flag", 0, RW_PREFER_WRITERS, read_after_writers, rw_rd_unlock_, write_first,
        rw_wr_unlock_, GOOD_TRIES, rw_rd_timedlock_, write_first_or_leave_the_flag),
    ROW("says-fair", 0, RW_PREFER_FAIR, GOOD_READS, GOOD_WRITES, GOOD_TRIES, GOOD_TIMES),
    ROW("says-writers", 0, RW_PREFER_WRITERS, GOOD_READS, GOOD_WRITES, GOOD_TRIES, GOOD_TIMES),
    ROW("says-readers", 0, RW_PREFER_READERS, read_after_writers, rw_rd_unlock_, write_first,
        rw_wr_unlock_, NONE, NONE),
    ROW("oversleeps", 0, RW_PREFER_NONE, read_or_oversleep, rw_rd_unlock_, GOOD_WRITES, NONE, NONE),
    ROW("touches-freed-memory", ADAPTER_FREEABLE, RW_PREFER_NONE, rw_rd_lock_, reader_out_and_touch,
        GOOD_WRITES, NONE, NONE),
    ROW("knows-no-owner", ADAPTER_OWNER, RW_PREFER_NONE, GOOD_READS, GOOD_WRITES, GOOD_TRIES,
        GOOD_TIMES),
    ROW("spills", 0, RW_PREFER_NONE, GOOD_READS, rw_wr_lock_, writer_out_and_spill, NONE, NONE),
    ROW("polls", 0, RW_PREFER_NONE, GOOD_READS, GOOD_WRITES, GOOD_TRIES, GOOD_TIMES),
};

const struct rw_adapter *rw_adapter_list[] = {
    &wrong[0], &wrong[1], &wrong[2],  &wrong[3],  &wrong[4],  &wrong[5],  &wrong[6], &wrong[7],
    &wrong[8], &wrong[9], &wrong[10], &wrong[11], &wrong[12], &wrong[13], NULL,
};

struct missing_adapter rw_adapter_missing[] = {{NULL, NULL}};
