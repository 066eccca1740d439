/* SPDX-License-Identifier: MIT */
/*
 * How the threads begin and end in whose slots tasks hold locks.  Contract, and AGT1 to AGT3:
 * agent.h; states: agent_table.h.
 */
#include "ipc/region/agent.h"

#include <errno.h>
#include <stdlib.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "core/sleep.h"
#include "ipc/region/agent_table.h"
#include "sys/robust.h"
#include "sys/service_thread.h"

static fw_mutex starting = FW_MUTEX_INIT; /* held while agents are started and stopped */

/*
 * In a forked child: the parent's agents are none here.  Their ids go first, before there is a
 * second thread: it would see them beside the child's own life while the first one starts an agent.
 */
static void begin_anew(void)
{
    for (unsigned i = 0; i < FW_RANGES; i++)
        fw_store64_relaxed(&fw_ipc_agents_[i].id, 0);
    fw_mutex_init(&starting);
}

static void say_ready(struct fw_agent_ *k)
{
    fw_store32_release(&k->is_ready, 1);
    fw_futex_wake(&k->is_ready, 1, FW_FUTEX_PRIVATE);
}

static void stay(struct fw_agent_ *k)
{
    struct fw_robust_ debt;

    fw_store32_relaxed(&k->me.participant->waits_how, FW_IPC_AGENT);
    fw_robust_announce_(&debt, &k->mapping->head->alarm); /* AGT2 */
    fw_store64_release(&k->id, k->me.id);
    say_ready(k);
    while (fw_load32_acquire(&k->is_told) == 0)
        fw_sleep_(&k->is_told, 0, FW_FUTEX_PRIVATE, NULL);
    fw_robust_withdraw_(&debt);
}

static void *keep(void *agent)
{
    struct fw_agent_ *k = agent;

    k->error = fw_ipc_enter_slow_((const void *)k->mapping->base, &k->me);
    if (k->error != 0) {
        say_ready(k);
        return NULL;
    }
    stay(k);
    fw_ipc_leave_(k->mapping);
    return NULL;
}

/* For the holder of `starting`. */
static int start(struct fw_agent_ *k, const struct fw_ipc_mapping_ *mapping)
{
    int error;

    fw_store64_relaxed(&k->id, 0);
    fw_store32_relaxed(&k->uses, 0);
    fw_store32_relaxed(&k->is_told, 0);
    fw_store32_relaxed(&k->is_ready, 0);
    fw_store64_relaxed(&k->generation, mapping->generation);
    fw_store64_relaxed(&k->life, fw_life_());
    k->mapping = mapping;
    k->next = NULL; /* (after a fork: the parent's) */
    error = fw_service_thread_start_(&k->thread, "fw-agent", keep, k);
    if (error != 0)
        return EAGAIN;
    while (fw_load32_acquire(&k->is_ready) == 0)
        fw_sleep_(&k->is_ready, 0, FW_FUTEX_PRIVATE, NULL);
    if (k->error != 0)
        fw_service_thread_join_(k->thread);
    return k->error;
}

/* For the holder of `starting`: one more behind the last. */
static int start_another(struct fw_agent_ *last, const struct fw_ipc_mapping_ *mapping)
{
    struct fw_agent_ *k = calloc(1, sizeof *k);
    int error = k != NULL ? start(k, mapping) : EAGAIN;

    if (error == 0)
        __atomic_store_n(&last->next, k, __ATOMIC_RELEASE);
    else
        free(k);
    return error;
}

/* Starts the next of those that there are. */
static __attribute__((cold, noinline)) int start_slow_(const struct fw_ipc_mapping_ *mapping,
                                                       unsigned n)
{
    static bool is_watching;
    struct fw_agent_ *k = &fw_ipc_agents_[mapping->index];
    struct fw_ipc_me_ me;
    int error = 0;

    fw_mutex_lock(&starting);
    if (!is_watching)
        fw_at_fork_(begin_anew);
    is_watching = true;
    if (!fw_agent_is_here_(k, mapping)) {
        error = start(k, mapping);
    } else if (!fw_ipc_agent_find_nth_(mapping, n, &me)) {
        while (k->next != NULL)
            k = k->next;
        error = start_another(k, mapping);
    }
    fw_mutex_unlock(&starting);
    return error;
}

int fw_ipc_agent_nth_(const struct fw_ipc_mapping_ *mapping, unsigned n, struct fw_ipc_me_ *me)
{
    int error = n < FW_AGENTS_MAX_ ? 0 : EAGAIN;

    while (error == 0 && !fw_ipc_agent_find_nth_(mapping, n, me))
        error = start_slow_(mapping, n);
    return error;
}

int fw_ipc_agent_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me)
{
    return fw_ipc_agent_nth_(mapping, 0, me);
}

static void stop(struct fw_agent_ *k)
{
    fw_store32_release(&k->is_told, 1);
    fw_futex_wake(&k->is_told, 1, FW_FUTEX_PRIVATE);
    fw_service_thread_join_(k->thread);
    fw_store64_relaxed(&k->id, 0);
}

static void stop_others(struct fw_agent_ *first)
{
    struct fw_agent_ *k;

    while ((k = first->next) != NULL) {
        stop(k);
        first->next = k->next;
        free(k);
    }
}

void fw_ipc_agent_stop_(const struct fw_ipc_mapping_ *mapping)
{
    struct fw_agent_ *k = &fw_ipc_agents_[mapping->index];

    fw_mutex_lock(&starting);
    if (fw_agent_is_here_(k, mapping) && fw_load32_acquire(&k->uses) == 0) {
        stop_others(k);
        stop(k);
    }
    fw_mutex_unlock(&starting);
}
