/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "bpf/sched/notes.h"

/* Returns its number. */
static __always_inline uint64_t put_note(struct fw_rt_scx_state *w, uint32_t cause, uint32_t cpu,
                                         uint32_t slot, uint64_t from, uint64_t to)
{
    uint64_t number = __sync_fetch_and_add(&w->noted, 1) + 1;
    struct fw_rt_scx_note *note = &w->note[(number - 1) & (FW_RT_SCX_NOTES - 1)];

    __sync_lock_test_and_set(&note->number, 0);
    note->from = from;
    note->to = to;
    note->cause = cause;
    note->cpu = cpu;
    note->slot = slot;
    __sync_lock_test_and_set(&note->number, number);
    return number;
}

int fw_notes_begin(uint32_t cause, uint32_t cpu, uint32_t slot, uint64_t now)
{
    struct fw_rt_scx_state *w = get_state();

    if (w)
        cpu_sides[cpu % FW_RT_CPUS].note = put_note(w, cause, cpu, slot, now, 0);
    return 0;
}

int fw_notes_end(uint32_t cpu, uint32_t slot, uint64_t now)
{
    struct cpu_side *its = &cpu_sides[cpu % FW_RT_CPUS];
    struct fw_rt_scx_state *w = get_state();
    uint64_t asked = *(volatile uint64_t *)&its->asked_ns, number = its->note;

    if (asked)
        asked = __sync_lock_test_and_set(&its->asked_ns, 0);
    if (!w)
        return 0;
    if (number) {
        struct fw_rt_scx_note *note = &w->note[(number - 1) & (FW_RT_SCX_NOTES - 1)];
        if (note->number == number)
            note->to = now;
        its->note = 0;
    }
    if (asked && (int64_t)(now - asked) > (int64_t)FW_RT_SCX_LATE_NS) {
        w->counts.late++;
        put_note(w, FW_RT_SCX_LATE, cpu, slot, asked, now);
    }
    return 0;
}
