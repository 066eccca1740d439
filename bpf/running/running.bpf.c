/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Keeps the page (src/sys/running_page.h) at each switch between threads.  Runs in the kernel, into
 * which loader.c loads it.
 *
 * process      meaning                      leaves it when
 * -----------  ---------------------------  -----------------------------------------------------
 * stranger     nothing is written about it  it rings, or all processes are participants
 * participant  its threads have entries     its last thread ends, or it calls exec: stranger
 *
 * entry     meaning                         who leaves it, and how
 * --------  ------------------------------  -----------------------------------------------------
 * 0         nobody's                        a participant's thread that is switched to, or from
 * RUNS      its thread is on a CPU          that thread is switched from: SLEEPS or PREEMPTED; it
 *                                           ends: 0; another of the same index: its entry
 * SLEEPS,   it is not                       that thread is switched to: RUNS; another with the same
 * PREEMPTED                                 index is switched to: its entry
 *
 * ASSIST1  An entry that a living thread has is written by the CPU that the thread is on or just
 *     leaves, with preemption off: a thread is switched to elsewhere only after it has left.  So no
 *     write needs to be atomic.  Two threads of the same index write over one another; both tags
 *     are whole, and a reader sees the other's, which tells it nothing.
 * ASSIST2  `participants` is the number of bits in `joined`: a thread that changes a bit counts it.
 * ASSIST3  Nobody else writes to the page, once its head is filled in: the loader freezes it.
 *
 * An event that the kernel loses (it runs no program inside of itself; some do not report switches
 * away from some threads, as from idle ones of all CPUs but the first) leaves an entry or a bit
 * behind: the page is a guess, and the next process of that number is a participant without having
 * rung.
 */
#include "bpf/running/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/lib/pid.bpf.h"
#include "sys/running_page.h"

#define PID_BITS 22 /* the kernel's own limit to pid_max */

char fw_license[] SEC("license") = "Dual MIT/GPL";

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct fw_assist_page);
} page SEC(".maps");

/* The only constant: the loader writes it before the program is loaded.  FW_ASSIST_BY_RING ... */
const volatile __u32 registration = FW_ASSIST_BY_RING;

volatile __u32 participants; /* processes; looked at by each switch, whoever's */
__u64 joined[(1 << PID_BITS) / 64];

/* ---- Participants ---- */

static __always_inline __u64 *word_of(int tgid)
{
    return &joined[((__u32)tgid >> 6) & (sizeof joined / sizeof *joined - 1)];
}

static __always_inline __u64 bit_of(int tgid)
{
    return 1ull << ((__u32)tgid & 63);
}

static __always_inline bool is_participant(struct task_struct *task)
{
    if (registration == FW_ASSIST_ALL)
        return task->tgid != 0 && !(task->flags & PF_KTHREAD);
    return *(volatile __u64 *)word_of(task->tgid) & bit_of(task->tgid);
}

static __always_inline struct fw_assist_page *get_page(void)
{
    __u32 first = 0;

    return bpf_map_lookup_elem(&page, &first);
}

static __always_inline void count(struct fw_assist_page *p, int change)
{
    __sync_fetch_and_add(&participants, change);
    __sync_fetch_and_add(&p->participants, change);
}

/* ---- Entries ---- */

/* The number that the thread has in its own pid namespace, and which that is; 0: it has none. */
static __always_inline __u32 number_of(struct task_struct *task, __u32 *ns)
{
    struct pid *pid = task->thread_pid;

    if (pid == 0)
        return 0;
    if (pid->level == 0) {
        *ns = pid->numbers[0].ns->ns.inum;
        return pid->numbers[0].nr;
    }

    __u64 below = fw_number_below(pid);
    *ns = below;
    return below >> 32;
}

static __always_inline fw_assist_u64 *entry_of(struct fw_assist_page *p, __u32 nr, __u32 ns)
{
    __u64 index = fw_assist_index(nr, ns);

    /* It is in range; older kernels see that only if the mask is put on last (6.1 does not). */
    barrier_var(index);
    return &p->threads[index & (FW_ASSIST_ENTRIES - 1)];
}

/* An entry that another thread has by now stays its. */
static __always_inline void switched_from(struct fw_assist_page *p, struct task_struct *task,
                                          bool would_run)
{
    __u32 ns, nr = task->flags & PF_EXITING ? 0 : number_of(task, &ns);

    if (nr == 0)
        return;

    fw_assist_u64 *entry = entry_of(p, nr, ns), tag = fw_assist_tag(nr, ns), old = *entry;
    if (old != 0 && (old & FW_ASSIST_TAG) != tag)
        return;
    *entry = tag | (old & ~FW_ASSIST_TAG & ~FW_ASSIST_STATE) |
             (would_run ? FW_ASSIST_PREEMPTED : FW_ASSIST_SLEEPS);
}

