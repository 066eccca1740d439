/* SPDX-License-Identifier: MIT */
#ifndef FWPY_EVENT_STATE_H
#define FWPY_EVENT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>

/* An event between processes, as threading.Event is one between threads; zeroes: not set. */
struct fwpy_event {
    uint64_t word;
    uint64_t magic; /* as a named object: FWPY_EVENT_MAGIC */
};
#define FWPY_EVENT_MAGIC UINT64_C(0x746e657665777066)

static inline bool fwpy_event_is_set(const struct fwpy_event *e)
{
    return (__atomic_load_n(&e->word, __ATOMIC_ACQUIRE) & 1) != 0;
}

/* 0, or EINVAL: it lies in no region. */
int fwpy_event_set(struct fwpy_event *e);
void fwpy_event_clear(struct fwpy_event *e);

/* A wait, which may be made in several pieces: a set in between two of them is noticed. */
struct fwpy_event_waiter {
    struct fwpy_event *event;
    uint64_t cleared; /* how often, when it began */
};
struct fwpy_event_waiter fwpy_event_begin(struct fwpy_event *e);

/*
 * Waits until it is set, or has been since the beginning.
 * 0, ETIMEDOUT; EINVAL, EAGAIN as there.
 */
int fwpy_event_wait(struct fwpy_event_waiter *w, const fw_deadline *deadline);

#endif
