/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_SYNC_ADAPTER_DEFINE_H
#define FW_ADAPTERS_SYNC_ADAPTER_DEFINE_H

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/sync_adapter.h"

/*
 * Semaphores, events and barriers in ten lines each, in the manner of adapter_define.h.  The
 * initialisers follow the order of the structs: ADAPTER_OBJECT, .destroy, then the members.
 */

/* STEM_init_ and STEM_full_init_ are needed; .post_n and .timedwait are set beside. */
#define SEM_CALLS(stem, type, wait_, try_, post_, value_) \
    ADAPTER_DO(stem##_wait_, type, wait_)                 \
    ADAPTER_ANSWER(int, stem##_trywait_, type, try_)      \
    ADAPTER_ANSWER(int, stem##_post_, type, post_)        \
    ADAPTER_ANSWER(uint32_t, stem##_value_, type, value_) \
    ADAPTER_REPEAT(stem##_loop_, type, (void)(post_); wait_)

#define SEM_MEMBERS(stem)                                                             \
    .init_full = stem##_full_init_, .wait = stem##_wait_, .trywait = stem##_trywait_, \
    .post = stem##_post_, .value = stem##_value_, .loop = stem##_loop_

/* One deadline call with them all: `until_` sees it as `at`. */
#define EVENT_CALLS(stem, type, set_, reset_, is_set_, wait_, try_, until_) \
    ADAPTER_DO(stem##_set_, type, set_)                                     \
    ADAPTER_DO(stem##_reset_, type, reset_)                                 \
    ADAPTER_ANSWER(bool, stem##_is_set_, type, is_set_)                     \
    ADAPTER_DO(stem##_wait_, type, wait_)                                   \
    ADAPTER_ANSWER(int, stem##_trywait_, type, try_)                        \
    ADAPTER_UNTIL(stem##_timedwait_, type, until_)                          \
    ADAPTER_REPEAT(stem##_loop_, type, set_; wait_; reset_)

#define EVENT_MEMBERS(stem)                                                                     \
    .set = stem##_set_, .reset = stem##_reset_, .is_set = stem##_is_set_, .wait = stem##_wait_, \
    .trywait = stem##_trywait_, .timedwait = stem##_timedwait_, .loop = stem##_loop_

/* The expression sees `l`, `shared` and `parties`. */
#define BARRIER_INIT(stem, type, expression)                               \
    static int stem##_init_for_(void *lock, bool shared, unsigned parties) \
    {                                                                      \
        type *l = ADAPTER_CAST_(type, lock);                               \
        (void)shared;                                                      \
        return expression;                                                 \
    }                                                                      \
    static int stem##_init_(void *lock, bool shared)                       \
    {                                                                      \
        return stem##_init_for_(lock, shared, 1);                          \
    }

#define BARRIER_CALLS(stem, type, wait_)            \
    ADAPTER_ANSWER(bool, stem##_wait_, type, wait_) \
    ADAPTER_REPEAT(stem##_loop_, type, (void)(wait_))

#define BARRIER_MEMBERS(stem) \
    .init_for = stem##_init_for_, .wait = stem##_wait_, .loop = stem##_loop_

#endif
