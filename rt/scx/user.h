/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_SCX_USER_H
#define FW_RT_SCX_USER_H

#include "rt/internal.h"
#include "rt/scx/page.h"

/*
 * The library's side of tier B.  Slots and locks of the scheduler are not those of the group: a
 * task's page lies at its slot, and `desc` has the scheduler's number of each lock of the group.
 */
struct fw_rt_scx {
    const struct fw_rt_scx_state *state;
    struct fw_rt_scx_page *pages; /* of this user, by slot */
    struct fw_rt_scx_shared *shared;
    const volatile char *permits; /* of this user, by slot; NULL: nobody has asked for them */
    uint32_t user;
    uint64_t group; /* the group's number, for the scheduler */
    uint8_t desc[FW_RT_LOCKS];
};

/* What the library keeps in the shared page's `left`, after the scheduler's end. */
enum {
    FW_RT_SCX_DIED = 1, /* the last owner has died, and nobody has been told yet */
    FW_RT_SCX_TOLD = 2  /* of a death that the scheduler had found, somebody has been told */
};

static inline bool fw_rt_scx_is_alive_(const struct fw_rt_scx *scx)
{
    return fw_load32_acquire(&scx->state->state.alive) != 0;
}

static inline uint32_t fw_rt_scx_slot_(const struct fw_rt_task *t)
{
    return (uint32_t)(t->page - t->group->scx->pages);
}

/*
 * user.c: asks the scheduler by the task's page.  Its answer, 0 or an errno; ENDED: there is no
 * scheduler any more, and it has not answered.
 */
enum { FW_RT_SCX_ENDED = -1 };
int fw_rt_scx_ask_(struct fw_rt_task *t, uint32_t op);

/* Is it one of PCP-DU-PF's? */
static inline bool fw_rt_scx_has_permit_(const struct fw_rt_task *t, uint32_t d)
{
    return t->state->lock[d].protocol == FW_RT_PCP_DU_PF;
}

/*
 * fault.c: permits.  need_permits: before the task opens its first such lock; 0, ENOTSUP.
 * pass_permit:  marks the lock; true: the task has it, false: it is to ask.  unmark: it has it no
 * more.
 */
int fw_rt_scx_need_permits_(struct fw_rt_task *t);
void fw_rt_scx_unmap_permits_(struct fw_rt_scx *scx);
bool fw_rt_scx_read_permit_(struct fw_rt_task *t, uint32_t desc);
void fw_rt_scx_unmark_(struct fw_rt_task *t, uint32_t desc);

/* ended.c: what goes on without the scheduler.  The caller has set no `op`. */
int fw_rt_scx_late_ceiling_(struct fw_rt_task *t, uint32_t d, bool try);
int fw_rt_scx_late_queue_(struct fw_rt_task *t, uint32_t d); /* it is in the queue */
int fw_rt_scx_late_try_queue_(struct fw_rt_task *t, uint32_t d);
void fw_rt_scx_late_pass_on_(struct fw_rt_task *t, uint32_t d); /* others are in the queue */
void fw_rt_scx_late_wake_(struct fw_rt_task *t);

#endif
