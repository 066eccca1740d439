/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_WAITS_EVENTS_BPF_H
#define FW_BPF_WAITS_EVENTS_BPF_H

/* The events that waits.bpf.c sends to its reader: of the waits that are samples. */
#include "bpf/waits/call.bpf.h"
#include "bpf/waits/tables.bpf.h"

static __always_inline void fill_head(struct fw_waits_event *e, const struct fw_waits_slot *slot,
                                      __u32 kind)
{
    e->kind = kind;
    e->tid = slot->tid;
    e->tgid = slot->tgid;
    e->weight = slot->weight;
    e->start = slot->start;
    e->address = slot->address;
    e->lock = slot->lock;
    e->op = slot->op;
}

static __always_inline void count_loss(void)
{
    struct fw_waits_control *c = get_control();

    if (c != 0)
        __sync_fetch_and_add(&c->no_buffer, 1);
}

static __always_inline void fill_registers(struct fw_waits_stack_event *e, struct task_struct *task)
{
    long regs = bpf_task_pt_regs(task);

    if (IS_X86) {
        struct pt_regs___x86 *r = (void *)regs;
        e->registers[0] = r->ax;
        e->registers[1] = r->dx;
        e->registers[2] = r->cx;
        e->registers[3] = r->bx;
        e->registers[4] = r->si;
        e->registers[5] = r->di;
        e->registers[6] = r->bp;
        e->registers[7] = e->sp = r->sp;
        e->registers[8] = r->r8;
        e->registers[9] = r->r9;
        e->registers[10] = r->r10;
        e->registers[11] = r->r11;
        e->registers[12] = r->r12;
        e->registers[13] = r->r13;
        e->registers[14] = r->r14;
        e->registers[15] = r->r15;
        e->registers[16] = e->pc = r->ip;
        e->value = r->dx;
    } else {
        struct pt_regs___arm64 *r = (void *)regs;
        for (int i = 0; i < 31; i++)
            e->registers[i] = r->regs[i];
        e->registers[31] = e->sp = r->sp;
        e->registers[32] = e->pc = r->pc;
        e->value = r->regs[2];
    }
}

/* As much as there is: a read that goes beyond the end of the stack fails as a whole. */
static __always_inline __u32 copy_stack(struct fw_waits_stack_event *e)
{
    const void *from = (const void *)e->sp;

    if (bpf_probe_read_user(e->stack, FW_WAITS_STACK, from) == 0)
        return FW_WAITS_STACK;
    if (bpf_probe_read_user(e->stack, 2048, from) == 0)
        return 2048;
    if (bpf_probe_read_user(e->stack, 1024, from) == 0)
        return 1024;
    if (bpf_probe_read_user(e->stack, 512, from) == 0)
        return 512;
    return bpf_probe_read_user(e->stack, 256, from) == 0 ? 256 : 0;
}

static __always_inline __u32 copy_object(struct fw_waits_stack_event *e, __u64 address)
{
    enum { HALF = FW_WAITS_OBJECT / 2 };

    if (bpf_probe_read_user(e->object, FW_WAITS_OBJECT, (const void *)(address - HALF)) == 0)
        return 0;
    if (bpf_probe_read_user(e->object + HALF, HALF, (const void *)address) == 0)
        return HALF;
    if (bpf_probe_read_user(e->object + HALF, 24, (const void *)address) == 0)
        return HALF;
    return FW_WAITS_OBJECT;
}

/* SLEEP: the stack of the thread that waits; WAKE: of the current one, which wakes it. */
static __noinline void send_stack(struct fw_waits_slot *slot, struct task_struct *task, __u32 kind,
                                  __u64 now)
{
    struct fw_waits_stack_event *e = bpf_ringbuf_reserve(&events, sizeof *e, 0);

    if (e == 0) {
        count_loss();
        return;
    }
    fill_head(&e->of, slot, kind);
    e->now = now;
    e->tid = task->pid;
    e->tgid = task->tgid;
    fill_registers(e, task);
    bpf_probe_read_kernel(e->comm, sizeof e->comm, task->comm);
    e->object_from = kind == FW_WAITS_SLEEP ? copy_object(e, slot->address) : FW_WAITS_OBJECT;
    e->stack_size = copy_stack(e);
    bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

static __noinline void send_run(struct fw_waits_slot *slot, __u64 now)
{
    struct fw_waits_run_event *e = bpf_ringbuf_reserve(&events, sizeof *e, 0);

    if (e == 0) {
        count_loss();
        return;
    }
    fill_head(&e->of, slot, FW_WAITS_RUN);
    e->now = now;
    e->woken = slot->woken;
    e->waker = slot->waker;
    e->end = slot->end;
    bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

#endif
