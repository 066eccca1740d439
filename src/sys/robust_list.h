/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ROBUST_LIST_H
#define FW_SYS_ROBUST_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/robust.h"

/*
 * The entries of the calling thread's robust list, for robust.c and for locks that enter and leave
 * it each time, as the C library's robust mutexes do.  (The model has another header in this one's
 * place: there a list has one entry.)
 *
 * An entry is a pointer to the next one; right before it lies one to the entry before.  (glibc has
 * such a pair before its head as well, which leads to the last entry; musl has not.)
 */
struct fw_robust_entry_ {
    uintptr_t next;
};

/* The lowest bit of a pointer says that its target is a lock with priority inheritance. */
static inline struct fw_robust_entry_ *fw_robust_entry_at_(uintptr_t link)
{
    return (struct fw_robust_entry_ *)(link & ~(uintptr_t)1);
}

static inline uintptr_t *fw_robust_before_(struct fw_robust_entry_ *e)
{
    return (uintptr_t *)((uintptr_t)e - sizeof(uintptr_t)); /* e may be anything */
}

/*
 * Words change hands: the kernel has left the list of their last owner, whose thread has ended, and
 * no tool that follows threads sees that.  So the links in them are written as if others looked.
 */
static inline void fw_robust_put_(uintptr_t *link, uintptr_t to)
{
    __atomic_store_n(link, to, __ATOMIC_RELAXED);
}

/* What is behind e in the list, or the head, leads back to `to`. */
static inline void fw_robust_put_before_(struct fw_robust_entry_ *e, uintptr_t to)
{
    if ((uintptr_t)e != (uintptr_t)fw_robust_thread_.head || fw_robust_thread_.leads_back)
        fw_robust_put_(fw_robust_before_(e), to);
}

/* Of a registered thread; of no use where its `entry` is 0. */
static inline struct fw_robust_entry_ *fw_robust_entry_of_(uint32_t *word)
{
    return (struct fw_robust_entry_ *)((uintptr_t)word + fw_robust_thread_.entry);
}

/*
 * Puts the word into the list, with FW_ROBUST_INHERITS or 0.  False: there is no room for an entry.
 * The thread is registered.  The kernel follows `next` only, and looks when this thread runs no
 * more.
 */
static inline bool fw_robust_enter_(uint32_t *word, uint32_t tag)
{
    struct fw_robust_head_ *head = fw_robust_thread_.head;
    struct fw_robust_entry_ *e = fw_robust_entry_of_(word);
    struct fw_robust_entry_ *next = fw_robust_entry_at_(head->first);

    if (__builtin_expect(fw_robust_thread_.entry == 0, 0))
        return false;
    fw_robust_put_(&e->next, head->first);
    fw_robust_put_(fw_robust_before_(e), (uintptr_t)head);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile uintptr_t *)&head->first = (uintptr_t)e | tag;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fw_robust_put_before_(next, (uintptr_t)e);
    return true;
}

/*
 * Takes the word out again, as the C library does: trusts what the links say.  Nothing is done for
 * a word that was not entered.
 */
static inline void fw_robust_leave_(uint32_t *word)
{
    struct fw_robust_entry_ *e = fw_robust_entry_of_(word), *at;
    uintptr_t next;

    if (__builtin_expect(fw_robust_thread_.entry == 0, 0))
        return;
    at = fw_robust_entry_at_(*fw_robust_before_(e));
    if (__builtin_expect(at == NULL, 0))
        return;
    next = e->next;
    fw_robust_put_(&at->next, next);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fw_robust_put_before_(fw_robust_entry_at_(next), (uintptr_t)at);
    fw_robust_put_(fw_robust_before_(e), 0);
    fw_robust_put_(&e->next, 0);
}

#endif
