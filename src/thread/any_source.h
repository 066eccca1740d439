/* SPDX-License-Identifier: MIT */
#ifndef FW_ANY_SOURCE_H
#define FW_ANY_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/futex.h>

/*
 * What fw_wait_any needs from each kind of object that can be waited for.
 *
 * A thread in fw_wait_any is counted as a waiter in each of its objects while it waits.  For each
 * it has a registration, in which the object's functions may keep what they need.  The order of
 * calls:
 *
 *     try ...                           spinning, not registered
 *     prepare, (sleep), try ...         registered from the first prepare on
 *     try that succeeds, or leave       not registered any more
 *
 * Such a thread sleeps on several words at once and is woken by a wake on any of them, so a wake
 * for one object may reach a thread that then takes from another.  leave repairs that: if the
 * object has something to take for which nobody else has been woken, it wakes one of the others.
 */
struct fw_any_registration_ {
    void *object;
    uint32_t stamp;     /* the object's own */
    bool is_registered; /* changed by the object's functions only */
};

struct fw_any_source_ {
    /*
     * Takes what a wait would take.  True: it was there; a registered thread is not counted as a
     * waiter any more after the same atomic step, and the object is not touched any more.
     */
    bool (*try_)(struct fw_any_registration_ *p);

    /*
     * Registers the thread if it is not yet, and fills in the word on which to sleep, and the
     * value with which it is safe to sleep there.  False: the object changed meanwhile, look again.
     */
    bool (*prepare)(struct fw_any_registration_ *p, fw_futex_any *sleep);

    /* Ends the registration. */
    void (*leave)(struct fw_any_registration_ *p);
};

/* One for each kind; defined beside the object. */
extern const struct fw_any_source_ fw_sem_source_;
extern const struct fw_any_source_ fw_event_source_;
extern const struct fw_any_source_ fw_latch_source_;

#endif
