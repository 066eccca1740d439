/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_MEMORY_H
#define FW_BPF_SCHED_MEMORY_H

/* The memory that the parts of the scheduler have in common, and the way to it. */
#include "bpf/sched/loop.h"

#include "rt/scx/page.h"

/* Queues: one for each slot (its number), one for others that may go anywhere, one for each CPU. */
#define QUEUE_OTHERS 0x1000ull
#define QUEUE_PINNED(cpu) (0x2000ull + (cpu))

#define MS 1000000ull
#define SLICE (10 * MS)                  /* after which its CPU decides anew */
#define SLICE_OTHERS FW_RT_SCX_OTHERS_NS /* of threads that are no tasks */
#define SLICE_TURN FW_RT_SCX_TURN_NS     /* that a blocked task has to look, and to die */
#define TURN_EVERY FW_RT_SCX_TURN_EVERY_NS
#define RELIEF_EVERY FW_RT_SCX_OTHERS_EVERY_NS
#define RELIEF_WITHIN FW_RT_SCX_OTHERS_WITHIN_NS /* the watchdog's are 30 s */
#define KICKS 8u        /* for one reason; should the kernel not let the CPU decide */
#define TICK (100 * MS) /* of the timer that sees to it where nobody else does */

/* The loader fills it in (program.c). */
struct fw_sched_config {
    uint32_t has_set_slice, has_permits;
    uint64_t permit_at;
};
extern const volatile struct fw_sched_config config;

struct fw_map_of_state {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct fw_rt_scx_state);
};
extern struct fw_map_of_state state SEC(".maps");

struct fw_pages_of_user {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, FW_RT_SCX_PAGES);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(struct fw_rt_scx_page));
};
struct fw_map_of_pages {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, FW_RT_SCX_GRANTS);
    __type(key, uint32_t);
    __array(values, struct fw_pages_of_user);
};
extern struct fw_map_of_pages pages SEC(".maps");

/* Of a thread that is a task: its slot plus 1. */
struct fw_map_of_slots {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, uint32_t);
};
extern struct fw_map_of_slots slots SEC(".maps");

/* What the scheduler alone knows of a slot. */
struct side {
    uint32_t grant;
    uint32_t is_queued; /* waits in a queue: does not compete for the CPU */
    uint32_t is_fresh;  /* has become runnable, and its CPU has not been told */
    uint32_t away;
    uint32_t elsewhere; /* runs on another CPU than its own, until the kernel has moved it (SCX1) */
    uint64_t turn_ns;   /* last time that it was let through although it is blocked */
    uint64_t program;   /* of its thread when it joined: another one's is no task */

    /* permits.bpf.c */
    uint32_t leave;        /* that it was dispatched with, to lock by its permit: enum leave */
    uint32_t wants_permit; /* its permit is to be open */
    uint32_t is_ready;     /* its works have been made */
    uint32_t works;        /* that have been asked for and have not begun: a bit each */
};
enum leave {
    NO_LEAVE,
    LEAVE,
    LEAVE_LOST /* it runs, and has more than was noted (PERMIT4) */
};
extern struct side side[FW_RT_TASKS];

/*
 * A bit for each slot: its task is no more, and not reaped yet; it could run.  For each lock: its
 * next owner is to hear EOWNERDEAD.
 */
extern uint64_t lost_slots, runnable_slots, died_locks;

/*
 * A bit for each lock under PCP-DU-PF.  By grant: for each slot with an open permit (see
 * permits.bpf.c).
 */
extern uint64_t permit_locks, open_permits[FW_RT_SCX_GRANTS];

/* Held around all that tasks of several CPUs change; by nobody who could be preempted. */
extern uint32_t sched_lock;

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
extern struct cpu_side cpu_sides[FW_RT_CPUS];

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
        fw_kick_cpu(cpu, flags);
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

static __always_inline bool is_open(uint32_t slot)
{
    uint32_t grant = side[slot % FW_RT_TASKS].grant % FW_RT_SCX_GRANTS;

    return (*(volatile uint64_t *)&open_permits[grant] & fw_rt_bit(slot)) != 0;
}

#endif
