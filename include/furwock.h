/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_H
#define FURWOCK_H

/* Everything that furwock has for the threads of one process. */
#include <furwock/any.h>
#include <furwock/await.h>
#include <furwock/barrier.h>
#include <furwock/brlock.h>
#include <furwock/cond.h>
#include <furwock/event.h>
#include <furwock/futex.h>
#include <furwock/latch.h>
#include <furwock/mutex.h>
#include <furwock/name.h>
#include <furwock/note.h>
#include <furwock/once.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>
#include <furwock/thread_safety.h>
#include <furwock/version.h>
#include <furwock/wait.h>

#endif
