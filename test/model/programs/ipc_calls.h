/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_CALLS_H
#define MODEL_IPC_CALLS_H

/* What a copy does not change is the shipped one's. */
#undef FW_INLINE
#define FW_INLINE static inline

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

#include "../engine/model.h"
#include "calls.h"
#include "ipc/region/head.h"
#include "ipc/region/join.h"
#include "ipc/region/participant.h"
#include "ipc/rwlock_task.h"

/* What all families of locks between processes have below them: the participants. */
struct ipc_region_calls {
    struct fw_ipc_self_ *(*self)(void);
    int (*enter)(const void *object, struct fw_ipc_me_ *me);
    bool (*leave)(const struct fw_ipc_mapping_ *mapping);
    struct model_own own; /* the variables of its own that a copy's threads have */
};

/* For the tables (faults.py): IPC_REGION_CALLS is the initialiser. */
#ifdef CALLS_OF_A_COPY
#define IPC_PASTE_(a, b) a##b
#define IPC_PASTE(a, b) IPC_PASTE_(a, b)
#define IPC_OWN_BEGIN IPC_PASTE(__start_, SUBJECT_OWN)
#define IPC_OWN_END IPC_PASTE(__stop_, SUBJECT_OWN)

extern uint8_t IPC_OWN_BEGIN[], IPC_OWN_END[];

static inline struct fw_ipc_self_ *own_self(void)
{
    return &fw_ipc_self_;
}

#define IPC_REGION_CALLS                                                       \
    {                                                                          \
        .self = own_self, .enter = fw_ipc_enter_slow_, .leave = fw_ipc_leave_, \
        .own = {IPC_OWN_BEGIN, IPC_OWN_END},                                   \
    }
#endif

#define IPC_MUTEX_CALLS(CALL, DATA)                         \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(trylock, fw_ipc_mutex_trylock)                     \
    CALL(lock, fw_ipc_mutex_lock_policy)                    \
    CALL(unlock, fw_ipc_mutex_unlock)                       \
    CALL(consistent, fw_ipc_mutex_consistent)               \
    CALL(death, fw_ipc_mutex_death)                         \
    CALL(on_death, fw_ipc_mutex_on_death)
CALLS_OF(ipc_mutex, IPC_MUTEX);

#define IPC_RWLOCK_CALLS(CALL, DATA)                        \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(try_read, fw_ipc_rwlock_tryrdlock)                 \
    CALL(read, fw_ipc_rwlock_rdlock_policy)                 \
    CALL(end_read, fw_ipc_rwlock_rdunlock)                  \
    CALL(try_write, fw_ipc_rwlock_trywrlock)                \
    CALL(write, fw_ipc_rwlock_wrlock_policy)                \
    CALL(end_write, fw_ipc_rwlock_wrunlock)                 \
    CALL(up, fw_ipc_rwlock_upgradable_lock_policy)          \
    CALL(end_up, fw_ipc_rwlock_upgradable_unlock)           \
    CALL(upgrade, fw_ipc_rwlock_timedupgrade)               \
    CALL(downgrade, fw_ipc_rwlock_downgrade)                \
    CALL(consistent, fw_ipc_rwlock_consistent)              \
    CALL(on_death, fw_ipc_rwlock_on_death)                  \
    CALL(recover, fw_ipc_rw_recover_)                       \
    CALL(close, fw_ipc_rw_close_)                           \
    CALL(begin, fw_ipc_rw_begin_)                           \
    CALL(release, fw_ipc_rw_release_)                       \
    CALL(declare_sound, fw_ipc_rw_declare_sound_)           \
    CALL(task_enter, fw_ipc_rw_task_enter_)                 \
    CALL(task_announce, fw_ipc_rw_task_announce_)           \
    CALL(task_withdraw, fw_ipc_rw_task_withdraw_)           \
    CALL(task_leave, fw_ipc_rw_task_leave_)                 \
    CALL(task_drain, fw_ipc_rw_task_drain_)                 \
    CALL(task_give_up, fw_ipc_rw_task_give_up_)             \
    CALL(task_announce_writer, fw_ipc_rw_task_announce_writer_)
