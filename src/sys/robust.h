/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ROBUST_H
#define FW_SYS_ROBUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "sys/fork.h"

/*
 * Lock words of which the kernel knows: when a thread dies, by whatever cause, the kernel looks at
 * the words that the thread has announced (set_robust_list(2)), and where one holds the thread's
 * id, puts FW_ROBUST_DIED in its place and wakes one who sleeps there.
 *
 * Such a word is the kernel's:
 *   bits 0-29   the kernel thread id of the owner, 0: none
 *   bit 30      FW_ROBUST_DIED: the owner died, and left undone what it was about to do
 *   bit 31      FW_ROBUST_WAITERS: somebody may sleep on the word
 *
 * A thread has one robust list, the C library's.  It is not touched, except for the one field in
 * which a thread announces the word that it is about to take or to give back: announced before the
 * first, withdrawn after the last, a word needs no place in the list.  The C library uses that
 * field in its own calls on robust mutexes, so what was in it is put back: a signal handler may
 * have interrupted one.
 */
#define FW_ROBUST_OWNER UINT32_C(0x3fffffff)
#define FW_ROBUST_DIED (UINT32_C(1) << 30)
#define FW_ROBUST_WAITERS (UINT32_C(1) << 31)

/* The head of the list, as the kernel has it. */
struct fw_robust_head_ {
    uintptr_t first; /* of the list, or this head, where it is empty */
    intptr_t offset; /* from an entry to its word, in bytes */
    uintptr_t pending;
};

/* What a thread knows about itself, since `life` (sys/fork.h). */
struct fw_robust_thread_ {
    uint64_t life;
    struct fw_robust_head_ *head;
    uint32_t id;
    uint32_t
        depth; /* words announced, one inside the other: more than one in signal handlers only */
    uint8_t entry; /* from a word to its entry in the list, in bytes; 0: there is no room for it */
    bool leads_back; /* the head: a pointer before it leads to the last entry, as glibc has it */
};

extern __thread struct fw_robust_thread_ fw_robust_thread_
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Finds out what the thread must know.  Safe in signal handlers and after any kind of fork. */
void fw_robust_register_(void);

/* One announcement, on the caller's stack. */
struct fw_robust_ {
    uint32_t id;      /* of the calling thread */
    uint32_t depth;   /* 1, or more in a signal handler that interrupted another announcement */
    uintptr_t before; /* what was pending */
};

/* The calling thread's kernel id; after a fork, the new one. */
static inline uint32_t fw_robust_self_(void)
{
    if (__builtin_expect(!fw_life_is_(fw_robust_thread_.life), 0))
        fw_robust_register_();
    return fw_robust_thread_.id;
}

/* The same; 0 where that has to be found out first: for fast paths, which call nothing. */
static inline uint32_t fw_robust_known_(void)
{
    return __builtin_expect(fw_life_is_(fw_robust_thread_.life), 1) ? fw_robust_thread_.id : 0;
}

/* In a link to a word: it is a lock with priority inheritance.  The kernel hands these over. */
#define FW_ROBUST_INHERITS UINT32_C(1)

/* fw_robust_announce_as_, of a thread that knows its id. */
static inline void fw_robust_announce_known_(struct fw_robust_ *r, const uint32_t *word,
                                             uint32_t tag, uint32_t id)
{
    struct fw_robust_thread_ *me = &fw_robust_thread_;

    r->id = id;
    r->before = me->head->pending;
    r->depth = ++me->depth;
    *(volatile uintptr_t *)&me->head->pending =
        ((uintptr_t)word - (uintptr_t)me->head->offset) | tag;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the kernel looks when this thread runs no more */
}

/*
 * Announces the word, with FW_ROBUST_INHERITS or 0.  To be withdrawn by the same thread, last come,
 * first gone.
 */
static inline void fw_robust_announce_as_(struct fw_robust_ *r, const uint32_t *word, uint32_t tag)
{
    fw_robust_announce_known_(r, word, tag, fw_robust_self_());
}

static inline void fw_robust_announce_(struct fw_robust_ *r, const uint32_t *word)
{
    fw_robust_announce_as_(r, word, 0);
}

static inline void fw_robust_withdraw_(const struct fw_robust_ *r)
{
    struct fw_robust_thread_ *me = &fw_robust_thread_;

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile uintptr_t *)&me->head->pending = r->before;
    me->depth = r->depth - 1;
}

/*
 * Enters a word into the thread's robust list, from which the kernel learns of it however long it
 * is held, or takes it out again.  The list is the C library's: its entries are doubly linked, and
 * an entry lies where the library has it in its own robust mutexes, seen from the word.  So the
 * caller keeps FW_ROBUST_ROOM_ bytes, from the word on, of which the list has 24: a place that
 * depends on the library, behind the first 16.  The memory must stay until the word is taken out,
 * or the thread has ended.
 *
 * link: false: no list, or one of another shape; the kernel will not know.  unlink: false: the word
 * is still in the list, for it or what leads to it has been written over: its memory must stay.
 */
enum { FW_ROBUST_ROOM_ = 40 };
bool fw_robust_link_(uint32_t *word);
bool fw_robust_unlink_(uint32_t *word);

/*
 * The same for a word in memory that others can write to, and that may be unmapped then.  They can
 * have made up entries wherever they can write, and taken others out, whose pointers would lead to
 * memory that is gone.  False also where that cannot be ruled out.
 *   may_lead_to  may this other entry of the list be there (`size` bytes at `begin`: the entry and
 *                the pointer before it)?
 *   behind       where the caller keeps what came right behind that entry when it was entered
 *                (fw_robust_first_), and unlink what does since; NULL: nobody else can write to it
 */
struct fw_robust_rule_ {
    bool (*may_lead_to)(uintptr_t begin, size_t size, const void *arg);
    uintptr_t *(*behind)(uintptr_t entry);
    const void *arg;
};
bool fw_robust_unlink_from_(uint32_t *word, const struct fw_robust_rule_ *rule);

/* What comes right behind an entry that is entered now. */
static inline uintptr_t fw_robust_first_(void)
{
    return fw_robust_thread_.head->first & ~(uintptr_t)1;
}

/*
 * Is there no such thread in the caller's pid namespace any more, not even one that may still run
 * an instruction?  False where that cannot be known.  For owners whose death the kernel did not
 * mark: it has no robust lists (an emulator), or the thread had announced something else.
 */
bool fw_robust_is_gone_(uint32_t id);

/* The same of a thread that was there at `since` (fw_start_now_): or is it another by now? */
bool fw_robust_is_gone_since_(uint32_t id, uint64_t since);

/* May there be such a thread in the calling process, which may still run an instruction? */
bool fw_robust_is_here_(uint32_t id);

/* fw_pid_namespace_, asked for once: a process never leaves its own; a child may be in another. */
uint64_t fw_robust_namespace_(void);

#endif
