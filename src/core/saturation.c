/* SPDX-License-Identifier: MIT */
/*
 * Which locks are saturated.  Contract: saturation.h.  Each lock has an entry in a table, which it
 * may lose to another lock; the entry has a score, which says how sure we are, from 0 to SURE.
 *
 * score             the waiters of that lock             changes with
 * ----------------  -----------------------------------  ------------------------------------------
 * 0                 ask once in TRIALS << doubt          owner came back: 1
 * below SATURATED   ask each time                        owner came back: + 1; did not: - 2
 * from SATURATED    ask each time, and owners rest       owner came back: + 1; did not: - 1;
 *                                                        idle after rests: 0, doubt + 1
 *
 * So a lock becomes saturated if more than two of three owners come back at once, and is no longer
 * so if less than half do.
 *
 * A rest that was wrong leaves the lock idle: the other threads wait for something else by now, as
 * at both ends of a queue that is full or empty.  IDLE_MOST counts such rests, less half as many
 * others; doubt then makes the next attempt rarer by a factor of two.  It fades while owners come
 * back.
 *
 * All accesses are relaxed, and no entry is locked: a lost update is a lost guess.
 */
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "core/saturation.h"
#include "core/thread_state.h"
#include "sys/clock.h"
#include "sys/thread.h"

#define SATURATED 6u
#define SURE 12u
#define TRIALS 32u
#define DOUBT_MOST 11u    /* 2^16 waits from one trial to the next: as many as fw_one_in_ counts */
#define DOUBT_FADES 4096u /* owners that come back: half a second, where it is right */
#define IDLE_MOST 6u

/*
 * A rest is as short as it can be: timers are inexact by 50 us.  Where many threads rest, turns
 * become short; then all of them rest longer.
 */
#define REST_NS UINT64_C(50000)
#define RESTS_MOST 20u
#define TURN_NS 40000u

/* A thread has had the lock lately if its last turn began at most this long ago. */
#define LATELY_NS 500000u

/* The calling thread's last turn: a part of the lock's address, and when it began. */
static FW_STATIC_TLS uint32_t turn_lock, turn_at;

struct entry {
    /*
     *   bit  63 ... 16  15 ... 8                7 ... 4  3 ... 0
     *        lock       length of a rest, in    doubt    score
     *                   units of REST_NS
     */
    uint64_t state;
    fw_half_ taken_at; /* when the turn began; nanoseconds, cut off */
    fw_half_ idle;     /* rests after which nobody used the lock */
};

#define ENTRIES_LOG 6 /* four in a cache line */
_Static_assert(sizeof(struct entry) << ENTRIES_LOG == FW_SATURATION_BYTES_, "the table's size");

struct state {
    uintptr_t lock;
    unsigned rests, doubt, score;
};

static struct entry *entry_of(const void *lock)
{
    struct entry *entries = fw_saturation_table_();

    return &entries[(uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15) >> (64 - ENTRIES_LOG)];
}

static struct state state_of(const struct entry *e)
{
    uint64_t s = fw_load64_relaxed(&e->state);

    return (struct state){(uintptr_t)(s >> 16), s >> 8 & 0xff, s >> 4 & 0xf, s & 0xf};
}

static void set(struct entry *e, struct state s)
{
    fw_store64_relaxed(&e->state, (uint64_t)s.lock << 16 | s.rests << 8 | s.doubt << 4 | s.score);
}

static bool is_saturated(struct state s, const void *lock)
{
    return s.lock == (uintptr_t)lock && s.score >= SATURATED;
}

bool fw_saturation_asks_(const void *lock)
{
    struct state s = state_of(entry_of(lock));

    if (s.lock != (uintptr_t)lock)
        return fw_one_in_(TRIALS);
    return s.score > 0 || fw_one_in_(TRIALS << s.doubt);
}

/* The entry is another lock's: that keeps it for as long as it was sure. */
static struct state state_for(struct state s, const void *lock, bool came_back)
{
    if (s.score == 0)
        return (struct state){(uintptr_t)lock, 1, 0, came_back};
    s.score--;
    return s;
}

void fw_saturation_learns_(const void *lock, bool came_back)
{
    struct entry *e = entry_of(lock);
    struct state s = state_of(e);

    if (s.lock != (uintptr_t)lock)
        s = state_for(s, lock, came_back);
    else if (!came_back)
        s.score -= s.score >= SATURATED || s.score < 2 ? s.score > 0 : 2;
    else if (s.score < SURE)
        s.score++;
    else if (s.doubt > 0 && fw_one_in_(DOUBT_FADES))
        s.doubt--;
    set(e, s);
}

void fw_saturation_taken_(const void *lock)
{
    struct entry *e = entry_of(lock);
    struct state s = state_of(e);
    uint32_t now, turn;

    if (!is_saturated(s, lock))
        return;
    now = (uint32_t)fw_clock_ns_();
    turn = now - fw_load32_relaxed(&e->taken_at);
    if (turn < TURN_NS && s.rests < RESTS_MOST)
        s.rests++;
    else if (turn > 2 * TURN_NS && s.rests > 1)
        s.rests--;
    set(e, s);
    fw_store32_relaxed(&e->taken_at, now);
    turn_lock = (uint32_t)(uintptr_t)lock;
    turn_at = now;
}

uint64_t fw_saturation_rest_(const void *lock)
{
    struct state s = state_of(entry_of(lock));

    if (!is_saturated(s, lock) || turn_lock != (uint32_t)(uintptr_t)lock ||
        (uint32_t)fw_clock_ns_() - turn_at > LATELY_NS)
        return 0;
    return s.rests * REST_NS;
}

void fw_saturation_rested_(const void *lock, bool was_idle)
{
    struct entry *e = entry_of(lock);
    struct state s = state_of(e);
    uint32_t idle = fw_load32_relaxed(&e->idle);

    if (!was_idle)
        idle -= idle > 0;
    else if ((idle += 2) > IDLE_MOST && is_saturated(s, lock)) {
        idle = 0;
        s.doubt += s.doubt < DOUBT_MOST;
        s.score = 0;
        set(e, s);
    }
    fw_store32_relaxed(&e->idle, idle);
}
