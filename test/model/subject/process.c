/* SPDX-License-Identifier: MIT */
/* Memory, the agent, and sleeps: process.h. */
#include "process.h"

#include "process_lock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/futex.h>

#include "../buckets.h"
#include "../engine/model.h"
#include "await/watch.h"
#include "ipc/region/agent.h"
#include "ipc/wait.h"
#include "sys/descriptors.h"

static __thread fw_loop *loop;
static __thread bool is_late;
static uint32_t loops FW_OF_PROCESS_;

/* --- Memory --------------------------------------------------------------------------------- */

struct block {
    uint64_t size, is_used;
};

static uint64_t arena[1024] FW_OF_PROCESS_;

/* First fit, of blocks that keep their sizes. */
void *subject_process_calloc(size_t n, size_t size)
{
    uint64_t words = (n * size + 7) / 8, *at = arena;
    struct block *b = (struct block *)(void *)at;

    while (b->size != 0 && (b->is_used != 0 || b->size != words)) {
        at += 2 + b->size;
        b = (struct block *)(void *)at;
    }
    if (at + 2 + words + 2 > arena + sizeof arena / sizeof *arena)
        model_thread_fail("memory", "a process of the model needs more than %llu bytes",
                          sizeof arena, 0);
    *b = (struct block){words, 1};
    return memset(b + 1, 0, words * 8);
}

void subject_process_free(void *p)
{
    struct block *b = (struct block *)p - 1;

    if (p == NULL)
        return;
    if (b->is_used == 0)
        model_thread_fail("memory", "it is freed twice", 0, 0);
    memset(p, MODEL_DEAD, b->size * 8);
    b->is_used = 0;
}

/* --- The agent: src/ipc/region/agent.h ------------------------------------------------------ */

static uint32_t uses FW_OF_PROCESS_;
static const void *noted FW_OF_PROCESS_;
static uint32_t noted_task FW_OF_PROCESS_;
bool (*fw_ipc_hand_over_hook_)(void *lock, const struct fw_ipc_me_ *agent) FW_OF_PROCESS_;

/* Of the process that the thread is in, if that is not a process by itself. */
static bool find_shared_agent(struct fw_ipc_me_ *me)
{
    const struct fw_ipc_mapping_ *mapping = &fw_ipc_mappings_[0];

    if (model_current >= model_program->together)
        return false;
    *me = (struct fw_ipc_me_){
        .mapping = mapping, .participant = mapping->participants, .id = UINT64_C(1) << 32 | 1};
    return true;
}

void process_begin(void)
{
    struct fw_robust_ debt;
    struct fw_ipc_me_ me;

    if (loops++ != 0)
        return;
    (void)!fw_ipc_enter_((const void *)fw_ipc_mappings_[0].base, &me);
    fw_ipc_debt_begin_(&debt, &fw_ipc_mappings_[0]); /* AGT2 */
}

bool fw_ipc_agent_find_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me)
{
    if (find_shared_agent(me))
        return true;
    if (process_agent_of == NULL)
        return fw_ipc_enter_((const void *)mapping->base, me) == 0;
    *me = process_agent_of(model_current);
    return true;
}

bool fw_ipc_agent_find_nth_(const struct fw_ipc_mapping_ *mapping, unsigned n,
                            struct fw_ipc_me_ *me)
{
    return n == 0 && fw_ipc_agent_find_(mapping, me);
}

int fw_ipc_agent_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me)
{
    return fw_ipc_agent_find_(mapping, me) ? 0 : EAGAIN;
}

int fw_ipc_agent_nth_(const struct fw_ipc_mapping_ *mapping, unsigned n, struct fw_ipc_me_ *me)
{
    return n == 0 ? fw_ipc_agent_(mapping, me) : EAGAIN;
}

void fw_ipc_agent_use_(const struct fw_ipc_mapping_ *mapping)
{
    (void)mapping;
    uses++;
}

void fw_ipc_agent_unuse_(const struct fw_ipc_mapping_ *mapping)
{
    (void)mapping;
    if (uses-- == 0)
        model_thread_fail("agent", "its last use has ended twice", 0, 0);
}

void fw_ipc_agent_stop_(const struct fw_ipc_mapping_ *mapping)
{
    (void)mapping;
}

/* A process has one lock here that tasks can hold. */
void fw_ipc_agent_note_(const void *lock, uint32_t task)
{
    noted = lock;
    noted_task = task;
}

uint32_t fw_ipc_agent_names_(const void *lock)
{
    return lock == noted ? noted_task : 0;
}

void process_check_end(void)
{
    const struct block *b = (const struct block *)(const void *)arena;

    if (--loops != 0)
        return;
    if (uses != 0)
        model_thread_fail("agent", "%llu uses have not ended", uses, 0);
    for (; b->size != 0; b = (const struct block *)((const uint64_t *)(b + 1) + b->size))
        if (b->is_used != 0)
            model_thread_fail("memory", "%llu bytes have not been freed", b->size * 8, 0);
}

/* --- Its tables: process_lock.h --------------------------------------------------------------- */

void subject_process_lock(void)
{
    if (model_program->together != 0)
        model_op(OP_ENTER, &buckets_only()->inside, 8, 0, 0, 0, 0);
}

void subject_process_unlock(void)
{
    if (model_program->together != 0)
        model_op(OP_LEAVE, &buckets_only()->inside, 8, 0, 0, 0, 0);
}

/* --- Sleeping ------------------------------------------------------------------------------- */

void process_has_loop(fw_loop *made, bool late)
{
    loop = made;
    is_late = late;
}

static struct fw_watch_ *first_watch(void)
{
    return loop->regions != NULL ? fw_regions_of_(loop)->watches : NULL;
}

static bool has_first_interval(void)
{
    for (const struct fw_watch_ *w = first_watch(); w != NULL; w = w->next)
        if (w->queue.first != NULL && w->intervals == 0)
            return true;
    return false;
}

/* The clock stands; so the intervals come to it.  How many there were is of no account. */
static void end_intervals(void)
{
    for (struct fw_watch_ *w = first_watch(); w != NULL; w = w->next) {
        if (w->recheck_at == FW_NEVER_)
            continue;
        w->recheck_at = 1;
        if (w->intervals > 1)
            w->intervals = 1;
        loop->regions_at = 1;
    }
}

int fw_poll_wait_(int poll, uint64_t ns)
{
    const fw_futex_any words[] = {
        {(const uint32_t *)(uintptr_t)process_event(poll), 0, FW_FUTEX_PRIVATE},
        {(const uint32_t *)(uintptr_t)process_event(poll + 1), 0, FW_FUTEX_PRIVATE}};
    uint64_t at = model_shared.clock + ns;
    const fw_deadline end = {{(time_t)(at / 1000000000), (long)(at % 1000000000)}, CLOCK_MONOTONIC};
    int answer;

    if (is_late && has_first_interval()) {
        end_intervals();
        return ETIMEDOUT;
    }
    answer = fw_futex_wait_any(words, 2, ns == FW_POLL_FOREVER_ ? NULL : &end);
    if (answer == -ETIMEDOUT && model_program->rechecks)
        end_intervals();
    return answer == -ETIMEDOUT ? ETIMEDOUT : answer == -EINTR ? EINTR : 0;
}
