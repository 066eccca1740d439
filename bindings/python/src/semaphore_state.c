/* SPDX-License-Identifier: MIT */
/*
 * A semaphore with a ledger.  Contract: semaphore_state.h.
 *
 * Origin: System V's SEM_UNDO, which takes back what a process did; here the library does it, and
 * only as long as nobody uses the semaphore as a signal.
 *
 *   bit   63   62 ..... 32   31        30 .......... 0
 *         0    changes       WAITERS   value
 *
 * All but WAITERS is changed under the guard.
 *
 *   PYM1  As long as it is no signal: value + the sum of all rows = the initial value.  A row is
 *         stored before the value; a thread that takes the guard from a dead one computes the value
 *         from the rows.  So the store to a row is the operation.
 *   PYM2  Once it is a signal, rows mean nothing, and the store of the value is the operation.
 *   PYM3  No row goes below 0: the release that would do that makes it a signal.
 *   PYM4  A sleeper has found the value 0 under the guard, and watches the lives of threads of all
 *         processes in the ledger; or re-checks.
 */
#include "semaphore_state.h"

#include <errno.h>

#include "waiting.h"

#define VALUE UINT64_C(0x7fffffff)

size_t fwpy_semaphore_size(uint32_t initial, uint32_t bound)
{
    uint32_t rows = initial < FWPY_SEMAPHORE_ROWS ? initial : FWPY_SEMAPHORE_ROWS;

    if (bound == 0 || bound > FWPY_SEMAPHORE_MAX || initial > bound)
        return 0;
    return sizeof(struct fwpy_semaphore) + rows * sizeof(struct fwpy_ledger_row);
}

void fwpy_semaphore_init(struct fwpy_semaphore *s, uint32_t initial, uint32_t bound)
{
    s->magic = FWPY_SEMAPHORE_MAGIC;
    s->initial = initial;
    s->bound = bound;
    s->row_count = initial < FWPY_SEMAPHORE_ROWS ? initial : FWPY_SEMAPHORE_ROWS;
    s->is_signal = initial == 0;
    fw_store64_release(&s->word, initial);
}

uint32_t fwpy_semaphore_value(const struct fwpy_semaphore *s)
{
    return (uint32_t)(fw_load64_acquire(&s->word) & VALUE);
}

/* Another process can have written over it. */
static uint32_t rows_of(const struct fwpy_semaphore *s)
{
    return s->row_count < FWPY_SEMAPHORE_ROWS ? s->row_count : FWPY_SEMAPHORE_ROWS;
}

/* PYM1: after a death in the critical section. */
static void repair(void *arg)
{
    struct fwpy_semaphore *s = arg;
    uint64_t taken = 0;

    if (s->is_signal)
        return;
    for (uint32_t i = 0; i < rows_of(s); i++)
        taken += s->rows[i].taken;
    fwpy_change(&s->word, taken < s->initial ? s->initial - (uint32_t)taken : 0);
}

static struct fwpy_guard guard_of(struct fwpy_semaphore *s)
{
    return (struct fwpy_guard){&s->guard, repair, s};
}

/* --- The ledger ------------------------------------------------------------------------------- */

/* The caller's row, or a free one; NULL: there is none. */
static struct fwpy_ledger_row *row_of(struct fwpy_semaphore *s, const struct fwpy_process *me)
{
    struct fwpy_ledger_row *vacant = NULL;

    for (uint32_t i = 0; i < rows_of(s); i++) {
        struct fwpy_ledger_row *row = &s->rows[i];
        if (row->taken != 0 && fwpy_is_process(&row->process, me))
            return row;
        if (row->taken == 0 && vacant == NULL)
            vacant = row;
    }
    return vacant;
}

/* Gives back what dead processes had. */
static void reclaim(struct fwpy_semaphore_call *c, struct fwpy_call *call)
{
    struct fwpy_semaphore *s = c->s;

    for (uint32_t i = 0; i < rows_of(s); i++) {
        struct fwpy_ledger_row *row = &s->rows[i];
        uint32_t back = (uint32_t)row->taken;
        if (back == 0 || fwpy_is_alive(call->me.mapping, &row->process, &row->holder)) {
            call->rechecks |= back != 0 && row->holder == 0;
            continue;
        }
        c->dead = row->process;
        fw_store64_relaxed(&s->deaths, s->deaths + 1);
        fw_store64_release(&row->taken, 0);
        fwpy_change(&s->word, fwpy_semaphore_value(s) + back);
    }
}

