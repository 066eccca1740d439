/* SPDX-License-Identifier: MIT */
/*
 * Cancellable waits.  Contract: furwock/note.h.
 *
 * Nothing here waits by itself.  A note is a manual event; a wait with one is fw_wait_any with the
 * events of the note and its ancestors, or, for a mutex or a condition variable, a group of
 * operations (core/operation.h) of which the first ends the wait.
 *
 * NT1  A waker writes to the memory of the thread that waits, and last to the word on which that
 *      one sleeps.  The thread leaves that memory only after it was told of each operation that
 *      was granted, and when the word has been changed as often as it was told.
 * NT2  What the thread looks at before it sleeps changes before the word does, which it compares.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/await.h>
#include <furwock/note.h>

#include "core/operation.h"
#include "core/recheck.h"
#include "core/sleep.h"
#include "sys/clock.h"

/* --- Notes ------------------------------------------------------------------------------------ */

static const fw_deadline *deadline_of(const fw_note *n)
{
    return n != NULL && n->has_deadline_ ? &n->deadline_ : NULL;
}

/* The one of two that comes first, on one clock. */
static const fw_deadline *first_of(const fw_deadline *a, const fw_deadline *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    return fw_time_is_before_(&a->at, &b->at) ? a : b;
}

/*
 * Until when a wait sleeps at most, after which cause_of_end() decides.  With two clocks, of which
 * one may be set ahead or back, nobody knows which deadline comes first: it looks now and then.
 */
static const fw_deadline *next_look(const fw_note *note, const fw_deadline *deadline,
                                    fw_deadline *look)
{
    const fw_deadline *of_note = deadline_of(note);
    uint64_t left = FW_RECHECK_REALTIME_NS;

    if (deadline == NULL || of_note == NULL || deadline->clock == of_note->clock)
        return first_of(deadline, of_note);
    left = fw_deadline_left_(deadline, left);
    *look = fw_deadline_recheck_(of_note, left);
    return look;
}

int fw_note_init(fw_note *n, const fw_note *parent, const fw_deadline *deadline)
{
    const fw_deadline *of_parent = parent != NULL ? deadline_of(parent) : NULL;

    if (!fw_deadline_is_valid_(deadline) ||
        (parent != NULL && parent->depth_ + 1 >= FW_NOTE_DEPTH_MAX) ||
        (deadline != NULL && of_parent != NULL && deadline->clock != of_parent->clock))
        return EINVAL;
    *n = (fw_note){.event_ = FW_EVENT_INIT, .parent_ = parent};
    deadline = first_of(deadline, of_parent);
    if (deadline != NULL)
        n->deadline_ = *deadline;
    n->has_deadline_ = deadline != NULL;
    n->depth_ = parent != NULL ? parent->depth_ + 1 : 0;
    return 0;
}

void fw_note_notify(fw_note *n)
{
    fw_event_set(&n->event_);
}

bool fw_note_is_notified(const fw_note *n)
{
    for (const fw_note *p = n; p != NULL; p = p->parent_)
        if (fw_event_is_set(&p->event_))
            return true;
    return fw_deadline_is_over_(deadline_of(n));
}

/* A wait whose end came: by which of the two?  0: by neither, it was time to look. */
static int cause_of_end(const fw_note *note, const fw_deadline *deadline)
{
    if (fw_note_is_notified(note))
        return ECANCELED;
    return fw_deadline_is_over_(deadline) ? ETIMEDOUT : 0;
}

/* --- With fw_wait_any ------------------------------------------------------------------------- */

