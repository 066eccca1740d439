/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "bpf/sched/tick.h"

#include "bpf/sched/others.h"

struct tick {
    struct bpf_timer timer;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct tick);
} ticks SEC(".maps");

/* SCHED3, on CPUs that have no reason of their own to decide. */
static int on_tick(void *map, uint32_t *key, struct tick *tick)
{
    struct fw_rt_scx_state *w = get_state();
    int i;

    if (!w)
        return 0;
    FW_RT_EACH(i, FW_RT_TASKS)
    {
        struct fw_rt_task_record *c = &w->state.task[i];
        if (c->state == FW_RT_LIVE &&
            (c->request != 0 || side[i].away || (lost_slots & fw_rt_bit(i))))
            ask(c->cpu);
    }
    fw_wake_idle();
    bpf_timer_start(&tick->timer, TICK, 0);
    return 0;
}

void fw_tick_start(void)
{
    uint32_t first = 0;
    struct tick *tick = bpf_map_lookup_elem(&ticks, &first);

    if (!tick || bpf_timer_init(&tick->timer, &ticks, CLOCK_MONOTONIC) != 0)
        return;
    bpf_timer_set_callback(&tick->timer, on_tick);
    bpf_timer_start(&tick->timer, TICK, 0);
}
