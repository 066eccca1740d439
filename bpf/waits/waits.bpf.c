/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Counts and times what threads wait for in futex calls, from two events of the kernel's scheduler.
 * Runs in the kernel, into which program.c loads it, and ends with the process that has loaded it.
 *
 * slot     meaning                          who leaves it, and how
 * -------  -------------------------------  -----------------------------------------------------
 * idle     start is 0                       a thread that goes to sleep in a futex call: asleep;
 *                                           the iterator finds one that sleeps: asleep, was_there
 * asleep   woken is 0                       who wakes it: woken; its CPU, when it runs: idle
 *                                           (the time only of a sample: a clock costs 80 ns there)
 * woken    it waits for a CPU               its CPU, when it runs: idle
 *
 * WAITS1  A slot is written by the CPU that its thread leaves or comes to; `woken`, `waker` and
 *     `end` by the one that wakes it, which is in between.  A waker that comes before `start` is
 *     visible to it is not noted: the wait has its length, and no waker.
 * WAITS2  A key, once put into a set, is taken out by the reader only, when its process has ended.
 * WAITS3  Figures of a lock are added atomically; `longest`, `countdown` and `period` are not, and
 *     may lose one of two writes at the same time.
 */
#include "bpf/waits/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/waits/call.bpf.h"
#include "bpf/waits/events.bpf.h"
#include "bpf/waits/tables.bpf.h"

char fw_license[] SEC("license") = "Dual MIT/GPL";

/* ---- A wait begins ---- */

/*
 * Is this wait a sample?  Returns for how many it stands, or 0.  The period is doubled or halved
 * until samples of the lock come about as often as is asked for; the next one is drawn, so that it
 * does not follow the program's own rhythm.
 */
static __always_inline __u32 draw(struct fw_waits_lock *lock, __u64 now)
{
    __u32 left = lock->countdown;

    if (left > 1) {
        lock->countdown = left - 1;
        return 0;
    }

    struct fw_waits_control *c = get_control();
    __u32 period = lock->period;
    if (c == 0)
        return 0;
    __u32 interval = c->interval, weight = period;
    __u64 since = now - lock->sampled;
    if (since < interval && period < 1u << 20)
        period *= 2;
    else if (since > 4ull * interval && period > 1)
        period /= 2;
    lock->sampled = now;
    lock->period = period;
    lock->countdown = 1 + ((now * 0x9e3779b97f4a7c15ull) >> 40 & (2 * period - 2));
    return weight != 0 ? weight : 1;
}

static __always_inline void begin(struct task_struct *task, __u64 now, __u64 address, __u32 op)
{
    __u32 tid = task->pid, tgid = task->tgid;
    struct fw_waits_slot *slot = slot_of(tid);
    struct fw_waits_lock *lock;

    if (slot == 0)
        return;
    if (slot->tid != tid && slot->start != 0) {
        struct fw_waits_control *c = get_control();
        if (c != 0)
            __sync_fetch_and_add(&c->no_slot, 1);
        return;
    }
    if (slot->tid != tid || slot->address != address || slot->lock == FW_WAITS_LOCKS ||
        slot->tgid != tgid) {
        slot->tid = tid;
        slot->tgid = tgid;
        slot->address = address;
        slot->lock = find_lock(address, tgid, op);
    }
    slot->op = op;
    slot->woken = 0;
    slot->waker = 0;
    slot->end = FW_WAITS_BY_OTHER;
    slot->was_there = 0;

    __u32 index = slot->lock;
    lock = bpf_map_lookup_elem(&locks, &index);
    slot->weight = lock != 0 ? draw(lock, now) : 0;
    slot->start = now;
    if (slot->weight != 0)
        send_stack(slot, task, FW_WAITS_SLEEP, now);
}

/* ---- A wait ends ---- */

static __always_inline __u32 bucket_of(__u64 ns)
{
    __u64 rest = ns;
    __u32 bit = 0;

    if (ns >> FW_WAITS_FIRST_BIT == 0)
        return 0;
    if (ns >> FW_WAITS_LAST_BIT != 0)
        return FW_WAITS_BUCKETS - 1;
    if (rest >> 32) {
        bit += 32;
        rest >>= 32;
    }
    if (rest >> 16) {
        bit += 16;
        rest >>= 16;
    }
    if (rest >> 8) {
        bit += 8;
        rest >>= 8;
    }
    if (rest >> 4) {
        bit += 4;
        rest >>= 4;
    }
    if (rest >> 2) {
        bit += 2;
        rest >>= 2;
    }
    bit += rest >> 1;
    return 1 + ((bit - FW_WAITS_FIRST_BIT) << FW_WAITS_SUB_BITS) +
           (ns >> (bit - FW_WAITS_SUB_BITS) & ((1 << FW_WAITS_SUB_BITS) - 1));
}

