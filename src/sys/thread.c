/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/thread.h"

#define GENERATIONS 32u

__thread uint32_t fw_self_id_;

/* Written in a forked child before it has a second thread; read by all. */
static uint32_t fork_generation;
static uint32_t inherited_id;

static uint32_t serial;

/* In the child: the thread keeps its identity, and nobody else may have it. */
static void after_fork_in_child(void)
{
    fork_generation = (fork_generation + 1) % GENERATIONS;
    if (fw_self_id_ != 0)
        inherited_id = fw_self_id_;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

static uint32_t id_of(uint32_t number)
{
    return number << FW_ID_SHIFT | FW_ID_HELD;
}

uint32_t fw_self_init_(void)
{
    uint32_t number = (uint32_t)syscall(SYS_gettid);
    uint32_t id = id_of(number);

    if (id == inherited_id)
        id = id_of(number | FW_ID_ALIAS);
    fw_self_id_ = id;
    return id;
}

uint32_t fw_fork_generation_(void)
{
    return fork_generation;
}

uint32_t fw_serial_(void)
{
    return __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED) & 0x7fffffu;
}

bool fw_one_in_(uint32_t n)
{
    static __thread uint32_t calls;
    return ++calls % n == 0;
}
