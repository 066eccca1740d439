/* SPDX-License-Identifier: MIT */
/*
 * How the threads begin and end in whose slots tasks hold locks.  Contract, and KPR1 to KPR3:
 * keeper.h; states: keeper_table.h.
 */
#include "ipc/region/keeper.h"

#include <errno.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "core/sleep.h"
#include "ipc/region/keeper_table.h"
#include "sys/robust.h"
#include "sys/service_thread.h"

static fw_mutex starting = FW_MUTEX_INIT; /* held while keepers are started and stopped */

static void begin_anew(void)
{
    fw_mutex_init(&starting);
}

static void say_ready(struct fw_keeper_ *k)
{
    fw_store32_release(&k->is_ready, 1);
    fw_futex_wake(&k->is_ready, 1, FW_FUTEX_PRIVATE);
}

static void stay(struct fw_keeper_ *k)
{
    struct fw_robust_ debt;

    fw_store32_relaxed(&k->me.member->waits_how, FW_IPC_KEEPS);
    fw_robust_announce_(&debt, &k->mapping->head->alarm); /* KPR2 */
    fw_store64_release(&k->id, k->me.id);
    say_ready(k);
    while (fw_load32_acquire(&k->is_told) == 0)
        fw_sleep_(&k->is_told, 0, FW_FUTEX_PRIVATE, NULL);
    fw_robust_withdraw_(&debt);
}

static void *keep(void *keeper)
{
    struct fw_keeper_ *k = keeper;

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
static int start(struct fw_keeper_ *k, const struct fw_ipc_mapping_ *mapping)
{
    int error;

    fw_store64_relaxed(&k->id, 0);
    fw_store32_relaxed(&k->uses, 0);
    fw_store32_relaxed(&k->is_told, 0);
    fw_store32_relaxed(&k->is_ready, 0);
    fw_store64_relaxed(&k->generation, mapping->generation);
    fw_store64_relaxed(&k->life, fw_life_());
    k->mapping = mapping;
    error = fw_service_thread_start_(&k->thread, "fw-keeper", keep, k);
    if (error != 0)
        return EAGAIN;
    while (fw_load32_acquire(&k->is_ready) == 0)
        fw_sleep_(&k->is_ready, 0, FW_FUTEX_PRIVATE, NULL);
    if (k->error != 0)
        fw_service_thread_join_(k->thread);
    return k->error;
}

static __attribute__((cold, noinline)) int start_slow_(const struct fw_ipc_mapping_ *mapping)
{
    static bool is_watching;
    struct fw_keeper_ *k = &fw_ipc_keepers_[mapping->index];
    int error;

    fw_mutex_lock(&starting);
    if (!is_watching)
        fw_at_fork_(begin_anew);
    is_watching = true;
    error = fw_keeper_is_here_(k, mapping) ? 0 : start(k, mapping);
    fw_mutex_unlock(&starting);
    return error;
}

int fw_ipc_keeper_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me)
{
    int error = 0;

    while (error == 0 && !fw_ipc_keeper_find_(mapping, me))
        error = start_slow_(mapping);
    return error;
}

void fw_ipc_keeper_stop_(const struct fw_ipc_mapping_ *mapping)
{
    struct fw_keeper_ *k = &fw_ipc_keepers_[mapping->index];

    fw_mutex_lock(&starting);
    if (fw_keeper_is_here_(k, mapping) && fw_load32_acquire(&k->uses) == 0) {
        fw_store32_release(&k->is_told, 1);
        fw_futex_wake(&k->is_told, 1, FW_FUTEX_PRIVATE);
        fw_service_thread_join_(k->thread);
        fw_store64_relaxed(&k->id, 0);
    }
    fw_mutex_unlock(&starting);
}
