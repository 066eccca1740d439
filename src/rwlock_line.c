/* SPDX-License-Identifier: MIT */
/*
 * The line of those who wait for an fw_rwlock.  States, legal and illegal, invariants: rwlock.c.
 *
 * All that is decided about the line is decided in one place, decide(), by somebody inside the
 * lock's room; all that changes the word at the same time is a single compare-and-swap.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "room.h"
#include "rwlock_line.h"
#include "rwlock_word.h"
#include "sys/clock.h"

/* A writer that has lost for this long after its first call is handed the lock. */
#define STARVATION_NS 500000u

/* A writer that has lost so many races in a row naps: as in the mutex. */
#define RACES_BEFORE_NAP 3u
#define NAP_NS 50000u

enum { WAITING = 1, ASLEEP, GRANTED };

/* A thread in line; it lives on that thread's stack.  All but `state` is for the room only. */
struct waiter {
    struct fw_place_ place; /* first: the room hands out pointers to it */
    fw_half_ state;
    enum rw_want want;
    uint32_t id;
    bool is_comer; /* a writer that was called, and has not gone back to sleep */
    bool starves;
    uint32_t races; /* lost, RACES_BEFORE_NAP at most */
    uint64_t called_at;
};

_Static_assert(offsetof(struct waiter, place) == 0, "a waiter is found by its place");

/* What is to be woken when the room has been left.  Addresses only: what lies there may be gone. */
struct wakes {
    const fw_half_ *one;
    const uint32_t *pulse;
    uint32_t bits;
};

/* What decide() wants done about the line, once the word says so. */
struct verdict {
    uint64_t line;        /* after it */
    uint32_t n_sharers;   /* so many of the first that share are let in */
    bool lets_up_in;      /* one of them upgradable */
    struct waiter *heir;  /* is handed the lock for writing */
    struct waiter *comer; /* is called */
};

static struct waiter *first_in(const struct fw_room_ *room, const fw_rwlock *l)
{
    return (struct waiter *)fw_room_first_(room, l);
}

static struct waiter *next_to(const struct waiter *p)
{
    return (struct waiter *)fw_room_next_(&p->place);
}

static struct waiter *first_writer(const struct fw_room_ *room, const fw_rwlock *l)
{
    struct waiter *p = first_in(room, l);

    while (p->want != RW_WRITE)
        p = next_to(p);
    return p;
}

static bool shares(const struct waiter *p)
{
    return p->want == RW_READ || p->want == RW_UPREAD;
}

/* What one waiter is in the second word. */
static uint64_t line_unit(enum rw_want want)
{
    return want == RW_WRITE ? LINE_WRITER : want == RW_UPGRADE ? LINE_UPGRADER : LINE_SHARER;
}

/* In a forked child the line is empty, whatever the second word says. */
static struct fw_room_ *enter(fw_rwlock *l)
{
    struct fw_room_ *room = fw_room_enter_(l);

    if (!line_is_empty(l->line_) && first_in(room, l) == NULL)
        l->line_ &= LINE_KIND;
    return room;
}

/* All readers of a lock that sleep are woken by one call, and few others. */
static uint32_t pulse_bits(const fw_rwlock *l)
{
    return UINT32_C(1) << ((uintptr_t)l >> 4) % 32;
}

/* The word after the change alone. */
static fw_rw_word_ changed(fw_rw_word_ w, enum rw_change change, uint32_t id)
{
    switch (change) {
    case RW_READER_LEAVES:
        return rw_without_reader(w, id);
    case RW_WRITER_LEAVES:
        return rw_without_writer(w);
    case RW_UPREADER_LEAVES:
        return rw_without_upgradable(w);
    case RW_WRITER_READS:
        return rw_with_reader(rw_without_writer(w), id);
    case RW_WRITER_UPREADS:
        return rw_with_upgradable(rw_without_writer(w), id);
    case RW_UPREADER_READS:
        return rw_with_reader(rw_without_upgradable(w), id);
    case RW_NOTHING:
        break;
    }
    return w;
}

