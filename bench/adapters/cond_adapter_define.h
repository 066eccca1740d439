/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_COND_ADAPTER_DEFINE_H
#define FW_ADAPTERS_COND_ADAPTER_DEFINE_H

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/cond_adapter.h"

/*
 * A condition variable in ten lines, in the manner of adapter_define.h.  The object is a struct
 * of a mutex and a condition variable.
 *
 *     COND_CALLS(example, struct example, lock(&l->m), unlock(&l->m), wait(&l->c, &l->m),
 *                signal(&l->c), broadcast(&l->c))
 *     COND_TIMED(example, struct example, wait_until(&l->c, &l->m, at))
 *
 * and in the initialiser, after ADAPTER_OBJECT and .destroy: COND_PLACE(struct example, c),
 * .destroy_cond, COND_MEMBERS(example).
 */
#define COND_PLACE(type, member) \
    .cond_at = offsetof(type, member), .cond_size = sizeof(((type *)0)->member)

#define COND_CALLS(stem, type, lock_, unlock_, wait_, signal_, broadcast_) \
    ADAPTER_LOCKS(stem, type, lock_, unlock_)                              \
    ADAPTER_DO(stem##_wait_, type, wait_)                                  \
    ADAPTER_DO(stem##_signal_, type, signal_)                              \
    ADAPTER_DO(stem##_broadcast_, type, broadcast_)

#define COND_TIMED(stem, type, expression) ADAPTER_UNTIL(stem##_timedwait_, type, expression)

/* .await = STEM_await_: of the mutex; `holds` and `arg` are waited for, `at` may be NULL. */
#define COND_AWAIT(stem, type, expression)                                      \
    static int stem##_await_(void *object, bool (*holds)(void *arg), void *arg, \
                             const struct timespec *at)                         \
    {                                                                           \
        type *l = ADAPTER_CAST_(type, object);                                  \
        return expression;                                                      \
    }

#define COND_MEMBERS(stem)                                                \
    .lock = stem##_lock_, .unlock = stem##_unlock_, .wait = stem##_wait_, \
    .timedwait = stem##_timedwait_, .signal = stem##_signal_, .broadcast = stem##_broadcast_

#endif