static __always_inline void switched_to(struct fw_assist_page *p, struct task_struct *task)
{
    __u32 ns, nr = task->flags & PF_EXITING ? 0 : number_of(task, &ns);

    if (nr == 0)
        return;

    fw_assist_u64 *entry = entry_of(p, nr, ns), tag = fw_assist_tag(nr, ns), old = *entry;
    *entry = tag | ((old + FW_ASSIST_SWITCH) & ~FW_ASSIST_TAG & ~FW_ASSIST_STATE) | FW_ASSIST_RUNS;
}

static __always_inline void forget(struct fw_assist_page *p, __u32 nr, __u32 ns)
{
    fw_assist_u64 *entry = entry_of(p, nr, ns);

    if (nr != 0 && (*entry & FW_ASSIST_TAG) == fw_assist_tag(nr, ns))
        *entry = 0;
}

static __always_inline void forget_thread(struct fw_assist_page *p, struct task_struct *task)
{
    __u32 ns = 0, nr = number_of(task, &ns);

    forget(p, nr, ns);
}

/* Only of participants' switches, so that little is told of others. */
static __always_inline void note_cpu(struct fw_assist_page *p, struct task_struct *next)
{
    __u32 cpu = bpf_get_smp_processor_id();

    if (cpu >= FW_ASSIST_CPUS)
        return;
    if (bpf_core_field_exists(next->se.cfs_rq) && bpf_core_field_exists(struct cfs_rq, rq))
        p->cpus[cpu].runnable = next->se.cfs_rq->rq->nr_running;
    p->cpus[cpu].switches++;
}

/* ---- Events ---- */

SEC("tp_btf/sched_switch")
int BPF_PROG(fw_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    if (participants == 0 && registration != FW_ASSIST_ALL)
        return 0;

    struct fw_assist_page *p = get_page();
    if (p == 0)
        return 0;
    if (is_participant(prev))
        switched_from(p, prev, preempt || prev->__state == TASK_RUNNING);
    if (is_participant(next)) {
        switched_to(p, next);
        note_cpu(p, next);
    }
    return 0;
}

static __always_inline void join(struct task_struct *self)
{
    struct fw_assist_page *p = get_page();
    __u64 bit = bit_of(self->tgid);

    if (p == 0 || self->tgid == 0)
        return;
    if (!(__sync_fetch_and_or(word_of(self->tgid), bit) & bit))
        count(p, 1);
    switched_to(p, self); /* it runs: it is the one who rings */
}

/* FW_ASSIST_BY_RING: kernels that have the event, from 6.14 on. */
SEC("tp_btf/task_prctl_unknown")
int BPF_PROG(fw_ring, int option, unsigned long arg)
{
    if (option == FW_ASSIST_RING && arg == FW_ASSIST_VERSION)
        join(bpf_get_current_task_btf());
    return 0;
}

/* FW_ASSIST_BY_WAIT: a process waits for itself to end, which nobody does who wants to wait. */
SEC("tp_btf/sched_process_wait")
int BPF_PROG(fw_wait, struct pid *pid)
{
    struct task_struct *self = bpf_get_current_task_btf();

    if (pid != 0 && pid == self->group_leader->thread_pid)
        join(self);
    return 0;
}

static __always_inline void leave(struct fw_assist_page *p, struct task_struct *self)
{
    __u64 bit = bit_of(self->tgid);

    if (registration != FW_ASSIST_ALL && is_participant(self) &&
        __sync_fetch_and_and(word_of(self->tgid), ~bit) & bit)
        count(p, -1);
}

/*
 * Later switches of the thread that ends leave its entry alone: it has PF_EXITING.  Its process may
 * have left already, when another thread that counted itself out after it came here first.
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(fw_exit, struct task_struct *self)
{
    struct fw_assist_page *p = get_page();

    if (p == 0)
        return 0;
    forget_thread(p, self);
    if (self->signal->live.counter == 0)
        leave(p, self);
    return 0;
}

/*
 * The program that called it is no more, and the new one has not rung.  A thread that was not the
 * first has taken the first one's number; in a pid namespace below the first one its old number is
 * not told, and that entry stays until another thread needs the entry.
 */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(fw_exec, struct task_struct *self, int old_pid)
{
    if (!is_participant(self))
        return 0;

    struct fw_assist_page *p = get_page();
    struct pid *pid = self->thread_pid;
    if (p == 0)
        return 0;
    leave(p, self); /* first: no switch writes its entry again */
    forget_thread(p, self);
    if (pid != 0 && pid->level == 0)
        forget(p, old_pid, pid->numbers[0].ns->ns.inum);
    return 0;
}

/* Run by hand, before all is taken away: readers shall not wait for what does not come. */
SEC("syscall")
int fw_stop(void *unused)
{
    struct fw_assist_page *p = get_page();

    if (p != 0)
        p->stopped = 1;
    return 0;
}
