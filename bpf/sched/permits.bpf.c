/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Permits (PCP-DU-PF): a page of memory for each slot, which its task can read or cannot.  It has
 * the leave to lock by its permit while that is open; the kernel tells it by a fault that it is
 * not.
 *
 * A permit is turned by the task itself, in the kernel: what is asked for at a dispatch (`turn`) is
 * done by a work of the task (on_permit) before it is back in its program.
 *
 * permit   meaning                                        left by
 * -------  ---------------------------------------------  ----------------------------------------
 * closed   there is no page: a read is a fault            publish, which wants it open: opening
 * opening  a work has been asked for, or is at it         on_permit: open; where there is no
 *                                                         memory, closed; publish, withdraw:
 *                                                         closing
 * open     there is a page                                publish, withdraw, which want it closed:
 *                                                         closing; fw_exit: closed
 * closing  a work has been asked for, or is at it         on_permit: closed; publish: opening;
 *                                                         fw_exit: closed
 *
 * PERMIT1  In its program a task has an open permit only if wants_permit was set when it was
 *     dispatched.  The kernel asks the task itself to do the work as soon as the CPU that asks for
 *     it lets itself be interrupted.  A work that is at it, and interrupted, has not ended: there
 *     are two, so that another one can always be asked for.  Both have memory since the task opened
 *     its first such lock, which fails where they have none.
 * PERMIT2  A task that cannot be made to close its permit is not left to itself: the scheduler
 *     ends.
 * PERMIT3  What is set in `marked` by a task that was dispatched with leave is a lock that it has.
 *     By one that was not: a lock only if it had it before; else it is about to ask.
 * PERMIT4  A task that loses its leave while it runs elsewhere (policy, affinity) counts as having
 *     all locks that it might have, until it has been in the kernel: closed its permit, or been
 *     noted.
 * PERMIT5  After the end no permit is open, and none is opened again: fw_exit sets permit_over,
 *     then frees all pages; on_permit looks at permit_over after it has opened one.  Only then is
 *     alive 0.
 */
#include "bpf/sched/permits.h"

struct permit_work {
    struct bpf_task_work work;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 2 * FW_RT_TASKS);
    __type(key, uint32_t);
    __type(value, struct permit_work);
} permit_works SEC(".maps");

/* By grant: the permits of a user's slots. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, FW_RT_SCX_GRANTS);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(uint32_t));
} permits SEC(".maps");

uint32_t permit_over;

static __always_inline void close_permit(void *arena, uint32_t grant, uint32_t slot)
{
    bpf_arena_free_pages(arena, (void *)(config.permit_at + slot * (uint64_t)FW_RT_SCX_PAGE_SIZE),
                         1);
    __sync_fetch_and_and(&open_permits[grant % FW_RT_SCX_GRANTS], ~fw_rt_bit(slot));
}

/* Is it open now? */
static __always_inline bool open_permit(void *arena, uint32_t grant, uint32_t slot)
{
    void *page = bpf_arena_alloc_pages(
        arena, (void *)(config.permit_at + slot * (uint64_t)FW_RT_SCX_PAGE_SIZE), 1, -1, 0);

    __sync_fetch_and_or(&open_permits[grant % FW_RT_SCX_GRANTS], fw_rt_bit(slot));
    if (page && !*(volatile uint32_t *)&permit_over)
        return true;
    close_permit(arena, grant, slot);
    return false;
}

/* In the task, on its way back to its program. */
static int on_permit(struct bpf_map *map, void *key, void *value)
{
    uint32_t index = *(uint32_t *)key, slot = index / 2, grant;
    struct fw_rt_scx_state *w = get_state();
    void *arena;
    int i;

    if (slot >= FW_RT_TASKS || !w || slot_of(bpf_get_current_task_btf()) != slot)
        return 0;
    __sync_fetch_and_and(&side[slot].works, ~(1u << (index & 1)));
    grant = side[slot].grant;
    arena = bpf_map_lookup_elem(&permits, &grant);
    if (!arena)
        return 0;
    FW_RT_EACH(i, 1u << 20)
    {
        bool wants = *(volatile uint32_t *)&side[slot].wants_permit;
        if (wants == is_open(slot))
            break;
        if (!wants) {
            close_permit(arena, grant, slot);
            w->counts.closed++;
        } else if (open_permit(arena, grant, slot)) {
            w->counts.opened++;
        } else {
            w->counts.stuck++;
            break;
        }
    }
    if (side[slot].leave == LEAVE_LOST)
        ask(w->state.task[slot].cpu); /* PERMIT4 */
    return 0;
}

static __always_inline bool add_work(struct task_struct *p, uint32_t slot, uint32_t n)
{
    uint32_t index = slot * 2 + n;
    struct permit_work *work = bpf_map_lookup_elem(&permit_works, &index);
    int error;

    if (!work)
        return false;
    error = fw_schedule_work(p, &work->work, &permit_works, on_permit);
    if (error == 0)
        __sync_fetch_and_or(&side[slot % FW_RT_TASKS].works, 1u << n);
    return error == 0;
}

/* PERMIT1.  A task that exits does not go back to its program. */
void fw_turn_permit(struct task_struct *p, uint32_t slot)
{
    static char format[] = "slot %llu: a permit cannot be closed";
    unsigned long long data[1] = {slot};
    struct side *its = &side[slot % FW_RT_TASKS];

    if ((p->flags & PF_EXITING) || !its->is_ready || its->wants_permit == is_open(slot) ||
        its->works != 0)
        return;
    if (!add_work(p, slot, 0) && !add_work(p, slot, 1) && !its->wants_permit)
        scx_bpf_error_bstr(format, data, sizeof data); /* PERMIT2 */
}

/* Is a lock with a permit asked for, and are the works still to be made? */
int fw_lacks_works(uint32_t slot)
{
    volatile struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || side[slot].is_ready)
        return 0;
    page = page_of(slot);
    return page && page->op == FW_RT_SCX_OPEN && page->protocol == FW_RT_SCX_PERMIT_PROTOCOL;
}

void fw_make_works(struct task_struct *p, uint32_t slot)
{
    bool first, second;

    if (!fw_lacks_works(slot))
        return;
    first = add_work(p, slot, 0);
    second = add_work(p, slot, 1);
    side[slot % FW_RT_TASKS].is_ready = first && second;
}

/* PERMIT5 */
void fw_close_permits(void)
{
    void *arena;
    uint32_t grant;
    int i;

    __sync_lock_test_and_set(&permit_over, 1);
    FW_RT_EACH(i, FW_RT_SCX_GRANTS)
    {
        grant = i;
        arena = bpf_map_lookup_elem(&permits, &grant);
        if (arena)
            bpf_arena_free_pages(arena, (void *)config.permit_at, FW_RT_TASKS);
    }
}
