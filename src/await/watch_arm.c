/* SPDX-License-Identifier: MIT */
/*
 * What a watch has in the kernel, and for how long it waits before it looks by itself.  Contract,
 * and AWI1 to AWI6: region.h.
 */
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "await/watch.h"
#include "core/recheck.h"
#include "ipc/wait.h"
#include "sys/clock.h"

/* Intervals end at multiples of this, so that a loop with many watches looks at many at once. */
#define TICK_NS UINT64_C(10000000)

/* --- Intervals: AWI3 -------------------------------------------------------------------------- */

void fw_watch_note_recheck_(const struct fw_watch_ *w)
{
    if (w->recheck_at != FW_NEVER_ &&
        (w->loop->regions_at == 0 || w->recheck_at < w->loop->regions_at))
        w->loop->regions_at = w->recheck_at;
    if (w->loop->has_poller && !w->loop->is_running)
        fw_loop_arm_(w->loop); /* else when it has been run */
}

void fw_watch_begin_interval_(struct fw_watch_ *w, uint64_t ns)
{
    fw_store64_relaxed(&w->recheck_ns, ns);
    w->recheck_at = (fw_clock_ns_() + ns + TICK_NS - 1) / TICK_NS * TICK_NS;
    fw_watch_note_recheck_(w);
}

void fw_watch_begin_anew_(struct fw_watch_ *w)
{
    w->intervals = 0;
    fw_watch_begin_interval_(w, FW_RECHECK_IPC_NS);
}

void fw_watch_idle_(struct fw_watch_ *w)
{
    if (w->recheck_ns > FW_RECHECK_IPC_NS)
        fw_watch_begin_anew_(w);
}

/* --- Arming ----------------------------------------------------------------------------------- */

static void arm(struct fw_watch_ *w, struct fw_kernel_wait_ *wait, unsigned role,
                const uint32_t *word, uint32_t expected)
{
    wait->role = (uint8_t)role;
    wait->owner = w;
    fw_engine_arm_(fw_engine_of_(w), wait, word, expected);
}

static bool is_life_armed(const struct fw_watch_ *w, const uint32_t *life)
{
    for (unsigned i = 0; i < FW_LOOK_HOLDERS_; i++)
        if (w->lives[i].is_armed && w->lives[i].word == life)
            return true;
    return false;
}

static struct fw_kernel_wait_ *unarmed_life(struct fw_watch_ *w)
{
    for (unsigned i = 0; i < FW_LOOK_HOLDERS_; i++)
        if (!w->lives[i].is_armed)
            return &w->lives[i];
    return NULL; /* those that come back are looked for, and then armed */
}

static void arm_life(struct fw_watch_ *w, const struct fw_look_ *look, uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(w->mapping, holder);
    struct fw_kernel_wait_ *wait;
    uint64_t life;

    if (m == NULL || holder == look->agent->id || is_life_armed(w, fw_ipc_life_half_(m)))
        return;
    life = fw_load64_acquire(&m->life);
    /* F:ipc-await-late-life */
    if (life >> 32 != holder >> 32 || (life & FW_ROBUST_OWNER) == 0) { /* it has died now */
        w->recheck_at = fw_clock_ns_();
        fw_watch_note_recheck_(w);
    } else if ((life & FW_ROBUST_WAITERS) == 0) {
        w->is_blind = true;
    } else if ((wait = unarmed_life(w)) != NULL) {
        arm(w, wait, FW_ROLE_LIFE_, fw_ipc_life_half_(m), (uint32_t)life);
    }
}

static bool is_looked_at(const struct fw_watch_ *w, const struct fw_look_ *look,
                         const uint32_t *life)
{
    for (uint32_t i = 0; i < look->n; i++) {
        const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(w->mapping, look->holders[i]);
        if (m != NULL && fw_ipc_life_half_(m) == life)
            return true;
    }
    return false;
}

/* The lives of those who hold it, in place of those who did. */
static void arm_lives(struct fw_watch_ *w, const struct fw_look_ *look)
{
    for (unsigned i = 0; i < FW_LOOK_HOLDERS_; i++)
        if (w->lives[i].is_armed && !is_looked_at(w, look, w->lives[i].word))
            fw_engine_disarm_(fw_engine_of_(w), &w->lives[i]);
    for (uint32_t i = 0; i < look->n; i++)
        arm_life(w, look, look->holders[i]); /* F:ipc-await-unwatched */
}

static void arm_alarm(struct fw_watch_ *w)
{
    struct fw_region_alarm_ *a = fw_alarm_of_(w);

    if (a->wait.is_armed)
        return;
    a->wait.role = FW_ROLE_ALARM_;
    a->wait.is_alarm = true;
    a->wait.owner = a;
    a->mapping = w->mapping;
    a->is_new = fw_regions_of_(w->loop)->has_new_alarm = true; /* AWI6 */
    fw_ipc_agent_use_(w->mapping); /* the memory stays until it has come back */
    fw_engine_arm_(fw_engine_of_(w), &a->wait, &w->mapping->head->alarm, 0);
}

/* Where it waits elsewhere it comes back first; the look that follows arms it anew. */
static void arm_at(struct fw_watch_ *w, struct fw_kernel_wait_ *wait, unsigned role,
                   const struct fw_look_ *look, const uint32_t *word, uint32_t expected)
{
    if (!wait->is_armed)
        arm(w, wait, role, word, expected);
    else if (wait->word != word || look->was_moved)
        fw_engine_disarm_(fw_engine_of_(w), wait);
}

void fw_watch_arm_(struct fw_watch_ *w, const struct fw_look_ *look)
{
    w->is_blind = false;
    w->is_partial = look->is_partial;
    if (!w->word.is_armed)
        w->beside_then = look->beside_expected;
    /* AWI1  F:ipc-await-late-word */
    arm_at(w, &w->word, FW_ROLE_WORD_, look, look->word, look->expected);
    if (look->beside != NULL)
        arm_at(w, &w->beside, FW_ROLE_BESIDE_, look, look->beside, look->beside_expected);
    if (w->intervals != 0) {
        arm_lives(w, look);
        arm_alarm(w); /* F:ipc-await-deaf */
    }
    if (w->recheck_at == 0 || w->recheck_at == FW_NEVER_)
        fw_watch_begin_anew_(w);
}

bool fw_watch_is_unused_(const struct fw_watch_ *w)
{
    for (unsigned i = 0; i < FW_LOOK_HOLDERS_; i++)
        if (w->lives[i].is_armed)
            return false;
    return !w->word.is_armed && !w->beside.is_armed && w->pins == 0;
}

void fw_watch_disarm_(struct fw_watch_ *w)
{
    fw_engine_disarm_(fw_engine_of_(w), &w->word);
    fw_engine_disarm_(fw_engine_of_(w), &w->beside);
    for (unsigned i = 0; i < FW_LOOK_HOLDERS_; i++)
        fw_engine_disarm_(fw_engine_of_(w), &w->lives[i]);
}