static void watch_all(const struct fwpy_semaphore *s, struct fw_ipc_wait_ *wait)
{
    uint32_t count = rows_of(s), first = fw_ipc_wait_first_(wait, count);

    for (uint32_t n = 0; n < count; n++) {
        const struct fwpy_ledger_row *row = &s->rows[(first + n) % count];
        if (row->taken != 0 && row->holder != 0)
            fw_ipc_wait_watch_(wait, row->holder);
    }
}

/* --- Operations, under the guard -------------------------------------------------------------- */

static void take(struct fwpy_semaphore *s, const struct fwpy_call *call)
{
    struct fwpy_process me = fwpy_this_process();
    struct fwpy_ledger_row *row = s->is_signal ? NULL : row_of(s, &me);

    if (row == NULL) {
        s->is_signal = 1;
    } else {
        if (row->taken == 0)
            row->process = me;
        row->holder = call->me.id;
        fw_store64_release(&row->taken, row->taken + 1);
    }
    fwpy_change(&s->word, fwpy_semaphore_value(s) - 1);
}

static int step(void *arg, struct fwpy_call *call)
{
    struct fwpy_semaphore_call *c = arg;
    struct fwpy_semaphore *s = c->s;
    struct fwpy_guard guard = guard_of(s);
    int error = fwpy_guard_lock(&guard, call);

    if (error != 0)
        return error;
    c->dead.pid = 0;
    if (fwpy_semaphore_value(s) == 0 && !s->is_signal)
        reclaim(c, call);
    if (fwpy_semaphore_value(s) != 0) {
        take(s, call);
        return fw_ipc_mutex_unlock(&s->guard);
    }
    if (call->wait != NULL) {
        fwpy_announce(call, &s->word);
        if (!s->is_signal)
            watch_all(s, call->wait);
    }
    error = fw_ipc_mutex_unlock(&s->guard);
    return error == 0 ? EAGAIN : error;
}

int fwpy_semaphore_try(struct fwpy_semaphore_call *c)
{
    return fwpy_try(c->s, step, c);
}

int fwpy_semaphore_wait(struct fwpy_semaphore_call *c, const fw_deadline *deadline)
{
    return fwpy_wait_until(c->s, step, c, deadline);
}

/* With the guard, which it releases. */
static int add(struct fwpy_semaphore *s, uint32_t n)
{
    struct fwpy_guard guard = guard_of(s);
    struct fwpy_process me = fwpy_this_process();
    uint32_t value = fwpy_semaphore_value(s);
    struct fwpy_ledger_row *row;
    int error;

    if (value > s->bound || n > s->bound - value) {
        error = fw_ipc_mutex_unlock(&s->guard);
        return error != 0 ? error : value > s->bound ? EUCLEAN : EOVERFLOW;
    }
    if (!s->is_signal) {
        row = row_of(s, &me);
        if (row == NULL || row->taken < n)
            s->is_signal = 1; /* PYM3 */
        else
            fw_store64_release(&row->taken, row->taken - n);
    }
    return fwpy_change_and_wake(&guard, fw_ipc_mapping_of_(s), &s->word, value + n, n);
}

int fwpy_semaphore_try_release(struct fwpy_semaphore *s, uint32_t n)
{
    struct fwpy_call try = {.wait = NULL};
    struct fwpy_guard guard = guard_of(s);
    int error = fwpy_guard_lock(&guard, &try);

    return error == 0 ? add(s, n) : error;
}

int fwpy_semaphore_release(struct fwpy_semaphore *s, uint32_t n)
{
    struct fwpy_guard guard = guard_of(s);
    int error = fwpy_guard_lock_now(&guard);

    return error == 0 ? add(s, n) : error;
}
