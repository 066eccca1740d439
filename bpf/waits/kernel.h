/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_WAITS_KERNEL_H
#define FW_BPF_WAITS_KERNEL_H

/* As much of the kernel's types as this program reads, beside what all do. */
#include "bpf/lib/kernel.h"

enum { BPF_MAP_TYPE_RINGBUF = 27 };
enum { false, true };
enum { BPF_RB_NO_WAKEUP = 1 };

#define PF_KTHREAD 0x200000u
#define TASK_INTERRUPTIBLE 0x1u
#define TASK_WAKING 0x200u

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
    unsigned int __state;
    unsigned int flags;
    int pid, tgid;
    char comm[16];
};

/* The registers of a thread in the kernel, as it came there: of x86-64, and of AArch64. */
struct pt_regs___x86 {
    unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
    unsigned long orig_ax, ip, sp;
};

struct pt_regs___arm64 {
    __u64 regs[31];
    __u64 sp, pc;
    __u64 orig_x0;
    __s32 syscallno;
};

struct pt_regs;

/* What an iterator over all threads gets. */
struct seq_file;

struct bpf_iter_meta {
    struct seq_file *seq;
    __u64 session_id, seq_num;
};

struct bpf_iter__task {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
};

#pragma clang attribute pop

#endif
