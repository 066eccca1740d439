/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_AWAIT_THREADS_H
#define MODEL_IPC_AWAIT_THREADS_H

#include <furwock/bits/await.h>
#include <furwock/bits/deadline.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/sem.h>

#include "ipc_mutex_check.h"

/* What threads do in the programs ipc_await.c, beside tasks. */

/* What they all use. */
struct ipc_await_objects {
    fw_ipc_mutex *m;
    fw_ipc_sem *s;
    fw_ipc_cond *c;
};
extern struct ipc_await_objects ipc_await;

/* Units that were added, and that were taken; and the tokens that there are. */
enum ipc_await_shadow { ADDED = IPC_MUTEX_SHADOW_WORDS, TAKEN, TOKENS };

/* Has the mutex, for a task or (0) itself: repairs after a death, and says so.  Releases it. */
void ipc_await_enters(unsigned self, fw_task task, int error);
void ipc_await_leaves(unsigned self, fw_task task);

/* A thread, or a task, has a unit. */
void ipc_await_took(unsigned self);

void ipc_await_thread_locks(unsigned self, const fw_deadline *deadline);
void ipc_await_thread_takes(unsigned self);
void ipc_await_thread_posts(unsigned self);
void ipc_await_thread_gets(unsigned self);

/* A token, or one for each of the others; and how that is told. */
enum ipc_await_put { PUTS_AND_SIGNALS, PUTS_BEFORE_SIGNAL, PUTS_ALL };
void ipc_await_thread_puts(unsigned self, enum ipc_await_put how);

#endif
