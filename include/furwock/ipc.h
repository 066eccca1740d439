/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_H
#define FURWOCK_IPC_H

/* Everything that furwock has for processes that share memory. */
#include <furwock/ipc/await.h>
#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/interrupt.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/named.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>
#include <furwock/ipc/state.h>
#include <furwock/version.h>

#endif
