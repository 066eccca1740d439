/* SPDX-License-Identifier: MIT */
/*
 * Handlers of fork(3), and the generation that they count.  Contract: sys/fork.h.
 */
#include "sys/fork.h"

#include <pthread.h>
#include <stddef.h>

#include "sys/panic.h"
#include "sys/thread.h"

#define GENERATIONS 16u

/* Written in a forked child before it has a second thread; read by all. */
static uint32_t generation;
uint32_t fw_aliased_number_; /* by thread.c, which not every library has */

static void count_fork(void)
{
    generation = (generation + 1) % GENERATIONS;
}

int fw_fork_handlers_(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    return pthread_atfork(before, in_parent, in_child);
}

void fw_at_fork_(void (*in_child)(void))
{
    int error = fw_fork_handlers_(NULL, NULL, in_child);

    if (error != 0)
        fw_panic_errno_("pthread_atfork", error);
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(count_fork);
}

uint32_t fw_fork_generation_(void)
{
    return generation;
}
