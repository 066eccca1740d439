/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_WAITS_CALL_BPF_H
#define FW_BPF_WAITS_CALL_BPF_H

#include "bpf/waits/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * The system call that a thread is in, from the registers that it came into the kernel with.  Which
 * of the two layouts the kernel has is known when the program is loaded; the other one's code is
 * dropped then.  (A 32-bit program on x86-64 has other numbers, and is not seen.)
 */
struct call {
    long number;
    __u64 first, second, third;
};

enum { FUTEX_WAITV = 449, FUTEX_WAKE_2 = 454, FUTEX_WAIT_2 = 455, FUTEX_REQUEUE_2 = 456 };
enum { X86_FUTEX = 202, X86_RESTART = 219, X86_EXIT = 60, X86_EXIT_GROUP = 231 };
enum { ARM64_FUTEX = 98, ARM64_RESTART = 128, ARM64_EXIT = 93, ARM64_EXIT_GROUP = 94 };

enum {
    OP_WAIT = 0,
    OP_WAKE = 1,
    OP_REQUEUE = 3,
    OP_CMP_REQUEUE = 4,
    OP_WAKE_OP = 5,
    OP_LOCK_PI = 6,
    OP_UNLOCK_PI = 7,
    OP_WAIT_BITSET = 9,
    OP_WAKE_BITSET = 10,
    OP_WAIT_REQUEUE_PI = 11,
    OP_CMP_REQUEUE_PI = 12,
    OP_LOCK_PI2 = 13,
    OP_PRIVATE = 128,
    OP_REALTIME = 256
};

#define OPS_THAT_WAIT                                                              \
    (1u << OP_WAIT | 1u << OP_WAIT_BITSET | 1u << OP_LOCK_PI | 1u << OP_LOCK_PI2 | \
     1u << OP_WAIT_REQUEUE_PI)
#define OPS_THAT_WAKE                                                             \
    (1u << OP_WAKE | 1u << OP_WAKE_BITSET | 1u << OP_WAKE_OP | 1u << OP_REQUEUE | \
     1u << OP_CMP_REQUEUE | 1u << OP_UNLOCK_PI | 1u << OP_CMP_REQUEUE_PI)

#define IS_X86 bpf_core_field_exists(((struct pt_regs___x86 *)0)->orig_ax)

static __always_inline bool has_op(__u64 op, __u32 ops)
{
    __u64 command = op & ~(__u64)(OP_PRIVATE | OP_REALTIME);

    return command < 32 && (1u << command & ops) != 0;
}

static __always_inline struct call call_of(struct task_struct *task)
{
    long regs = bpf_task_pt_regs(task);
    struct call c = {.number = -1};

    if (IS_X86) {
        struct pt_regs___x86 *r = (void *)regs;
        c.number = r->orig_ax;
        c.first = r->di;
        c.second = r->si;
        c.third = r->dx;
    } else {
        struct pt_regs___arm64 *r = (void *)regs;
        c.number = r->syscallno;
        c.first = r->orig_x0;
        c.second = r->regs[1];
        c.third = r->regs[2];
    }
    return c;
}

/*
 * Does the thread wait in a futex call?  *address, *op: on which word, and how.  Of futex_waitv the
 * first word stands for all.  A call that is restarted (after a signal or a stop) still has its
 * arguments, but so have others: only a private futex is told from those.
 */
static __always_inline bool waits_in(const struct call *c, __u64 *address, __u32 *op)
{
    if (c->number == (IS_X86 ? X86_FUTEX : ARM64_FUTEX) ||
        (c->number == (IS_X86 ? X86_RESTART : ARM64_RESTART) && (c->second & OP_PRIVATE))) {
        *address = c->first;
        *op = c->second;
        return has_op(c->second, OPS_THAT_WAIT) && c->first != 0 && (c->first & 3) == 0;
    }
    if (c->number == FUTEX_WAIT_2) {
        *address = c->first;
        *op = OP_WAIT_BITSET;
        return true;
    }
    if (c->number == FUTEX_WAITV) {
        *op = OP_WAIT;
        return bpf_probe_read_user(address, sizeof *address, (char *)c->first + 8) == 0;
    }
    return false;
}

/* Is the thread in a call that wakes?  The end of a thread wakes who joins it. */
static __always_inline bool wakes_in(const struct call *c)
{
    if (c->number == (IS_X86 ? X86_FUTEX : ARM64_FUTEX))
        return has_op(c->second, OPS_THAT_WAKE);
    return c->number == FUTEX_WAKE_2 || c->number == FUTEX_REQUEUE_2 ||
           c->number == (IS_X86 ? X86_EXIT : ARM64_EXIT) ||
           c->number == (IS_X86 ? X86_EXIT_GROUP : ARM64_EXIT_GROUP);
}

#endif
