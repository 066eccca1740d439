/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <sys/syscall.h>

#include <sys_call_arch.h>

#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/thread.h"

FW_STATIC_TLS uint32_t fw_self_id_;

/* Of a thread that acts as a task: its own identity.  Else 0. */
static FW_STATIC_TLS uint32_t own_id;

/* Written in a forked child before it has a second thread; read by all. */
static uint32_t inherited_id, inherited_task;

/* In the child: the thread keeps its identity, and nobody else may have it. */
static void after_fork_in_child(void)
{
    inherited_id = fw_thread_known_(); /* 0: it has had none so far */
    inherited_task = own_id != 0 ? fw_self_id_ : 0;
    if (inherited_id >> FW_ID_SHIFT != FW_ID_ALIAS)
        fw_aliased_number_ = inherited_id >> FW_ID_SHIFT;
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(after_fork_in_child);
}

static uint32_t id_of(uint32_t number)
{
    return number << FW_ID_SHIFT | FW_ID_HELD;
}

uint32_t fw_self_init_(void)
{
    long number = fw_system_call_(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t id = id_of((uint32_t)number);

    if (number <= 0 || number >= FW_ID_ALIAS) /* a system call filter can make it fail */
        fw_panic_errno_("gettid", (int)-number);
    if (id == inherited_id)
        id = id_of(FW_ID_ALIAS);
    fw_self_id_ = id;
    return id;
}

bool fw_is_here_(uint32_t id, uint32_t generation)
{
    return generation == fw_fork_generation_() || id == inherited_id || id == inherited_task;
}

uint32_t fw_act_as_(uint32_t task)
{
    uint32_t was = own_id != 0 ? fw_self_id_ : 0;
    uint32_t thread = fw_thread_self_();

    if (task != 0) {
        own_id = thread;
        __atomic_signal_fence(__ATOMIC_RELEASE); /* a handler finds one or the other */
        fw_self_id_ = task;
    } else {
        fw_self_id_ = thread;
        __atomic_signal_fence(__ATOMIC_RELEASE);
        own_id = 0;
    }
    return was;
}

uint32_t fw_thread_self_(void)
{
    return own_id != 0 ? own_id : fw_self_();
}

uint32_t fw_thread_known_(void)
{
    return own_id != 0 ? own_id : fw_self_id_;
}