int fw_note_wait_any(const fw_any *objects, unsigned n, const fw_note *note,
                     const fw_deadline *deadline, unsigned *which)
{
    fw_any all[FW_ANY_MAX];
    fw_deadline look;
    unsigned found = 0, count = 0;
    int error, cause = 0;

    if (n > FW_ANY_MAX - FW_NOTE_DEPTH_MAX || (n != 0 && objects == NULL))
        return EINVAL;
    for (; count < n; count++)
        all[count] = objects[count];
    for (const fw_note *p = note; p != NULL; p = p->parent_)
        all[count++] = (fw_any){FW_ANY_EVENT, (void *)(uintptr_t)&p->event_};
    if (!fw_deadline_is_valid_(deadline)) /* EINVAL, unless one is ready */
        return fw_wait_any(all, count, deadline, which);
    do {
        error = fw_wait_any(all, count, next_look(note, deadline, &look), &found);
        if (error == ETIMEDOUT)
            cause = cause_of_end(note, deadline);
    } while (error == ETIMEDOUT && cause == 0);
    if (error != 0)
        return error == ETIMEDOUT ? cause : error;
    if (found >= n)
        return ECANCELED;
    if (which != NULL)
        *which = found;
    return 0;
}

int fw_note_wait(const fw_note *n, const fw_deadline *deadline)
{
    int error = fw_note_wait_any(NULL, 0, n, deadline, NULL);

    return error == ECANCELED ? 0 : error;
}

static int wait_for(fw_any_kind kind, void *object, const fw_note *note,
                    const fw_deadline *deadline)
{
    const fw_any one = {kind, object};

    return fw_note_wait_any(&one, 1, note, deadline, NULL);
}

int fw_note_sem_wait(fw_sem *s, const fw_note *note, const fw_deadline *deadline)
{
    return wait_for(FW_ANY_SEM, s, note, deadline);
}

int fw_note_event_wait(fw_event *e, const fw_note *note, const fw_deadline *deadline)
{
    return wait_for(FW_ANY_EVENT, e, note, deadline);
}

int fw_note_latch_wait(fw_latch *l, const fw_note *note, const fw_deadline *deadline)
{
    return wait_for(FW_ANY_LATCH, l, note, deadline);
}

/* --- With operations -------------------------------------------------------------------------- */

struct waiter;

/* One operation of a waiting thread. */
struct record {
    fw_await op;
    struct waiter *waiter;
    uint32_t tellings; /* how often its waker was called */
    uint32_t heard;    /* and is known to have been */
    bool is_heard;     /* the last one is, if there was one since it was queued */
};

/* A thread that waits; it lives on that thread's stack.  The first record is the lock's. */
struct waiter {
    uint32_t word; /* changes with each telling */
    unsigned n;
    fw_await_group group;
    struct record records[1 + FW_NOTE_DEPTH_MAX];
};

