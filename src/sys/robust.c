/* SPDX-License-Identifier: MIT */
/*
 * The kernel's robust list of the calling thread.  Contract: sys/robust.h.
 */
#include "sys/robust.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys_call_arch.h>

#include "sys/fork.h"
#include "sys/origin.h"
#include "sys/panic.h"
#include "sys/robust_list.h"
#include "sys/thread.h"

__thread struct fw_robust_thread_ fw_robust_thread_
    __attribute__((tls_model("initial-exec"))) = {.life = FW_LIFE_NONE_};

/* For a thread that has no list: another C library's, or one that was made by clone alone. */
static __thread struct fw_robust_head_ own_head __attribute__((tls_model("initial-exec")));

/* From an entry of our own list to its word: as with glibc, and as the lines have room for. */
#define OWN_OFFSET (-32)

/* The thread's list: the one it has, or ours; where the kernel has none, at least a place. */
static struct fw_robust_head_ *find_head(void)
{
    struct fw_robust_head_ *head = NULL;
    size_t size = 0;
    long error = fw_system_call_(SYS_get_robust_list, 0, (long)(intptr_t)&head,
                                 (long)(intptr_t)&size, 0, 0, 0);

    if (error == 0 && head != NULL && size == sizeof *head)
        return head;
    own_head.first = (uintptr_t)&own_head;
    own_head.offset = 0; /* no line has room for such entries: nothing enters it */
    /* Where it cannot be asked for, the C library may have one, which would be lost. */
    if (error == 0 && fw_system_call_(SYS_set_robust_list, (long)(intptr_t)&own_head,
                                      sizeof own_head, 0, 0, 0, 0) == 0)
        own_head.offset = OWN_OFFSET;
    return &own_head;
}

/* Reads a pointer that may be anything.  False: there is no memory. */
static bool peek(uintptr_t address, uintptr_t *value)
{
    struct iovec to = {value, sizeof *value}, from = {(void *)address, sizeof *value};
    long got = fw_system_call_(SYS_process_vm_readv, (long)fw_process_id_(), (long)(intptr_t)&to, 1,
                               (long)(intptr_t)&from, 1, 0);

    if (got != -ENOSYS && got != -EPERM)
        return got == (long)sizeof *value;
    *value = *(const uintptr_t *)address; /* a filter forbids the call: trust */
    return true;
}

/* Longer than any list that the kernel follows (ROBUST_LIST_LIMIT). */
enum { LIST_MOST = 2048 };

/* Does the head have a pointer before it, to the last entry? */
static bool leads_back(struct fw_robust_head_ *head)
{
    uintptr_t last = (uintptr_t)head, next = head->first;

    for (unsigned i = 0; i < LIST_MOST && (uintptr_t)fw_robust_entry_at_(next) != (uintptr_t)head;
         i++) {
        last = (uintptr_t)fw_robust_entry_at_(next);
        if (!peek(last, &next))
            return false;
    }
    return head != &own_head && *fw_robust_before_(fw_robust_entry_at_((uintptr_t)head)) == last;
}

/* Of the bytes that the caller keeps from a word on: where its entry is, if that is in them. */
static uint8_t room_for_entry(const struct fw_robust_head_ *head)
{
    intptr_t from_word = -head->offset;

    return from_word - (intptr_t)sizeof(uintptr_t) >= 16 &&
                   from_word + (intptr_t)sizeof(uintptr_t) <= FW_ROBUST_ROOM_
               ? (uint8_t)from_word
               : 0;
}

_Static_assert(sizeof(struct fw_robust_head_) == 3 * sizeof(long), "the kernel's layout");

__attribute__((cold, noinline)) void fw_robust_register_(void)
{
    struct fw_robust_thread_ *me = &fw_robust_thread_;
    uint64_t life = fw_life_();
    long id = fw_system_call_(SYS_gettid, 0, 0, 0, 0, 0, 0);

    if (id <= 0 || (uint32_t)id > FW_ROBUST_OWNER) /* a system call filter can make it fail */
        fw_panic_errno_("gettid", (int)-id);
    me->id = (uint32_t)id;
    me->head = find_head();
    me->leads_back = leads_back(me->head);
    me->entry = room_for_entry(me->head);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler that comes before this does it as well */
    me->life = life;
}

static struct fw_robust_head_ *own_list(void)
{
    if (!fw_life_is_(fw_robust_thread_.life))
        fw_robust_register_();
    return fw_robust_thread_.head;
}

/* NULL: the list has no room for it. */
static struct fw_robust_entry_ *entry_of(uint32_t *word)
{
    return fw_robust_thread_.entry != 0 ? fw_robust_entry_of_(word) : NULL;
}

bool fw_robust_link_(uint32_t *word)
{
    own_list();
    return fw_robust_enter_(word, 0);
}

static bool may_be(const struct fw_robust_rule_ *rule, struct fw_robust_entry_ *e)
{
    return rule == NULL ||
           rule->may_lead_to((uintptr_t)fw_robust_before_(e), 2 * sizeof(uintptr_t), rule->arg);
}

/* Where it is kept what came right behind e; NULL: nobody else can write to e. */
static uintptr_t *behind(const struct fw_robust_rule_ *rule, const struct fw_robust_entry_ *e)
{
    return rule == NULL ? NULL : rule->behind((uintptr_t)e);
}

