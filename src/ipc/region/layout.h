/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_LAYOUT_H
#define FW_IPC_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "sys/robust.h"

/*
 * What lies in a region (doc/design/crash-safety.md has the reasons):
 *
 *     0             head, FW_IPC_HEAD_SIZE bytes
 *     entries       the directory: names, kinds and offsets of objects
 *     participants  a slot for each thread that uses the region
 *     objects       what users see
 *
 * No address is stored, except for the robust list's own pointers in a participant's slot, which
 * only that participant's process and its kernel follow, and which are cleared when it leaves.
 */
#define FW_IPC_MAGIC UINT64_C(0x316b636f77727566) /* "furwock1", in the CPU's byte order */
#define FW_IPC_HEAD_SIZE 4096u
#define FW_IPC_REGION_MIN_SIZE 65536u
#define FW_IPC_REGION_MAX_SIZE (UINT64_C(1) << 33) /* a share has 30 bits for an offset / 8 */

struct fw_ipc_head_ {
    uint64_t magic;  /* stored last; 0: not made, or half made */
    uint32_t format; /* FW_REGION_FORMAT of the creator's library */
    uint32_t flags;  /* FW_REGION_STAMP */
    uint64_t plan;   /* size and flags in one word, stored first: head.c */
    uint64_t size;
    uint32_t entries_at, entry_count;
    uint32_t participants_at, participant_count;
    uint64_t objects_at;
    uint64_t pid_namespace; /* of the creator, for tools; 1: not known */
    uint64_t boot;          /* fw_boot_() of the creator; 1: not known */
    uint64_t check;         /* FNV-1a of all fields above, magic taken as FW_IPC_MAGIC */
    /* From here on it changes. */
    uint32_t participants_used; /* no slot beyond was ever taken */
    uint32_t alarm;             /* 0; for the kernel to wake sleepers by: wait.h */
    fw_ipc_mutex naming;        /* held while the directory is changed */
    uint64_t dirty_to;          /* free space is zeroes from here on: directory.c */
    uint32_t asked_last;        /* the slot about which the system was asked last: participant.c */
    uint32_t spare;
    uint64_t asked_until; /* up to this time the questions are used up: participant.c */
};

/* One named object.  `state` is stored last: an entry is whole, or not there. */
enum { FW_IPC_NAME_SIZE = 40 };
struct fw_ipc_entry_ {
    uint32_t state; /* 0: free, else a fw_region_kind */
    uint32_t spare;
    uint64_t at; /* from the beginning of the region */
    uint64_t size;
    char name[FW_IPC_NAME_SIZE]; /* ends with 0 */
};

/*
 * A participant: the slot of one thread that uses the region.
 *
 * `life` is one 64-bit word.  Its low half is a robust word as the kernel has them (sys/robust.h),
 * held from the thread's first call until it leaves or dies; the kernel then puts FW_ROBUST_DIED
 * there.  The high half is the generation: how many threads have had this slot.
 *
 *   low half        meaning               left by
 *   0               free                  a claim: -> id of the thread, with the next generation
 *   tid             alive                 its thread: -> tid|WAITERS, once the kernel knows the
 *                                         word; leave: -> 0; the kernel at its death: -> DIED
 *   tid|WAITERS     the same, and the     leave: -> 0, and wakes all; the kernel at its death:
 *                   kernel knows it       -> DIED|WAITERS, and wakes one of those that sleep there
 *   DIED[|WAITERS]  dead                  a claim, as above
 *
 *   SLOT1  A holder's id (slot and generation) is never used again.  So a lock word that names
 *          another generation than the slot's present one names a thread that is dead or has left.
 *   SLOT2  life changes to a thread's id in one compare-and-swap with the generation: a dead thread
 *          does not seem alive because its slot was taken.
 *   SLOT3  All that a participant writes about itself for others to act on carries its generation.
 *   SLOT4  Which slots are in the lists of its own threads, and what came right behind each, a
 *          process knows by itself: a region stays mapped, and nobody else takes the slot, whatever
 *          has been written there.
 */
#define FW_IPC_PARTICIPANT_SIZE 256u
#define FW_IPC_SHARES 16u
#define FW_IPC_FORMER 5u

struct fw_ipc_participant_ {
    uint64_t life;
    uint64_t ids;      /* process << 32 | thread, as the participant's own pid namespace has them */
    uint64_t list_[3]; /* the entry in the thread's robust list, wherever in these 24 bytes */
    uint64_t here_since;    /* it had been started by then: clock ticks since boot; 0: not known */
    uint64_t pid_namespace; /* 0: not known */
    uint64_t waits_for;     /* offset of the object that it waits for; 0: none.  For tools */
    uint64_t waits_since;   /* ns of CLOCK_MONOTONIC */
    uint32_t waits_how;  /* FW_IPC_WAITS_*; for tools; FW_IPC_AGENT: an agent, which never does */
    uint32_t asked_at;   /* when the system was last asked about it: participant.c */
    uint64_t introduced; /* the generation whose thread has filled in the fields above */
    uint64_t former[FW_IPC_FORMER]; /* those before: process << 42 | thread << 20 | generation */
    uint64_t shares[FW_IPC_SHARES]; /* what it holds together with others: src/ipc/share.h */
};

/* Of every format, so that each can say which one it has found, and whether it is in use. */
_Static_assert(offsetof(struct fw_ipc_head_, magic) == 0 &&
                   offsetof(struct fw_ipc_head_, format) == 8 &&
                   offsetof(struct fw_ipc_head_, plan) == 16 &&
                   offsetof(struct fw_ipc_head_, boot) == 64,
               "these stay where they are");
_Static_assert(sizeof(struct fw_ipc_entry_) == 64, "one cache line");
_Static_assert(sizeof(struct fw_ipc_participant_) == FW_IPC_PARTICIPANT_SIZE, "four cache lines");
_Static_assert(sizeof(struct fw_ipc_head_) <= FW_IPC_HEAD_SIZE, "the head fits");
_Static_assert(offsetof(struct fw_ipc_participant_, list_) == 16 &&
                   offsetof(struct fw_ipc_participant_, here_since) == FW_ROBUST_ROOM_,
               "where C libraries have the entry of a word, seen from the word");

/*
 * A holder, as lock words name it: slot + 1 in bits 0-15, generation in bits 32-63.  The low half
 * is what threads sleep on; its other bits are flags of the lock:
 *   bit 31  FW_IPC_WAITERS  a thread may sleep on this half
 *   bit 30  FW_IPC_DIED     the holder before died, and what it left has not been repaired
 *   bits 16-29              the lock's own; FW_IPC_TASK in a mutex: which task holds it, of those
 *                           for which the holder, an agent (agent.h), keeps locks
 */
#define FW_IPC_SLOT UINT64_C(0xffff)
#define FW_IPC_WAITERS UINT64_C(0x80000000)
#define FW_IPC_DIED UINT64_C(0x40000000)
#define FW_IPC_TASK UINT64_C(0x3fff0000)
#define FW_IPC_HOLDER (FW_IPC_SLOT | UINT64_C(0xffffffff00000000))
#define FW_IPC_ABANDONED FW_IPC_SLOT /* a slot that no region has: given up for good */
#define FW_IPC_PARTICIPANTS_MAX 4096u
#define FW_IPC_AGENT 0x6b656570u /* "keep": agent.h */

#endif