CALLS_OF(ipc_rwlock, IPC_RWLOCK);

/* Units, barrier, once and semaphore between processes. */
#define IPC_SYNC_CALLS(CALL, DATA)                          \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(take, fw_ipc_permits_take)                         \
    CALL(give, fw_ipc_permits_give)                         \
    CALL(wait, fw_ipc_barrier_wait_policy)                  \
    CALL(join, fw_ipc_barrier_join)                         \
    CALL(arrive, fw_ipc_barrier_arrive)                     \
    CALL(await, fw_ipc_barrier_await)                       \
    CALL(leave, fw_ipc_barrier_leave)                       \
    CALL(reset, fw_ipc_barrier_reset)                       \
    CALL(call, fw_ipc_once_call_slow_)                      \
    CALL(sem_init, fw_ipc_sem_init)                         \
    CALL(sem_trywait, fw_ipc_sem_trywait)                   \
    CALL(sem_wait, fw_ipc_sem_wait_policy)                  \
    CALL(sem_post_n, fw_ipc_sem_post_n)
CALLS_OF(ipc_sync, IPC_SYNC);

/* The journal, and a mutex that has one. */
#define IPC_JOURNAL_CALLS(CALL, DATA)                       \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(record, fw_ipc_journal_record)                     \
    CALL(lock, fw_ipc_mutex_lock_policy)                    \
    CALL(unlock, fw_ipc_mutex_unlock)                       \
    CALL(consistent, fw_ipc_mutex_consistent)               \
    CALL(attach, fw_ipc_mutex_journal)                      \
    CALL(commit, fw_ipc_journal_commit)
CALLS_OF(ipc_journal, IPC_JOURNAL);

/* The condition variable between processes, and its mutex. */
#define IPC_COND_CALLS(CALL, DATA)                          \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(wait, fw_ipc_cond_wait_policy)                     \
    CALL(signal, fw_ipc_cond_signal)                        \
    CALL(broadcast, fw_ipc_cond_broadcast)                  \
    CALL(lock, fw_ipc_mutex_lock_policy)                    \
    CALL(consistent, fw_ipc_mutex_consistent)               \
    CALL(unlock, fw_ipc_mutex_unlock)
CALLS_OF(ipc_cond, IPC_COND);

/* The directory of a region, under the region's lock, which is the shipped one. */
#define IPC_DIRECTORY_CALLS(CALL, DATA)                     \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(object, fw_region_object_init)
CALLS_OF(ipc_directory, IPC_DIRECTORY);

/* The participants of a region: they come and leave (region), and are looked at. */
#define IPC_PARTICIPANT_CALLS(CALL, DATA)                   \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(life, fw_ipc_life_)                                \
    CALL(life_slow, fw_ipc_life_slow_)                      \
    CALL(ids, fw_ipc_ids_)                                  \
    CALL(has_multithreaded, fw_ipc_has_other_participants_)
CALLS_OF(ipc_participant, IPC_PARTICIPANT);

/* The head of a region. */
#define IPC_HEAD_CALLS(CALL, DATA)  \
    CALL(plan, fw_ipc_plan_)        \
    CALL(check, fw_ipc_head_check_) \
    CALL(make, fw_ipc_head_make_)   \
    CALL(complete, fw_ipc_head_complete_)
CALLS_OF(ipc_head, IPC_HEAD);

/* To make a region or to join it; the head is the shipped one. */
#define IPC_JOIN_CALLS(CALL, DATA) \
    CALL(file, fw_ipc_join_file_)  \
    CALL(memory, fw_ipc_join_memory_)
CALLS_OF(ipc_join, IPC_JOIN);

#endif
