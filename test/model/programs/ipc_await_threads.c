/* SPDX-License-Identifier: MIT */
#include "ipc_await_threads.h"

#include <errno.h>

#include "../engine/report.h"
#include "ipc_await_calls.h"
#include "script.h"

struct ipc_await_objects ipc_await;

void ipc_await_took(unsigned self)
{
    report_remark(self, "has a unit");
    if (++*shadow(TAKEN) > *shadow(ADDED))
        model_thread_fail("made up", "%llu were taken, and only %llu were there", *shadow(TAKEN),
                          *shadow(ADDED));
}

void ipc_await_enters(unsigned self, fw_task task, int error)
{
    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    ipc_mutex_enters(self, error);
    if (error == 0)
        return;
    ipc_mutex_mends();
    if ((task != 0 ? ipc_await_in_use()->consistent(ipc_await.m, task)
                   : ipc_await_in_use()->thread_consistent(ipc_await.m)) != 0)
        model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
    ipc_mutex_is_sound();
}

void ipc_await_leaves(unsigned self, fw_task task)
{
    ipc_mutex_leaves();
    if ((task != 0 ? ipc_await_in_use()->unlock(ipc_await.m, task)
                   : ipc_await_in_use()->thread_unlock(ipc_await.m)) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    report_remark(self, "has unlocked");
}

static void enter_as_thread(unsigned self, int error)
{
    if (error != 0 && error != EOWNERDEAD)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    ipc_await_enters(self, 0, error);
}

void ipc_await_thread_locks(unsigned self, const fw_deadline *deadline)
{
    int error = ipc_await_in_use()->thread_lock(ipc_await.m, &script_blocking, deadline);

    if (error == ETIMEDOUT && deadline != NULL)
        return;
    enter_as_thread(self, error);
    ipc_mutex_count();
    ipc_await_leaves(self, 0);
}

void ipc_await_thread_gets(unsigned self)
{
    int error = ipc_await_in_use()->thread_lock(ipc_await.m, &script_blocking, NULL);

    for (;;) {
        enter_as_thread(self, error);
        ipc_mutex_count();
        if (*shadow(TOKENS) != 0)
            break;
        ipc_mutex_leaves();
        error = ipc_await_in_use()->thread_wait(ipc_await.c, ipc_await.m, &script_blocking, NULL);
    }
    --*shadow(TOKENS);
    ipc_await_leaves(self, 0);
}

void ipc_await_thread_puts(unsigned self, enum ipc_await_put how)
{
    enter_as_thread(self, ipc_await_in_use()->thread_lock(ipc_await.m, &script_blocking, NULL));
    ipc_mutex_count();
    *shadow(TOKENS) += how == PUTS_ALL ? model_thread_count - 1 : 1;
    if (how == PUTS_AND_SIGNALS)
        ipc_await_in_use()->signal(ipc_await.c);
    else if (how == PUTS_ALL)
        ipc_await_in_use()->broadcast(ipc_await.c);
    ipc_await_leaves(self, 0);
    if (how == PUTS_BEFORE_SIGNAL)
        ipc_await_in_use()->signal(ipc_await.c);
}

void ipc_await_thread_takes(unsigned self)
{
    if (ipc_await_in_use()->take(ipc_await.s, &script_blocking, NULL) != 0)
        model_thread_fail("answer", "thread %llu does not get a unit", self, 0);
    ipc_await_took(self);
}

void ipc_await_thread_posts(unsigned self)
{
    ++*shadow(ADDED);
    if (ipc_await_in_use()->post(ipc_await.s, 1) != 0)
        model_thread_fail("answer", "thread %llu may not add a unit", self, 0);
}