/* Is it the turn of those who share?  Nobody writes, and nobody upgrades. */
static bool is_sharers_turn(fw_rw_word_ w, uint64_t line, enum rw_change change)
{
    bool readers_phase_ends = change == RW_READER_LEAVES || change == RW_UPREADER_LEAVES;

    if (!line_has_sharers(line))
        return false;
    if (!line_has_writers(line) || line_kind(line) == FW_RWLOCK_PREFER_READERS)
        return true;
    if (line_kind(line) == FW_RWLOCK_PREFER_WRITERS)
        return false;
    return change == RW_WRITER_LEAVES || change == RW_WRITER_READS || change == RW_WRITER_UPREADS ||
           (rw_is_free(w) && !readers_phase_ends && !line_has_comer(line));
}

/* Those who share, and fit: all readers; one upgradable, unless there is one. */
static fw_rw_word_ let_sharers_in(struct waiter *p, fw_rw_word_ w, struct verdict *v)
{
    for (; p != NULL && !rw_is_full(w); p = next_to(p)) {
        if (p->want == RW_UPREAD && !rw_has_upgradable(w)) {
            w = rw_with_upgradable(w, p->id);
            v->lets_up_in = true;
        } else if (p->want == RW_READ) {
            w = rw_with_reader(w, p->id);
        } else {
            continue;
        }
        v->n_sharers++;
        v->line -= LINE_SHARER;
    }
    return w;
}

/*
 * The lock is free, and a writer is due.  After a readers' phase it is handed over, so that no
 * writer that comes later can make the first wait for one phase more; else it is up to the quickest
 * (I4).
 */
static fw_rw_word_ let_writer_in(struct waiter *first, fw_rw_word_ w, enum rw_change change,
                                 bool hand_over, struct verdict *v)
{
    bool is_turn = line_kind(v->line) != FW_RWLOCK_PREFER_READERS &&
                   (change == RW_READER_LEAVES || change == RW_UPREADER_LEAVES);

    if (is_turn || hand_over || first->starves) {
        v->heir = first;
        v->line = (v->line - LINE_WRITER) & ~LINE_COMER;
        return rw_with_writer(w, first->id);
    }
    if (!line_has_comer(v->line)) {
        v->comer = first;
        v->line |= LINE_COMER;
    }
    return w;
}

/* What the word has to say about the line (I1, I2, I3). */
static fw_rw_word_ with_flags(fw_rw_word_ w, uint64_t line)
{
    bool writers_first = line_kind(line) == FW_RWLOCK_PREFER_WRITERS;
    bool readers_first = line_kind(line) == FW_RWLOCK_PREFER_READERS;
    bool is_shared = rw_has_readers(w) || rw_has_upgradable(w);

    w &= ~RW_LINE_FLAGS;
    if (line_is_empty(line))
        return w;
    if (!readers_first && (line_has_upgrader(line) || line_has_writers(line)))
        w |= RW_CLOSED;
    if (line_has_comer(line) && !line_has_upgrader(line) &&
        (writers_first || !line_has_sharers(line)) && (readers_first || !is_shared))
        return w | RW_COMING;
    return w | RW_CALL;
}

/* The word after the change, and what the line gets. */
static fw_rw_word_ decide(fw_rwlock *l, const struct fw_room_ *room, fw_rw_word_ w,
                          enum rw_change change, bool hand_over, struct verdict *v)
{
    *v = (struct verdict){.line = l->line_};
    if (!line_is_empty(v->line) && !rw_has_writer(w)) {
        if (line_has_upgrader(v->line)) {
            if (!rw_has_readers(w)) { /* UPGRADABLE -> WRITER; the owner stays */
                v->heir = first_in(room, l);
                v->line &= ~LINE_UPGRADER;
                w ^= RW_UPGRADABLE | RW_WRITER;
            }
        } else if (is_sharers_turn(w, v->line, change)) {
            w = let_sharers_in(first_in(room, l), w, v);
        } else if (line_has_writers(v->line) && rw_is_free(w)) {
            w = let_writer_in(first_writer(room, l), w, change, hand_over, v);
        }
    }
    return with_flags(w, v->line);
}

