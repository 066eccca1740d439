/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_RWLOCK_TASK_H
#define FW_IPC_RWLOCK_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/rwlock.h>

#include "ipc/region/agent.h"
#include "ipc/rwlock.h"

/*
 * A region's read-write lock in the hands of tasks (furwock/ipc/await.h).  To other processes a
 * process that has tasks is one writer, or one reader, or both at different times:
 *
 *   RWT1  The writer that a word names is the first agent of the process.  Which task it is the
 *         process knows by itself (await/region_shares.h).
 *   RWT2  All read locks that tasks of the process have on one lock are one HELD record, in the
 *         slot of an agent, from the first of them on until the last has gone (IRW3); and those
 *         that wait for one are one record in state SLEEPS.  So a process needs two records a lock
 *         however many its tasks are.  Records are written in the lock of the process's table, so
 *         that each has one writer, as a thread's has.
 *   RWT3  A further reader joins a HELD record only if it sees the word open after the record was
 *         written (IRW2 holds as if it had written the record itself), or if it waited when the
 *         record was admitted: a writer that has closed the word keeps out those that come later.
 *
 * In the lock of the process's table, unless something else is said.
 */
struct fw_rw_record_ {
    uint64_t *at;         /* NULL: there is none */
    struct fw_ipc_me_ by; /* the agent in whose slot it is */
};

/* Of a lock, in one process. */
struct fw_rw_records_ {
    const struct fw_ipc_mapping_ *mapping;
    struct fw_rw_record_ held, waits;
};

/* The lock as it is to a reader that wants to be told when it can come in. */
enum fw_rw_entry_ {
    FW_RW_INSIDE_,   /* `held` is a HELD record, and the word was open since */
    FW_RW_ADMITTED_, /* `held` has become one: those that have waited until now come in */
    FW_RW_CLOSED_,   /* *now: see fw_ipc_rw_recover_, or wait */
    FW_RW_FULL_      /* no record is free: one more agent is needed */
};
enum fw_rw_entry_ fw_ipc_rw_task_enter_(fw_ipc_rwlock *l, struct fw_rw_records_ *r, uint64_t *now);

/*
 * It is closed, as `now` says, by a holder that may live: the record says that one sleeps on it,
 * and the word that readers wait.
 *   EBUSY     sleep on its low half, as long as that is *expected
 *   0         something has changed: look again
 *   EAGAIN    no record is free: one more agent is needed
 *   EUCLEAN   somebody has written over the record
 */
int fw_ipc_rw_task_announce_(fw_ipc_rwlock *l, struct fw_rw_records_ *r, uint64_t now,
                             uint32_t *expected);

/* Outside of locks: one more agent, if none has a free record.  0, or as fw_ipc_agent_nth_. */
int fw_ipc_rw_task_add_agent_(const struct fw_ipc_mapping_ *mapping);

/* Nobody waits any more.  True: it was admitted meanwhile, and `held` is HELD, for nobody. */
bool fw_ipc_rw_task_withdraw_(struct fw_rw_records_ *r);

/* The last reader has gone.  Whom to wake, outside of all locks, if it is not NULL. */
const uint32_t *fw_ipc_rw_task_leave_(const fw_ipc_rwlock *l, struct fw_rw_records_ *r);

/* --- Writers; outside of locks ---------------------------------------------------------------- */

/*
 * The word is closed by the agent (fw_ipc_rw_close_).  Do others read, or tasks of this process?
 * 0; EBUSY: *reader wakes those that sleep on the record when it leaves; EUCLEAN
 */
int fw_ipc_rw_task_drain_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *agent,
                          struct fw_ipc_rw_reader_ *reader);

/* It gives up while it waits for readers. */
void fw_ipc_rw_task_give_up_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *agent);

/* The word is `*now`, of a holder that may live: says that a writer sleeps.  False: it is not. */
bool fw_ipc_rw_task_announce_writer_(fw_ipc_rwlock *l, uint64_t *now);

#endif
