/* SPDX-License-Identifier: Dual MIT/GPL */
#ifndef FW_BPF_SCHED_INSIDE_H
#define FW_BPF_SCHED_INSIDE_H

/* What the parts of the scheduler, in the kernel, have in common: memory, and the way to it. */
#include "bpf/sched/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/*
 * Loops: the verifier must see neither where a loop begins (else it walks through all rounds one by
 * one) nor that it never ends: "may goto" leaves it after millions of rounds, which do not occur.
 * What it had known of the index, it forgets there; so that is compared afterwards, as unsigned.
 */
static volatile uint32_t zero;

#define MAY_GO_ON()                                                                                \
    ({                                                                                             \
        __label__ leave, go_on;                                                                    \
        _Bool may = 1;                                                                             \
        /* Its offset is the lower half of a word of 32 bits: clang knows how to fill in those. */ \
        __asm__ volatile goto("1: .byte 0xe5, 0; .long ((%l[leave] - 1b - 8) / 8) & 0xffff; "      \
                              ".short 0" ::                                                        \
                                  :                                                                \
                              : leave);                                                            \
        goto go_on;                                                                                \
    leave:                                                                                         \
        may = 0;                                                                                   \
    go_on:;                                                                                        \
        may;                                                                                       \
    })
/*
 * clang is not to make pointers that move along out of indices; and after the leap the verifier
 * does not know any more that the upper half of the register is 0.
 */
#define IS_BELOW(i, n)                         \
    ({                                         \
        __asm__ volatile("%0 = %0" : "+w"(i)); \
        (uint32_t)(i) < (uint32_t)(n);         \
    })
#define FW_RT_EACH(i, n) for (i = (int)zero; MAY_GO_ON() && IS_BELOW(i, n); i++)
#define FW_RT_HIDE(n) barrier_var(n)
#define FW_RT_DECISION static __always_inline __attribute__((unused))

#include "rt/decide.h"
#include "rt/scx/page.h"

/* Queues: one for each slot (its number), one for others that may go anywhere, one for each CPU. */
#define QUEUE_OTHERS 0x1000ull
#define QUEUE_PINNED(cpu) (0x2000ull + (cpu))

#define MS 1000000ull
#define SLICE (10 * MS)                  /* after which a task's place is looked at anew */
#define SLICE_OTHERS FW_RT_SCX_OTHERS_NS /* of threads that are no tasks */
#define SLICE_TURN FW_RT_SCX_TURN_NS     /* that a blocked task has to look, and to die */
#define TURN_EVERY FW_RT_SCX_TURN_EVERY_NS
#define RELIEF_EVERY FW_RT_SCX_OTHERS_EVERY_NS
#define RELIEF_WITHIN FW_RT_SCX_OTHERS_WITHIN_NS /* the watchdog's are 30 s */
#define KICKS 8u        /* for one reason; should the kernel not let the CPU decide */
#define TICK (100 * MS) /* of the timer that sees to it where nobody else does */

/* The loader fills it in. */
const volatile struct {
    uint32_t has_set_slice, unused;
    uint64_t permit_at;
} config = {0};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct fw_rt_scx_state);
} state SEC(".maps");

struct pages_of_user {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, FW_RT_SCX_PAGES);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(struct fw_rt_scx_page));
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, FW_RT_SCX_GRANTS);
    __type(key, uint32_t);
    __array(values, struct pages_of_user);
} pages SEC(".maps");

/* Of a thread that is a task: its slot plus 1. */
struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, uint32_t);
} slots SEC(".maps");

/* What the scheduler alone knows of a slot. */
struct side {
    uint32_t grant;
    uint32_t is_queued; /* waits in a queue: does not compete for the CPU */
    uint32_t is_fresh;  /* has become runnable, and its CPU has not been told */
    uint32_t away;
    uint32_t elsewhere; /* runs on another CPU than its own, until the kernel has moved it (SCX1) */
    uint64_t turn_ns;   /* last time that it was let through although it is blocked */
    uint64_t program;   /* of its thread when it joined: another one's is no task */

