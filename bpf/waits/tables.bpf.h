/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_WAITS_TABLES_BPF_H
#define FW_BPF_WAITS_TABLES_BPF_H

/* The tables of waits.bpf.c, and how entries are found. */
#include "bpf/waits/kernel.h"

#include <bpf/bpf_helpers.h>

#include "bpf/waits/waits.h"

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, FW_WAITS_SLOTS);
    __type(key, __u32);
    __type(value, struct fw_waits_slot);
} slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, FW_WAITS_LOCKS);
    __type(key, __u32);
    __type(value, struct fw_waits_lock);
} locks SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, FW_WAITS_SETS);
    __type(key, __u32);
    __type(value, struct fw_waits_set);
} sets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, (1 << FW_WAITS_PID_BITS) / 64);
    __type(key, __u32);
    __type(value, __u64);
} observed SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct fw_waits_control);
} control SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 23);
} events SEC(".maps");

const volatile bool all_processes;

static __always_inline struct fw_waits_control *get_control(void)
{
    __u32 first = 0;

    return bpf_map_lookup_elem(&control, &first);
}

static __always_inline bool is_observed(struct task_struct *task)
{
    __u32 tgid = task->tgid, word = tgid >> 6;

    if (all_processes)
        return !(task->flags & PF_KTHREAD);
    __u64 *bits = bpf_map_lookup_elem(&observed, &word);
    return bits != 0 && (*bits >> (tgid & 63) & 1) != 0;
}

static __always_inline struct fw_waits_slot *slot_of(__u32 tid)
{
    __u32 index = tid & (FW_WAITS_SLOTS - 1);

    return bpf_map_lookup_elem(&slots, &index);
}

/* The slot of a thread that waits, or NULL. */
static __always_inline struct fw_waits_slot *slot_in_use(struct task_struct *task)
{
    __u32 tid = task->pid;
    struct fw_waits_slot *slot = slot_of(tid);

    return slot != 0 && slot->tid == tid && slot->start != 0 ? slot : 0;
}

static __always_inline __u32 enter_lock(__u64 *keys, __u32 first, __u64 key, __u64 address,
                                        __u32 tgid, __u32 op)
{
    for (__u32 i = 0; i < FW_WAITS_WAYS; i++) {
        __u64 found = keys[i];

        if (found == 0)
            found = __sync_val_compare_and_swap(&keys[i], 0, key);
        if (found != 0 && found != key)
            continue;
        __u32 index = first + i;
        struct fw_waits_lock *lock = bpf_map_lookup_elem(&locks, &index);
        if (lock == 0)
            break;
        if (found == 0) { /* it is new */
            lock->tgid = tgid;
            lock->op = op;
            lock->period = 1;
            lock->address = address;
        }
        return index;
    }
    return FW_WAITS_LOCKS;
}

/* The entry of a lock, a new one if it has none; FW_WAITS_LOCKS: none is free. */
static __always_inline __u32 find_lock(__u64 address, __u32 tgid, __u32 op)
{
    __u64 key = (address ^ (__u64)tgid << 40 ^ tgid) * 0x9e3779b97f4a7c15ull | 1;
    __u32 set = key >> (64 - 11);
    struct fw_waits_set *s = bpf_map_lookup_elem(&sets, &set);

    _Static_assert(FW_WAITS_SETS == 1 << 11, "the shift above");
    if (s == 0)
        return FW_WAITS_LOCKS;
    for (__u32 i = 0; i < FW_WAITS_WAYS; i++)
        if (s->key[i] == key)
            return set * FW_WAITS_WAYS + i;
    return enter_lock(s->key, set * FW_WAITS_WAYS, key, address, tgid, op);
}

#endif
