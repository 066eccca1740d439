/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_SYS_RUNNING_PAGE_H
#define FW_SYS_RUNNING_PAGE_H

/*
 * The page that tells which threads are on a CPU.  A program in the kernel (running.bpf.c) writes
 * it at each switch between threads; the library (src/sys/running.c) maps it, and only reads.
 * Design, and who learns what: doc/design/adaptive.md.
 *
 * All of it is hints.  A reader takes whatever it finds for a guess that costs time when it is
 * wrong: entries may be stale, overwritten by another thread's, or lies.
 *
 * Of a thread is told what it does only while its process is a participant: it has rung (as
 * `registration` says), and neither ended nor called exec since.  A forked child rings
 * for itself.
 */
#ifndef __bpf__
#include <stdint.h>
typedef uint32_t fw_assist_u32;
typedef uint64_t fw_assist_u64;
#else
typedef __u32 fw_assist_u32;
typedef __u64 fw_assist_u64;
#endif

/* The file system that holds the pins, and the page's name there. */
#define FW_ASSIST_MOUNT "/run/furwock/assist"
#define FW_ASSIST_PIN FW_ASSIST_MOUNT "/page"

#define FW_ASSIST_MAGIC 0x74736973736b7766ull /* "fwkssist", read from the lowest byte */
#define FW_ASSIST_VERSION 1u

/* prctl(FW_ASSIST_RING, FW_ASSIST_VERSION, 0, 0, 0) fails with EINVAL, and is seen all the same. */
#define FW_ASSIST_RING 0x66777201

#define FW_ASSIST_CPUS 1024u
#define FW_ASSIST_ENTRIES 65536u

/* How a process becomes a participant. */
#define FW_ASSIST_BY_RING 1u /* by its prctl (Linux 6.14) */
#define FW_ASSIST_BY_WAIT 2u /* by waiting for itself: waitid(P_PID, getpid(), WEXITED|WNOHANG) */
#define FW_ASSIST_ALL 3u     /* every process is one */

struct fw_assist_cpu {
    fw_assist_u32 runnable; /* threads on the CPU and waiting for it, at the last switch; 0: ? */
    fw_assist_u32 switches; /* wraps around */
    fw_assist_u32 padding[14];
};

/*
 * A thread's entry.
 *
 *   bit   63 ...... 42   41 ............... 16   15 ....... 2   1   0
 *         thread id      number of the pid       switches to    state
 *         there          namespace, modulo 2^26  it, modulo 2^14
 *
 * 0: nobody's.  The upper 48 bits are the thread's tag.
 */
#define FW_ASSIST_NR_SHIFT 42
#define FW_ASSIST_NS_SHIFT 16
#define FW_ASSIST_NS_MASK 0x3ffffffull
#define FW_ASSIST_TAG (~0xffffull)
#define FW_ASSIST_SWITCH 4ull
#define FW_ASSIST_STATE 3ull
#define FW_ASSIST_SLEEPS 1ull    /* not on a CPU: it waits for something */
#define FW_ASSIST_PREEMPTED 2ull /* not on a CPU, and would run */
#define FW_ASSIST_RUNS 3ull      /* on a CPU */

struct fw_assist_page {
    fw_assist_u64 magic;
    fw_assist_u32 version;
    fw_assist_u32 stopped;      /* not 0: nobody writes here any more */
    fw_assist_u32 registration; /* FW_ASSIST_BY_RING ... */
    fw_assist_u32 padding[11];
    fw_assist_u32 participants; /* processes; not in the cache line that all spinners read */
    fw_assist_u32 unused[1007]; /* the rest of 4 KiB */
    struct fw_assist_cpu cpus[FW_ASSIST_CPUS];
    fw_assist_u64 threads[FW_ASSIST_ENTRIES];
};

/* What is the same in all entries of a thread. */
static inline fw_assist_u64 fw_assist_tag(fw_assist_u32 nr, fw_assist_u32 pid_namespace)
{
    return (fw_assist_u64)nr << FW_ASSIST_NR_SHIFT | (pid_namespace & FW_ASSIST_NS_MASK)
                                                         << FW_ASSIST_NS_SHIFT;
}

/* Where its entry is.  Threads of successive ids do not share cache lines. */
static inline fw_assist_u32 fw_assist_index(fw_assist_u32 nr, fw_assist_u32 pid_namespace)
{
    fw_assist_u32 line = nr + pid_namespace * 7919u;

    return (line & (FW_ASSIST_ENTRIES / 8 - 1)) * 8 + (nr >> 13 & 7);
}

#endif