/* e leads to it: is nothing between them that was taken out of the list by who can write to e? */
static bool is_next(const struct fw_robust_head_ *head, const struct fw_robust_entry_ *e,
                    const struct fw_robust_entry_ *next, const struct fw_robust_rule_ *rule)
{
    const uintptr_t *first = behind(rule, e);

    /* Whatever enters the list does so before all others. */
    if (first == NULL || __atomic_load_n(first, __ATOMIC_RELAXED) == (uintptr_t)next)
        return true;
    if ((uintptr_t)next == (uintptr_t)head)
        return fw_robust_thread_.leads_back &&
               *fw_robust_before_(fw_robust_entry_at_((uintptr_t)head)) == (uintptr_t)e;
    return behind(rule, next) == NULL; /* and it leads back: follows */
}

/*
 * The entry before, found from the head on: what e says itself may have been written over, since it
 * lies in memory that others can write to.  NULL: e is not in the list, or cannot be reached.
 */
static struct fw_robust_entry_ *find_before(struct fw_robust_head_ *head,
                                            const struct fw_robust_entry_ *e,
                                            const struct fw_robust_rule_ *rule)
{
    struct fw_robust_entry_ *at = (struct fw_robust_entry_ *)(void *)&head->first;
    uintptr_t next = head->first;

    for (unsigned i = 0; i < LIST_MOST && fw_robust_entry_at_(next) != e; i++) {
        at = fw_robust_entry_at_(next);
        if ((uintptr_t)at == (uintptr_t)head || !may_be(rule, at) || !peek((uintptr_t)at, &next))
            return NULL;
    }
    return fw_robust_entry_at_(next) == e && is_next(head, at, e, rule) ? at : NULL;
}

/*
 * May `next` be what follows e?  What is there leads back to e; and on to the end, through nothing
 * that others can have made up.
 */
static bool follows(const struct fw_robust_head_ *head, const struct fw_robust_entry_ *e,
                    uintptr_t next, const struct fw_robust_rule_ *rule)
{
    uintptr_t back = 0;

    if (!is_next(head, e, fw_robust_entry_at_(next), rule))
        return false;
    if ((uintptr_t)fw_robust_entry_at_(next) == (uintptr_t)head)
        return true;
    if (!peek((uintptr_t)fw_robust_before_(fw_robust_entry_at_(next)), &back) ||
        back != (uintptr_t)e)
        return false;
    for (unsigned i = 0; i < LIST_MOST; i++) {
        if (!may_be(rule, fw_robust_entry_at_(next)) ||
            !peek((uintptr_t)fw_robust_entry_at_(next), &next))
            return false;
        if ((uintptr_t)fw_robust_entry_at_(next) == (uintptr_t)head)
            return true;
    }
    return false;
}

bool fw_robust_unlink_from_(uint32_t *word, const struct fw_robust_rule_ *rule)
{
    struct fw_robust_head_ *head = own_list();
    struct fw_robust_entry_ *e = entry_of(word);
    struct fw_robust_entry_ *at = e != NULL ? find_before(head, e, rule) : NULL;
    uintptr_t *first, next;

    if (at == NULL)
        return e == NULL;
    next = __atomic_load_n(&e->next, __ATOMIC_RELAXED); /* once: it may be another a moment later */
    if (!follows(head, e, next, rule))
        return false; /* written over; and the one behind, wherever it is, leads back here */
    first = behind(rule, at);
    if (first != NULL)
        fw_robust_put_(first, (uintptr_t)fw_robust_entry_at_(next));
    fw_robust_put_(&at->next, next);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fw_robust_put_before_(fw_robust_entry_at_(next), (uintptr_t)at);
    /* Those that may read it are not told where this process has its memory. */
    fw_robust_put_(fw_robust_before_(e), 0);
    fw_robust_put_(&e->next, 0);
    return true;
}

bool fw_robust_unlink_(uint32_t *word)
{
    return fw_robust_unlink_from_(word, NULL);
}

bool fw_robust_is_gone_since_(uint32_t id, uint64_t since)
{
    struct fw_thread_about_ about;

    if (fw_system_call_(SYS_tkill, (long)id, 0, 0, 0, 0, 0) == -ESRCH)
        return true;
    return fw_thread_about_(id, &about) &&
           (about.is_dead || fw_is_later_start_(about.started, since));
}

bool fw_robust_is_gone_(uint32_t id)
{
    return fw_robust_is_gone_since_(id, 0);
}

bool fw_robust_is_here_(uint32_t id)
{
    return fw_system_call_(SYS_tgkill, (long)fw_process_id_(), (long)id, 0, 0, 0, 0) != -ESRCH &&
           !fw_robust_is_gone_(id);
}

uint64_t fw_robust_namespace_(void)
{
    static uint64_t life, found; /* of the process; what it was */
    uint64_t now = fw_life_(), space;

    if (fw_load64_acquire(&life) == now)
        return fw_load64_relaxed(&found);
    space = fw_pid_namespace_();
    if (space != 0) {
        fw_store64_relaxed(&found, space); /* every thread stores the same */
        fw_store64_release(&life, now);
    }
    return space;
}