/* Takes a waiter out of the line for good.  After the store its place may be gone. */
static void grant(struct fw_room_ *room, struct waiter *p)
{
    fw_room_remove_(room, &p->place);
    fw_store32_release(&p->state, GRANTED);
}

static void grant_sharers(struct fw_room_ *room, struct waiter *p, const struct verdict *v,
                          struct wakes *wakes)
{
    bool up = v->lets_up_in;
    bool is_anybody_asleep = false;

    for (uint32_t n = v->n_sharers; n > 0;) {
        struct waiter *next = next_to(p);

        if (shares(p) && (p->want == RW_READ || up)) {
            up &= p->want == RW_READ;
            is_anybody_asleep |= p->state == ASLEEP;
            grant(room, p);
            n--;
        }
        p = next;
    }
    if (!is_anybody_asleep)
        return;
    fw_store32_relaxed(&room->pulse, room->pulse + 1);
    wakes->pulse = &room->pulse;
}

/* The line gets what the word has promised it (I5). */
static void carry_out(struct fw_room_ *room, fw_rwlock *l, const struct verdict *v,
                      struct wakes *wakes)
{
    struct waiter *one = v->heir != NULL ? v->heir : v->comer;

    l->line_ = v->line; /* before the grants: as long as somebody is in line, the lock is there */
    if (one != NULL && one->state == ASLEEP)
        wakes->one = &one->state;
    if (v->comer != NULL) {
        v->comer->is_comer = true;
        fw_store32_relaxed(&v->comer->state, WAITING);
    }
    if (v->n_sharers > 0)
        grant_sharers(room, first_in(room, l), v, wakes);
    if (v->heir != NULL)
        grant(room, v->heir);
}

/* Makes the change, and all that follows from it, in one step of the word. */
static struct wakes settle(struct fw_room_ *room, fw_rwlock *l, enum rw_change change,
                           bool hand_over)
{
    struct wakes wakes = {.bits = pulse_bits(l)};
    bool is_empty = line_is_empty(l->line_);
    uint32_t id = fw_self_();
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);
    struct verdict v;

    while (!fw_cas64_acq_rel(&l->state_, &w,
                             decide(l, room, changed(w, change, id), change, hand_over, &v)))
        ;
    if (!is_empty) /* else the lock may be gone */
        carry_out(room, l, &v, &wakes);
    return wakes;
}

static void leave(struct fw_room_ *room, const struct wakes *wakes)
{
    fw_room_leave_(room);
    if (wakes->one != NULL)
        fw_futex_wake((const uint32_t *)wakes->one, 1, FW_FUTEX_PRIVATE);
    if (wakes->pulse != NULL)
        fw_futex_wake_bitset(wakes->pulse, FW_FUTEX_ALL, wakes->bits, FW_FUTEX_PRIVATE);
}

void fw_rw_let_go_(fw_rwlock *l, enum rw_change change, bool hand_over)
{
    struct fw_room_ *room = enter(l);
    struct wakes wakes = settle(room, l, change, hand_over);

    leave(room, &wakes);
}

/* A writer that finds the lock free takes it, whoever else is in line.  free -> WRITER. */
static bool take(fw_rwlock *l, const struct waiter *me)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    while (me->want == RW_WRITE && rw_is_free(w))
        if (fw_cas64_acquire(&l->state_, &w, rw_with_writer(w, me->id)))
            return true;
    return false;
}

/* Leaves the line, without having been granted anything. */
static struct wakes step_out(struct fw_room_ *room, fw_rwlock *l, struct waiter *me)
{
    fw_room_remove_(room, &me->place);
    l->line_ -= line_unit(me->want);
    if (me->is_comer)
        l->line_ &= ~LINE_COMER;
    me->is_comer = false;
    return settle(room, l, RW_NOTHING, false);
}

