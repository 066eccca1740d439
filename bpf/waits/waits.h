/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_WAITS_WAITS_H
#define FW_BPF_WAITS_WAITS_H

/*
 * What waits.bpf.c and its readers share: tables, which the readers have mapped, and events.
 *
 * A wait begins when a thread leaves its CPU inside of a futex call, and ends when it is on a CPU
 * again.  Calls that return without a sleep are none.  All times are CLOCK_MONOTONIC, in ns.
 */
typedef unsigned char fw_waits_u8;
typedef unsigned short fw_waits_u16;
typedef unsigned int fw_waits_u32;
typedef unsigned long long fw_waits_u64;

enum {
    FW_WAITS_PID_BITS = 22, /* the kernel's own limit to pid_max */
    FW_WAITS_SLOTS = 1 << 16,
    FW_WAITS_WAYS = 8, /* entries of a set */
    FW_WAITS_SETS = 1 << 11,
    FW_WAITS_LOCKS = FW_WAITS_SETS * FW_WAITS_WAYS,
    FW_WAITS_REGISTERS = 33,
    FW_WAITS_STACK = 4096, /* bytes of a stack, from its pointer upwards */
    FW_WAITS_OBJECT = 128  /* bytes around the futex, half of them below it */
};

/*
 * Lengths of waits: four buckets for each power of two.  The first has all below 256 ns, the last
 * all from 2^36 ns (69 s) on.
 */
enum { FW_WAITS_FIRST_BIT = 8, FW_WAITS_LAST_BIT = 36, FW_WAITS_SUB_BITS = 2 };
enum { FW_WAITS_BUCKETS = ((FW_WAITS_LAST_BIT - FW_WAITS_FIRST_BIT) << FW_WAITS_SUB_BITS) + 2 };

/* How a thread was woken. */
enum fw_waits_end {
    FW_WAITS_BY_OTHER, /* a signal, a time-out, or a wake-up that was not seen */
    FW_WAITS_BY_FUTEX, /* the waker was in a futex call that wakes, or in the end of a thread */
    FW_WAITS_ENDS
};

/* Threads: the one with TID t has slot t modulo FW_WAITS_SLOTS, if it is free. */
struct fw_waits_slot {
    fw_waits_u32 tid;   /* 0: free */
    fw_waits_u32 lock;  /* the entry; FW_WAITS_LOCKS: none was free */
    fw_waits_u64 start; /* 0: it does not wait */
    fw_waits_u64 woken; /* 0: not yet; of a wait that is no sample 1: it was */
    fw_waits_u64 address;
    fw_waits_u32 tgid;
    fw_waits_u32 waker;    /* TID; 0: not a thread that wakes by futex */
    fw_waits_u32 weight;   /* 0: no sample; else for how many waits it stands */
    fw_waits_u16 op;       /* of the futex call, as the thread gave it */
    fw_waits_u8 end;       /* enum fw_waits_end */
    fw_waits_u8 was_there; /* it waited when the program was attached: no figures */
    fw_waits_u64 reserved[2];
};

/* A lock: an address of a process. */
struct fw_waits_lock {
    fw_waits_u64 address;
    fw_waits_u32 tgid;
    fw_waits_u32 op;
    fw_waits_u64 total;     /* ns, of waits that have ended */
    fw_waits_u64 late;      /* ns: woken, and not on a CPU yet; of samples, by their weights */
    fw_waits_u64 longest;   /* ns; readers put it back to 0 */
    fw_waits_u32 by_other;  /* waits that ended so; of samples, by their weights */
    fw_waits_u32 period;    /* of how many waits one is a sample */
    fw_waits_u32 countdown; /* waits until the next sample */
    fw_waits_u32 reserved;
    fw_waits_u64 sampled; /* when the last sample was taken */
    fw_waits_u32 buckets[FW_WAITS_BUCKETS];
    fw_waits_u32 sampled_waits; /* how many ended waits the samples stand for */
    fw_waits_u32 padding;
};

/* The keys of the locks: 0 is free.  Set s has the entries s * FW_WAITS_WAYS and on. */
struct fw_waits_set {
    fw_waits_u64 key[FW_WAITS_WAYS];
};

/* What readers ask for and are told. */
struct fw_waits_control {
    fw_waits_u32 interval; /* ns between the samples of a lock, about */
    fw_waits_u32 reserved;
    /* Lost: */
    fw_waits_u64 no_slot;   /* waits: another thread has the slot */
    fw_waits_u64 no_lock;   /* waits: all entries of the set are taken */
    fw_waits_u64 no_buffer; /* events: the ring buffer was full */
};

enum fw_waits_kind {
    FW_WAITS_SLEEP = 1, /* the waiter, its stack and the object, when it goes to sleep */
    FW_WAITS_WAKE,      /* the waker and its stack */
    FW_WAITS_RUN        /* the waiter is on a CPU again */
};

/* What all events begin with: of which wait. */
struct fw_waits_event {
    fw_waits_u32 kind;
    fw_waits_u32 tid, tgid; /* of the waiter */
    fw_waits_u32 weight;
    fw_waits_u64 start; /* with tid: the wait's identity */
    fw_waits_u64 address;
    fw_waits_u32 lock;
    fw_waits_u32 op;
};

/* SLEEP and WAKE. */
struct fw_waits_stack_event {
    struct fw_waits_event of;
    fw_waits_u64 now;
    fw_waits_u32 tid, tgid;                     /* whose stack this is */
    fw_waits_u64 registers[FW_WAITS_REGISTERS]; /* by their DWARF numbers, SP included */
    fw_waits_u64 pc, sp;
    fw_waits_u64 value;       /* the call's third argument */
    fw_waits_u32 stack_size;  /* bytes that could be read */
    fw_waits_u32 object_from; /* FW_WAITS_OBJECT: nothing could be read */
    char comm[16];
    fw_waits_u8 object[FW_WAITS_OBJECT];
    fw_waits_u8 stack[FW_WAITS_STACK];
};

struct fw_waits_run_event {
    struct fw_waits_event of;
    fw_waits_u64 now;
    fw_waits_u64 woken; /* 0: unknown */
    fw_waits_u32 waker;
    fw_waits_u32 end;
};

#endif
