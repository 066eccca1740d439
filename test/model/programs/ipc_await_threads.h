/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_AWAIT_THREADS_H
#define MODEL_IPC_AWAIT_THREADS_H

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

/* Units that there were at the start, and were added; and that were taken. */
enum ipc_await_shadow { ADDED = IPC_MUTEX_SHADOW_WORDS, TAKEN, TOKENS };

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