static __always_inline void add(const struct fw_waits_slot *slot, __u64 now)
{
    __u32 index = slot->lock;
    struct fw_waits_lock *lock = bpf_map_lookup_elem(&locks, &index);
    __u64 ns = now - slot->start, woken = slot->woken;

    if (lock == 0) {
        struct fw_waits_control *c = get_control();
        if (c != 0)
            __sync_fetch_and_add(&c->no_lock, 1);
        return;
    }

    __u32 bucket = bucket_of(ns);
    if (bucket < FW_WAITS_BUCKETS)
        __sync_fetch_and_add(&lock->buckets[bucket], 1);
    __sync_fetch_and_add(&lock->total, ns);
    if (ns > lock->longest)
        lock->longest = ns;
    if (slot->weight == 0)
        return;
    if (woken != 0)
        __sync_fetch_and_add(&lock->late, (now - woken) * slot->weight);
    if (slot->end == FW_WAITS_BY_OTHER)
        __sync_fetch_and_add(&lock->by_other, slot->weight);
    __sync_fetch_and_add(&lock->sampled_waits, slot->weight);
}

static __always_inline void end(struct fw_waits_slot *slot, __u64 now)
{
    if (!slot->was_there)
        add(slot, now);
    if (slot->weight != 0)
        send_run(slot, now);
    slot->start = 0;
}

/* ---- The kernel's events ---- */

/* 0, or what is waited for: the thread leaves its CPU, in a futex call, and not because it must. */
static __always_inline bool sleeps_in_futex(struct task_struct *task, __u64 *address, __u32 *op)
{
    /* TASK_WAKING: another CPU has begun to wake it already. */
    if (!(task->__state & (TASK_INTERRUPTIBLE | TASK_WAKING)))
        return false;

    struct call c = call_of(task);
    return waits_in(&c, address, op);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(fw_waits_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    __u64 now = 0, address;
    __u32 op;

    if (!preempt && is_observed(prev) && sleeps_in_futex(prev, &address, &op)) {
        now = bpf_ktime_get_ns();
        begin(prev, now, address, op);
    }

    struct fw_waits_slot *slot = slot_in_use(next);
    if (slot != 0)
        end(slot, now != 0 ? now : bpf_ktime_get_ns());
    return false;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(fw_waits_waking, struct task_struct *task)
{
    struct fw_waits_slot *slot = slot_in_use(task);

    if (slot == 0 || slot->woken != 0)
        return 0;

    if (slot->weight == 0) {
        slot->woken = 1;
        return 0;
    }

    struct task_struct *self = bpf_get_current_task_btf();
    __u64 now = bpf_ktime_get_ns();
    struct call c = {.number = -1};
    slot->woken = now;
    if (!(self->flags & PF_KTHREAD))
        c = call_of(self);
    if (!wakes_in(&c) || ((__u32)self->tgid != slot->tgid && (slot->op & OP_PRIVATE)))
        return 0; /* of another process: an interrupt woke it, of a timer perhaps */
    slot->waker = self->pid;
    slot->end = FW_WAITS_BY_FUTEX;
    send_stack(slot, self, FW_WAITS_WAKE, now);
    return 0;
}

/* Run once, when the others are attached: who waits already? */
SEC("iter/task")
int fw_waits_find(struct bpf_iter__task *of)
{
    struct task_struct *task = of->task;
    __u64 address;
    __u32 op;

    if (task == 0 || !is_observed(task) || !sleeps_in_futex(task, &address, &op))
        return false;

    struct fw_waits_slot *slot = slot_of(task->pid);
    if (slot == 0 || slot->start != 0)
        return false;
    slot->tid = task->pid;
    slot->tgid = task->tgid;
    slot->address = address;
    slot->lock = find_lock(address, task->tgid, op);
    slot->op = op;
    slot->woken = 0;
    slot->weight = 0;
    slot->was_there = 1;
    slot->start = bpf_ktime_get_ns();
    return false;
}