    /* permits.h */
    uint32_t leave;        /* that it was dispatched with, to lock by its permit: enum leave */
    uint32_t wants_permit; /* its permit is to be open */
    uint32_t is_ready;     /* its works have been made */
    uint32_t works;        /* that have been asked for and have not begun: a bit each */
};
enum leave {
    NO_LEAVE,
    LEAVE,
    LEAVE_LOST
}; /* LOST: it runs, and has more than was noted (PERMIT4) */
struct side side[FW_RT_TASKS];

/*
 * A bit for each slot: its task is no more, and not reaped yet; it could run.  For each lock: its
 * next owner is to hear EOWNERDEAD.
 */
uint64_t lost_slots, runnable_slots, died_locks;

/* A bit for each lock under PCP-DU-PF.  By grant: for each slot with an open permit (permits.h). */
uint64_t permit_locks, open_permits[FW_RT_SCX_GRANTS];

/* Held around all that tasks of several CPUs change; by nobody who could be preempted. */
uint32_t sched_lock;

struct cpu_side {
    uint64_t others_ns; /* since when others wait behind tasks; 0: they do not */
    uint64_t served_ns; /* when one of them came in last, for however short a time; 0: none waits */
    uint64_t turn_ns;   /* when a task had a turn although it is blocked */
    uint32_t is_asked;  /* something has changed since the last decision; and kicks for it */
    uint32_t others_now; /* which queue of the others' goes first: they alternate */
    uint32_t is_leaving; /* it goes offline, or is */
    uint64_t asked_ns;   /* since when it is to decide; 0: it is not */
    uint64_t note;       /* number of the note that its next decision ends; 0: none */
} __attribute__((aligned(64)));
struct cpu_side cpu_sides[FW_RT_CPUS];

static __always_inline struct fw_rt_scx_state *get_state(void)
{
    uint32_t first = 0;

    return bpf_map_lookup_elem(&state, &first);
}

static __always_inline void *get_page(uint32_t grant, uint32_t index)
{
    void *of_user = bpf_map_lookup_elem(&pages, &grant);

    return of_user ? bpf_map_lookup_elem(of_user, &index) : NULL;
}

static __always_inline struct fw_rt_scx_page *page_of(uint32_t slot)
{
    return get_page(side[slot % FW_RT_TASKS].grant, slot);
}

static __always_inline struct fw_rt_scx_shared *shared_of(uint32_t slot)
{
    return get_page(side[slot % FW_RT_TASKS].grant, FW_RT_SCX_SHARED);
}

static __always_inline uint32_t slot_of(struct task_struct *p)
{
    uint32_t *slot = bpf_task_storage_get(&slots, p, NULL, 0);

    return slot ? *slot - 1 : FW_RT_NONE;
}

/* What came before is seen before what comes after, on CPUs that would swap them, too. */
static __always_inline void fence(void)
{
    volatile uint32_t word = 0; /* of our own: it costs no other CPU anything */

    __sync_lock_test_and_set(&word, 0);
}

/*
 * Has it been taken?  If not (a hypervisor has stopped who has it), nothing may be done now; who
 * asks for something asks again.
 */
static __always_inline bool sched_trylock(void)
{
    bool is_taken = false;
    int i;

    FW_RT_EACH(i, 1u << 20)
    {
        is_taken = __sync_lock_test_and_set(&sched_lock, 1) == 0;
        if (is_taken)
            break;
    }
    return is_taken;
}

static __always_inline void sched_unlock(void)
{
    __sync_lock_test_and_set(&sched_lock, 0);
}

/*
 * Kicks are sent by an interrupt of the CPU that asks for them.  One that is going offline may
 * never take it, and then the kernel waits for that without end when the scheduler is stopped.
 */
static __always_inline void kick(uint32_t cpu, uint64_t flags)
{
    if (!cpu_sides[bpf_get_smp_processor_id() % FW_RT_CPUS].is_leaving)
        scx_bpf_kick_cpu(cpu, flags);
}

/* The CPU is to decide anew. */
static __always_inline void ask(uint32_t cpu)
{
    struct cpu_side *its = &cpu_sides[cpu % FW_RT_CPUS];

    if (*(volatile uint64_t *)&its->asked_ns == 0)
        __sync_val_compare_and_swap(&its->asked_ns, 0, bpf_ktime_get_ns());
    __sync_lock_test_and_set(&its->is_asked, 1); /* fw_dispatch's partner */
    kick(cpu, SCX_KICK_PREEMPT);
}

