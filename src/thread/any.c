/* SPDX-License-Identifier: MIT */
/*
 * fw_wait_any.  Contract: furwock/any.h.  What each kind of object does for it: any_source.h.
 * Reasons: doc/design/any.md.
 *
 * Origin: futex_waitv(2), Linux 5.16, made for this; the word that is slept on is that of Franke,
 * Russell and Kirkwood (OLS 2002, section 3.1.3).
 *
 * ANY1  While the thread sleeps it is counted as a waiter in each object.
 * ANY2  It sleeps only with values that it has got after it was counted, and in which nothing could
 *       be taken.
 * ANY3  When it returns it is counted nowhere, and the wakes that it received, and did not use,
 *       were passed on.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/any.h>

#include "core/recheck.h"
#include "core/sleep.h"
#include "core/wait.h"
#include "thread/any_source.h"

#define NONE FW_ANY_MAX

/* A thread in fw_wait_any; it lives on that thread's stack. */
struct chooser {
    unsigned n;
    const fw_any *objects;
    struct fw_any_registration_ registrations[FW_ANY_MAX];
    struct fw_wait_ wait;
};

static const struct fw_any_source_ *source_of(fw_any_kind kind)
{
    switch (kind) {
    case FW_ANY_SEM:
        return &fw_sem_source_;
    case FW_ANY_EVENT:
        return &fw_event_source_;
    case FW_ANY_LATCH:
        return &fw_latch_source_;
    }
    return NULL;
}

static bool are_valid(const fw_any *objects, unsigned n)
{
    if (n == 0 || n > FW_ANY_MAX || objects == NULL)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (objects[i].object == NULL || source_of(objects[i].kind) == NULL)
            return false;
    return true;
}

/* Takes from the first object that is ready; its index, or NONE. */
static unsigned take_first(struct chooser *me)
{
    for (unsigned i = 0; i < me->n; i++)
        if (source_of(me->objects[i].kind)->try_(&me->registrations[i]))
            return i;
    return NONE;
}

/* ANY3. */
static void leave_all(struct chooser *me)
{
    for (unsigned i = 0; i < me->n; i++)
        if (me->registrations[i].is_registered)
            source_of(me->objects[i].kind)->leave(&me->registrations[i]);
}

/* One sleep on all objects: 0, -EAGAIN, -EINTR, -ETIMEDOUT. */
static int sleep_on_all(struct chooser *me)
{
    fw_futex_any words[FW_ANY_MAX];
    int result;

    for (unsigned i = 0; i < me->n; i++)
        if (!source_of(me->objects[i].kind)->prepare(&me->registrations[i], &words[i]))
            return -EAGAIN;
    result = fw_sleep_any_(words, me->n, me->wait.deadline);
    if (fw_cannot_sleep_any_(result))
        result = fw_wait_sleep_(&me->wait, words[0].word, words[0].expected, FW_FUTEX_ANY_BIT,
                                FW_RECHECK_ANY_NS); /* F:any-does-not-look */
    return result >= 0 ? 0 : result;
}

/* Waits until an object is ready, or the deadline passes; its index, or NONE. */
static unsigned wait_for_first(struct chooser *me)
{
    for (;;) {
        unsigned which = take_first(me);
        int error;

        if (which != NONE || fw_wait_is_over_(&me->wait))
            return which;
        if (fw_wait_spin_(&me->wait))
            continue;
        error = fw_wait_blocks_(&me->wait) ? sleep_on_all(me)
                                           : fw_wait_sleep_(&me->wait, NULL, 0, 0, 0);
        if (error == -ETIMEDOUT)
            return take_first(me);
        if (error == 0 || error == -EINTR)
            fw_wait_again_(&me->wait);
    }
}

static int choose(struct chooser *me, const fw_deadline *deadline, unsigned *which)
{
    unsigned found = take_first(me);
    int error;

    if (found == NONE) {
        error = fw_wait_begin_(&me->wait, NULL, deadline);
        if (error != 0)
            return error;
        found = wait_for_first(me);
        leave_all(me); /* F:any-stays */
    }
    if (found == NONE)
        return ETIMEDOUT;
    if (which != NULL)
        *which = found;
    return 0;
}

int fw_wait_any(const fw_any *objects, unsigned n, const fw_deadline *deadline, unsigned *which)
{
    struct chooser me; /* not cleared as a whole: most of it is not used */

    if (!are_valid(objects, n))
        return EINVAL;
    me.n = n;
    me.objects = objects;
    for (unsigned i = 0; i < n; i++)
        me.registrations[i] = (struct fw_any_registration_){.object = objects[i].object};
    return choose(&me, deadline, which);
}