/* Stands at the end of the line; who upgrades, at its head.  True: the lock was taken instead. */
static bool step_in(fw_rwlock *l, struct waiter *me)
{
    struct fw_room_ *room = enter(l);
    struct wakes wakes;

    if (take(l, me)) {
        fw_room_leave_(room);
        return true;
    }
    if (me->want == RW_UPGRADE)
        fw_room_prepend_(room, &me->place, l);
    else
        fw_room_append_(room, &me->place, l);
    l->line_ += line_unit(me->want);
    wakes = settle(room, l, RW_NOTHING, false);
    leave(room, &wakes);
    return false;
}

static bool is_granted(const struct waiter *me)
{
    return fw_load32_acquire(&me->state) == GRANTED;
}

/* The writer was called, and somebody else was quicker.  Answers how long it may sleep, 0: long. */
static uint64_t note_race(struct waiter *me)
{
    uint64_t now = fw_clock_ns_();

    if (me->called_at == 0)
        me->called_at = now;
    if (me->races < RACES_BEFORE_NAP)
        me->races++;
    me->starves = now - me->called_at >= STARVATION_NS;
    return me->races == RACES_BEFORE_NAP && !me->starves ? NAP_NS : 0;
}

/*
 * One sleep.  Inside the room it has become clear that nobody can overlook the sleeper: either the
 * word says CALL, or another writer is on the way, or the nap is short (I3).
 */
static int sleep_in_line(fw_rwlock *l, struct waiter *me, struct fw_wait_ *wait)
{
    struct fw_room_ *room = enter(l);
    uint32_t pulse = room->pulse;
    uint64_t nap_ns = 0;
    struct wakes wakes;

    if (is_granted(me)) {
        fw_room_leave_(room);
        return 0;
    }
    if (me->is_comer) {
        nap_ns = note_race(me);
        if (nap_ns == 0) {
            me->is_comer = false;
            l->line_ &= ~LINE_COMER;
        }
    }
    if (fw_wait_blocks_(wait))
        fw_store32_relaxed(&me->state, ASLEEP);
    wakes = settle(room, l, RW_NOTHING, false);
    leave(room, &wakes);
    if (fw_wait_blocks_(wait) && fw_load32_relaxed(&me->state) != ASLEEP)
        return 0; /* called, or granted, by this very look */
    if (nap_ns != 0 && rw_is_free(fw_load64_relaxed(&l->state_)))
        return 0;
    if (shares(me))
        return fw_wait_sleep_(wait, &room->pulse, pulse, pulse_bits(l), 0);
    return fw_wait_sleep_(wait, (const uint32_t *)&me->state, ASLEEP, FW_FUTEX_ANY_BIT, nap_ns);
}

/* Polls for the policy's budget.  True: the lock was granted, or taken. */
static bool poll_in_line(fw_rwlock *l, struct waiter *me, struct fw_wait_ *wait)
{
    do {
        if (is_granted(me))
            return true;
        if (take(l, me)) {
            struct fw_room_ *room = enter(l);
            struct wakes wakes = step_out(room, l, me);

            leave(room, &wakes);
            return true;
        }
    } while (fw_wait_poll_(wait));
    return false;
}

/* The time is over.  True: the lock was granted all the same. */
static bool give_up(fw_rwlock *l, struct waiter *me)
{
    struct fw_room_ *room = enter(l);
    struct wakes wakes;

    if (is_granted(me)) {
        fw_room_leave_(room);
        return true;
    }
    wakes = step_out(room, l, me);
    leave(room, &wakes);
    return false;
}

int fw_rw_stand_in_line_(fw_rwlock *l, enum rw_want want, struct fw_wait_ *wait)
{
    struct waiter me = {.state = WAITING, .want = want, .id = fw_self_()};

    if (step_in(l, &me))
        return 0;
    while (!poll_in_line(l, &me, wait)) {
        if (sleep_in_line(l, &me, wait) == -ETIMEDOUT)
            return give_up(l, &me) ? 0 : ETIMEDOUT;
        fw_wait_again_(wait);
    }
    return 0;
}
