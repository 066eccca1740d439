/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_ONCE_H
#define FURWOCK_BITS_ANNOTATED_ONCE_H

#include <furwock/once.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/once.h for race detectors; internal: bits/annotate.h. */

struct fw_once_noted_ {
    const fw_once *once;
    int (*init)(void *);
    void *arg;
};

/* Also where init is cancelled: whoever tries next comes after what it did. */
static inline void fw_once_note_tried_(const fw_once **once)
{
    FW_NOTE_RELEASE_(*once);
}

static inline int fw_once_note_init_(void *arg)
{
    const struct fw_once_noted_ *call = (const struct fw_once_noted_ *)arg;
    const fw_once *once __attribute__((cleanup(fw_once_note_tried_))) = call->once;

    FW_NOTE_ACQUIRE_(once); /* what others did that have tried, and failed */
    return call->init(call->arg);
}

static inline int fw_once_call_noted_(fw_once *o, int (*init)(void *), void *arg)
{
    struct fw_once_noted_ call = {o, init, arg};
    int error = fw_once_call(o, fw_once_note_init_, &call);

    FW_NOTE_ACQUIRE_(o);
    return error;
}

static inline bool fw_once_is_done_noted_(const fw_once *o)
{
    bool is_done = fw_once_is_done(o);

    if (is_done)
        FW_NOTE_ACQUIRE_(o);
    return is_done;
}

static inline bool fw_once_begin__noted_(fw_once *o)
{
    bool is_first = fw_once_begin_(o);

    FW_NOTE_ACQUIRE_(o);
    return is_first;
}

static inline void fw_once_end__noted_(fw_once *o, bool done)
{
    FW_NOTE_RELEASE_(o);
    fw_once_end_(o, done);
}

#define fw_once_call fw_once_call_noted_
#define fw_once_is_done fw_once_is_done_noted_
#define fw_once_begin_ fw_once_begin__noted_
#define fw_once_end_ fw_once_end__noted_

#endif

#endif