/* What the task has done since it was dispatched; what lies in its page is the user's word. */
static __always_inline void note(struct fw_rt_scx_state *w, uint32_t slot,
                                 struct fw_rt_scx_page *page)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];
    volatile struct fw_rt_scx_page *its = page;
    uint64_t with_permit = permit_locks & c->opened, marked = its->marked & with_permit;
    uint32_t unlocked = its->unlocked;

    if (c->request != 0)
        marked &= ~fw_rt_bit(c->request - 1);
    if (side[slot % FW_RT_TASKS].leave == NO_LEAVE)
        marked &= c->held;
    if (unlocked) /* the task may be at it, on another CPU */
        unlocked = __sync_lock_test_and_set(&page->unlocked, 0);
    fw_rt_note(&w->state, slot, (its->locked & c->opened & ~with_permit) | marked, unlocked != 0);
    c->jobs = page->jobs;
    c->misses = page->misses;
}

static __always_inline bool is_open(uint32_t slot)
{
    uint32_t grant = side[slot % FW_RT_TASKS].grant % FW_RT_SCX_GRANTS;

    return (*(volatile uint64_t *)&open_permits[grant] & fw_rt_bit(slot)) != 0;
}

/* Takes back the leave to lock by itself, and takes note of what it has made of it so far. */
static __always_inline void withdraw(struct fw_rt_scx_state *w, uint32_t slot,
                                     struct fw_rt_scx_page *page)
{
    __sync_fetch_and_and(&page->locked, ~FW_RT_CAN_LOCK);
    note(w, slot, page);
}

/*
 * SCX1.  Before the task runs: what it may do without asking.  Nothing by itself where it is not on
 * its CPU: neither a task that is away, nor who may come back but has not been moved yet.
 */
static __always_inline void publish(struct fw_rt_scx_state *w, uint32_t slot,
                                    struct fw_rt_scx_page *page)
{
    struct side *its = &side[slot % FW_RT_TASKS];
    uint64_t opened = w->state.task[slot % FW_RT_TASKS].opened;
    bool may;

    if (its->leave == LEAVE_LOST)
        note(w, slot, page);
    may = !its->away && !its->elsewhere && fw_rt_can_lock(&w->state, slot);
    fence(); /* the locks of a task that dies are marked before they are free (reap) */
    may = may && !(opened & *(volatile uint64_t *)&died_locks);
    if (may)
        __sync_fetch_and_or(&page->locked, FW_RT_CAN_LOCK);
    else
        __sync_fetch_and_and(&page->locked, ~FW_RT_CAN_LOCK);
    may = may && (opened & permit_locks);
    its->leave = may ? LEAVE : NO_LEAVE;
    its->wants_permit = may;
    page->unlock_call = fw_rt_is_waited_for(&w->state, slot);
}

/* Is the lock one whose last owner has died?  A task that is told is the only one. */
static __always_inline uint32_t tell_died(struct fw_rt_scx_state *w, uint32_t d)
{
    struct fw_rt_lock_record *l = &w->state.lock[fw_rt_lock_index(d)];
    uint32_t died = l->died;

    l->died = 0;
    __sync_fetch_and_and(&died_locks, ~fw_rt_bit(d));
    return died ? EOWNERDEAD : 0;
}

static __always_inline void mark_died(struct fw_rt_scx_state *w, uint32_t d)
{
    w->state.lock[fw_rt_lock_index(d)].died = 1;
    __sync_fetch_and_or(&died_locks, fw_rt_bit(d));
}

/* Answers what the page asks for: `op` last, for the task may be looking, on another CPU. */
static __always_inline void answer(struct fw_rt_scx_page *page, uint32_t result)
{
    volatile struct fw_rt_scx_page *its = page;

    its->result = result;
    __sync_lock_test_and_set(&page->op, FW_RT_SCX_NOTHING);
}

/* The lock is the task's: it is told so. */
static __always_inline void give(struct fw_rt_scx_state *w, struct fw_rt_scx_page *page, uint32_t d)
{
    if (!(permit_locks & fw_rt_bit(d))) /* of a permit's the task has set the bit itself */
        __sync_fetch_and_or(&page->locked, fw_rt_bit(d));
    answer(page, tell_died(w, d));
    w->counts.grants++;
}

#endif
