/* SPDX-License-Identifier: MIT */
#ifndef MODEL_THREAD_CALLS_H
#define MODEL_THREAD_CALLS_H

/* A source that makes its own header's functions linkable does not do so with those of others. */
#undef FW_INLINE
#define FW_INLINE static inline

#include <stdbool.h>

#include <furwock/any.h>
#include <furwock/await.h>
#include <furwock/barrier.h>
#include <furwock/cond.h>
#include <furwock/event.h>
#include <furwock/latch.h>
#include <furwock/mutex.h>
#include <furwock/note.h>
#include <furwock/once.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>

#include "calls.h"
#include "core/bucket_lock.h"
#include "thread/cond_posix.h"
#include "thread/event_queue.h"
#include "thread/mutex_posix.h"
#include "thread/mutex_queue.h"
#include "thread/mutex_requeue.h"
#include "thread/permits.h"
#include "thread/rwlock_queue.h"

/* The locks between threads. */

#define MUTEX_CALLS(CALL, DATA)                \
    CALL(trylock, fw_mutex_trylock)            \
    CALL(lock, fw_mutex_lock)                  \
    CALL(timedlock, fw_mutex_timedlock)        \
    CALL(lock_policy, fw_mutex_lock_policy)    \
    CALL(unlock, fw_mutex_unlock)              \
    CALL(unlock_fair, fw_mutex_unlock_fair)    \
    CALL(lock_posix, fw_mutex_lock_posix_)     \
    CALL(unlock_posix, fw_mutex_unlock_posix_) \
    CALL(owner, fw_mutex_owner)
CALLS_OF(mutex, MUTEX);

#define QUEUE_CALLS(CALL, DATA)                      \
    CALL(lock, fw_mutex_lock)                        \
    CALL(lock_policy, fw_mutex_lock_policy)          \
    CALL(unlock, fw_mutex_unlock)                    \
    CALL(unlock_fair, fw_mutex_unlock_fair)          \
    CALL(task_unlock, fw_task_mutex_unlock)          \
    CALL(lock_registered, fw_mutex_lock_registered_) \
    CALL(join, fw_mutex_join_queue_)                 \
    CALL(left, fw_mutex_left_queue_)                 \
    CALL(await, fw_mutex_await)                      \
    CALL(timedawait, fw_mutex_timedawait)
CALLS_OF(queue, QUEUE);

#define BUCKET_CALLS(CALL, DATA) \
    CALL(lock, fw_bucket_lock_)  \
    CALL(unlock, fw_bucket_unlock_)
CALLS_OF(bucket, BUCKET);

#define COND_CALLS(CALL, DATA)                       \
    CALL(wait, fw_cond_wait)                         \
    CALL(wait_policy, fw_cond_wait_policy)           \
    CALL(signal, fw_cond_signal)                     \
    CALL(broadcast, fw_cond_broadcast)               \
    CALL(lock_policy, fw_mutex_lock_policy)          \
    CALL(unlock, fw_mutex_unlock)                    \
    CALL(unlock_fair, fw_mutex_unlock_fair)          \
    CALL(wait_posix, fw_cond_wait_posix_)            \
    CALL(lock_registered, fw_mutex_lock_registered_) \
    CALL(unlock_late, fw_mutex_unlock_and_wake_)
CALLS_OF(cond, COND);

/* Cancellable waits, for mutexes and conditions of threads. */
#define NOTE_CALLS(CALL, DATA)              \
    CALL(lock, fw_note_mutex_lock)          \
    CALL(wait, fw_note_cond_wait)           \
    CALL(notify, fw_note_notify)            \
    CALL(wait_policy, fw_cond_wait_policy)  \
    CALL(signal, fw_cond_signal)            \
    CALL(broadcast, fw_cond_broadcast)      \
    CALL(lock_policy, fw_mutex_lock_policy) \
    CALL(unlock, fw_mutex_unlock)
CALLS_OF(note, NOTE);

#define RWLOCK_CALLS(CALL, DATA)                               \
    CALL(rdlock, fw_rwlock_rdlock)                             \
    CALL(wrlock, fw_rwlock_wrlock)                             \
    CALL(rdlock_policy, fw_rwlock_rdlock_policy)               \
    CALL(wrlock_policy, fw_rwlock_wrlock_policy)               \
    CALL(uplock_policy, fw_rwlock_upgradable_lock_policy)      \
    CALL(tryrdlock, fw_rwlock_tryrdlock)                       \
    CALL(trywrlock, fw_rwlock_trywrlock)                       \
    CALL(tryuplock, fw_rwlock_upgradable_trylock)              \
    CALL(rdunlock, fw_rwlock_rdunlock)                         \
    CALL(wrunlock, fw_rwlock_wrunlock)                         \
    CALL(upunlock, fw_rwlock_upgradable_unlock)                \
    CALL(unlock, fw_rwlock_unlock)                             \
    CALL(tryupgrade, fw_rwlock_tryupgrade)                     \
    CALL(timedupgrade, fw_rwlock_timedupgrade)                 \
    CALL(downgrade, fw_rwlock_downgrade)                       \
    CALL(downgrade_upgradable, fw_rwlock_downgrade_upgradable) \
    CALL(owner, fw_rwlock_owner)                               \
    CALL(enqueue, fw_rw_enqueue_)                              \
    CALL(dequeued, fw_rw_dequeued_)
CALLS_OF(rwlock, RWLOCK);

/* The semaphore, and what stands on the same units: the event, and the wait for any. */
static inline bool sem_trywait_posix_(fw_sem *s)
{
    return fw_permits_take_any_(&s->state_);
}

static inline int sem_wait_posix_(fw_sem *s, const fw_deadline *deadline)
{
    return fw_permits_wait_posix_(&s->state_, deadline);
}

#define SEM_CALLS(CALL, DATA)               \
    CALL(trywait, fw_sem_trywait)           \
    CALL(trywait_posix, sem_trywait_posix_) \
    CALL(wait_policy, fw_sem_wait_policy)   \
    CALL(wait_posix, sem_wait_posix_)       \
    CALL(post, fw_sem_post)                 \
    CALL(post_n, fw_sem_post_n)             \
    CALL(set, fw_event_set)                 \
    CALL(reset, fw_event_reset)             \
    CALL(pass_policy, fw_event_wait_policy) \
    CALL(wait_any, fw_wait_any)             \
    CALL(enqueue, fw_permits_enqueue_)      \
    CALL(dequeued, fw_permits_dequeued_)    \
    CALL(enqueue_e, fw_event_enqueue_)
CALLS_OF(sem, SEM);

#define BARRIER_CALLS(CALL, DATA)             \
    CALL(wait_policy, fw_barrier_wait_policy) \
    CALL(arrive, fw_barrier_arrive)           \
    CALL(await, fw_barrier_await)             \
    CALL(drop, fw_barrier_drop)               \
    CALL(destroy, fw_barrier_destroy)
CALLS_OF(barrier, BARRIER);

#define LATCH_CALLS(CALL, DATA)             \
    CALL(count_down, fw_latch_count_down)   \
    CALL(trywait, fw_latch_trywait)         \
    CALL(wait_policy, fw_latch_wait_policy) \
    CALL(arrive_and_wait, fw_latch_arrive_and_wait)
CALLS_OF(latch, LATCH);

#define ONCE_CALLS(CALL, DATA) \
    CALL(call, fw_once_call)   \
    CALL(end, fw_once_end_)
CALLS_OF(once, ONCE);

#endif