static void tell(void *arg)
{
    struct record *r = arg;
    uint32_t *word = &r->waiter->word;

    fw_add32_release(&r->tellings, 1); /* NT2  F:note-counts-late */
    fw_add32_release(word, 1);         /* NT1: the last access */
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

static void prepare(struct waiter *me, const fw_note *note)
{
    unsigned n = note != NULL ? 2 + note->depth_ : 1;

    me->word = 0;
    me->n = 0;
    fw_await_group_init(&me->group);
    for (unsigned i = 0; i < n; i++) {
        struct record *r = &me->records[me->n++];

        *r = (struct record){.waiter = me};
        fw_await_init_waker(&r->op, 0, tell, r);
        fw_await_group_add(&me->group, &r->op);
    }
}

/* Its waker was given its argument: waits until it has been called. */
static void hear(struct record *r)
{
    struct waiter *me = r->waiter;

    for (;;) {
        uint32_t seen = fw_load32_acquire(&me->word);

        if (fw_load32_acquire(&r->tellings) != r->heard)
            break;
        fw_sleep_(&me->word, seen, FW_FUTEX_PRIVATE, NULL);
    }
    r->heard++;
    r->is_heard = true;
}

/* Ends an operation.  True: it has got nothing. */
static bool end(struct record *r)
{
    bool has_nothing = fw_await_cancel(&r->op);

    if (r->op.is_listed_ && !r->is_heard) /* F:note-unheard */
        hear(r);
    return has_nothing;
}

/* All operations have ended: waits until no waker is on its way through this memory (NT1). */
static void leave(struct waiter *me)
{
    for (;;) {
        uint32_t seen = fw_load32_acquire(&me->word), told = 0;

        for (unsigned i = 0; i < me->n; i++)
            told += fw_load32_acquire(&me->records[i].tellings);
        if (seen == told) /* F:note-leaves-early */
            return;
        fw_sleep_(&me->word, seen, FW_FUTEX_PRIVATE, NULL);
    }
}

/* Submits the operations on the note's events, until one of them is set. */
static void watch_note(struct waiter *me, const fw_note *note)
{
    unsigned i = 1;

    for (const fw_note *p = note; p != NULL; p = p->parent_, i++) /* F:note-one-level */
        if (fw_await_event(&me->records[i].op, (fw_event *)(uintptr_t)&p->event_, NULL) == 0)
            return;
}

/*
 * The lock's operation as it is now: EINPROGRESS, 0, or ECANCELED.  It is polled only in the state
 * of which the waker was heard: one that is signalled between the look and the poll would go on,
 * with its waker yet to come (NT1).
 */
static int look(struct waiter *me)
{
    struct record *r = &me->records[0];
    uint32_t state = fw_load32_acquire(&r->op.state_);
    const fw_await *winner = fw_await_group_winner(&me->group);

    if (winner != NULL && winner != &r->op)
        return ECANCELED;
    if (state != FW_OPERATION_SIGNALLED && state != FW_OPERATION_GRANTED)
        return EINPROGRESS;
    hear(r);                             /* F:note-polls-unheard */
    if (state == FW_OPERATION_SIGNALLED) /* F:note-heard-once */
        r->is_heard = false; /* if poll queues it for the mutex, it will be told again */
    return fw_await_poll(&r->op);
}

/* Waits for the lock's operation: 0, ECANCELED, ETIMEDOUT. */
static int wait_for_one(struct waiter *me, const fw_note *note, const fw_deadline *deadline)
{
    for (;;) {
        uint32_t seen = fw_load32_acquire(&me->word);
        fw_deadline until;
        int error = look(me);

        if (error != EINPROGRESS)
            return error;
        if (fw_sleep_(&me->word, seen, FW_FUTEX_PRIVATE, next_look(note, deadline, &until)) ==
            -ETIMEDOUT) {
            error = cause_of_end(note, deadline);
            if (error != 0)
                return error;
        }
    }
}

/* Once the lock's operation waits: 0, or why it has ended without having got anything. */
static int wait_submitted(struct waiter *me, const fw_note *note, const fw_deadline *deadline)
{
    int error;

    watch_note(me, note);
    error = wait_for_one(me, note, deadline);
    if (error != 0 && !end(&me->records[0])) /* F:note-loses-grant */
        error = 0;
    for (unsigned i = 1; i < me->n; i++)
        end(&me->records[i]);
    leave(me);
    return error;
}

/* Why a wait need not begin; 0: it must. */
static int refuse(const fw_note *note, const fw_deadline *deadline)
{
    return fw_deadline_is_valid_(deadline) ? cause_of_end(note, deadline) : EINVAL;
}

int fw_note_mutex_lock(fw_mutex *m, const fw_note *note, const fw_deadline *deadline)
{
    struct waiter me;
    int error;

    if (fw_mutex_trylock(m) == 0)
        return 0;
    error = refuse(note, deadline);
    if (error != 0)
        return error;
    prepare(&me, note);
    error = fw_await_mutex(&me.records[0].op, m, NULL);
    return error == EINPROGRESS ? wait_submitted(&me, note, deadline) : error;
}

int fw_note_cond_wait(fw_cond *c, fw_mutex *m, const fw_note *note, const fw_deadline *deadline)
{
    struct waiter me;
    int error = refuse(note, deadline);

    if (error != 0)
        return error;
    prepare(&me, note);
    error = fw_await_cond(&me.records[0].op, c, m, NULL);
    if (error != EINPROGRESS)
        return error;
    error = wait_submitted(&me, note, deadline);
    if (error != 0) /* F:note-without-mutex */
        fw_mutex_lock(m);
    return error;
}
