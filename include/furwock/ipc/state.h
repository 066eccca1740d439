/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_STATE_H
#define FURWOCK_IPC_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/rwlock.h>

FW_BEGIN_DECLS

/*
 * The thread that holds a lock between processes: for messages, monitoring, and bindings that have
 * a locked().
 *
 * Rules
 *  - It is a snapshot: what it says may have changed when the caller reads it, except that the
 *    caller holds a lock, or does not.  To decide whether to take a lock, try to take it.
 *  - Nothing is changed: no lock is taken, no dead owner replaced, and the caller gets no
 *    participant slot in the region.
 *  - A dead owner is one that the kernel, or another thread, has marked as dead.  (Without robust
 *    lists, as under an emulator, waiting threads find out, and this call does not.)
 *  - Process and thread are ids as their pid namespace has them.
 *
 * Does not fail with EINTR, is no cancellation point, and may be called in signal handlers.
 *
 * Example: report which thread holds the lock
 *
 *     int lock_or_say(fw_ipc_mutex *m, const fw_deadline *deadline, char *text, size_t size)
 *     {
 *         fw_ipc_state s;
 *         int error = fw_ipc_mutex_timedlock(m, deadline);
 *
 *         if (error == ETIMEDOUT && fw_ipc_mutex_state(m, &s) == 0 && s.held == FW_IPC_HELD)
 *             snprintf(text, size, "process %d has it, acquisition %llu", (int)s.process,
 *                      (unsigned long long)s.generation);
 *         return error;
 *     }
 */
typedef enum fw_ipc_held {
    FW_IPC_FREE = 0,
    FW_IPC_HELD_BY_ME = 1,
    FW_IPC_HELD = 2,       /* by another thread, or by others */
    FW_IPC_OWNER_DIED = 3, /* and nobody has taken it since: the next one gets EOWNERDEAD */
    FW_IPC_UNUSABLE = 4    /* all get ENOTRECOVERABLE */
} fw_ipc_held;

typedef struct fw_ipc_state {
    fw_ipc_held held;
    fw_ipc_rwlock_mode mode; /* the strongest in which it is held, or was by the owner that died;
                                a mutex is held for writing */
    bool is_inconsistent;    /* the owner was told EOWNERDEAD, and has not declared it consistent */
    uint32_t readers;        /* threads that hold it for reading, not counting an upgradable one */
    /*
     * The owner, living or dead; of a lock that is only read, the caller if it reads, else one of
     * the readers.  0: nobody, or not known any more.
     */
    pid_t process, thread;
    uint64_t
        generation; /* acquisitions (for writing) so far; about to count an owner that is new */
} fw_ipc_state;

/*
 * Fills in *state.
 *   0
 *   EINVAL    the lock lies in no region of this process, or is misaligned, or state is NULL
 *   EUCLEAN   the lock was overwritten
 */
FW_API int fw_ipc_mutex_state(const fw_ipc_mutex *m, fw_ipc_state *state);

/* Fills in *state of a read-write lock, as fw_ipc_mutex_state does. */
FW_API int fw_ipc_rwlock_state(const fw_ipc_rwlock *l, fw_ipc_state *state);

FW_END_DECLS

#endif
