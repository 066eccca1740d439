/* SPDX-License-Identifier: MIT */
/*
 * Contract: posix/stat.h.  What is written where: stat_file.h.
 *
 * A thread's entry has its latest wait, which is in one of these states:
 *
 * key   ended   meaning                          left by
 * ----  ------  -------------------------------  ------------------------------------------------
 * 0     any     none                             the thread: begins a wait
 * key   0       it waits                         the thread: stores when it ended
 * key   time    it has waited, not yet counted   the thread: clears key, and adds it to the tables
 *
 * A wait that begins while the entry is in use (in a signal handler, or to get the mutex back at
 * the end of a wait for a condition) is on the stack, and is counted when it ends.
 */
#include <stddef.h>
#include <unwind.h>

#include <furwock/bits/atomic.h>

#include "place.h"
#include "stat.h"
#include "sys/clock.h"
#include "sys/count_file.h"
#include "sys/fork.h"
#include "sys/thread.h"
#include "table.h"

/* What a thread knows about itself. */
static __thread struct {
    struct fw_stat_thread_ *entry;
    uint64_t life;    /* in which it looked for its entry */
    uint32_t is_busy; /* its entry is in use */
    uint32_t waits;
} me __attribute__((tls_model("initial-exec"))) = {.life = FW_LIFE_NONE_};

static uint32_t own_number(void)
{
    return (uint32_t)fw_id_number_(fw_self_());
}

static void count(struct fw_stat_file_ *f, const struct fw_stat_wait_ *w)
{
    if (fw_stat_add_(f, w))
        fw_stat_cover_(w->waiter, w->holder_site);
}

/* The wait in the entry is done with. */
static void flush(struct fw_stat_file_ *f, struct fw_stat_thread_ *entry)
{
    struct fw_stat_wait_ w = entry->wait;

    fw_store64_relaxed(&entry->wait.key, 0);
    if (w.key == 0 || w.ended == 0) /* a thread of the same id was cancelled while it waited */
        return;
    fw_store64_relaxed(&entry->waits, entry->waits + 1);
    fw_store64_relaxed(&entry->ns, entry->ns + (w.ended - w.began));
    count(f, &w);
}

static struct fw_stat_thread_ *find_entry(struct fw_stat_file_ *f)
{
    if (!fw_life_is_(me.life)) {
        me.life = fw_life_();
        me.is_busy = 0;
        me.waits = 0;
        me.entry = fw_stat_find_thread_(f, own_number());
        if (me.entry != NULL)
            fw_thread_name_(me.entry->name);
    }
    return me.entry;
}

/* --- Chains of calls -------------------------------------------------------------------------- */

struct chain {
    uint64_t site; /* where it begins: what is further in is this library's */
    uint64_t frames[FW_STAT_FRAMES];
    unsigned depth;
};

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *arg)
{
    struct chain *c = arg;
    uint64_t address = _Unwind_GetIP(context);

    if (address == 0 || c->depth == FW_STAT_FRAMES)
        return _URC_END_OF_STACK;
    if (c->depth != 0 || address == c->site)
        c->frames[c->depth++] = address;
    return _URC_NO_REASON;
}

static void take_chain(struct fw_stat_file_ *f, uint64_t key, uint64_t site)
{
    struct chain c = {.site = site};

    _Unwind_Backtrace(see_frame, &c);
    if (c.depth > 1 && fw_stat_add_chain_(f, key, c.frames, c.depth))
        for (unsigned i = 1; i < c.depth; i++)
            fw_stat_cover_(c.frames[i], 0);
}

/* --- The calls -------------------------------------------------------------------------------- */

/* What a mutex is like is asked for while it is sure to exist. */
static int32_t kind_of(enum fw_stat_what_ what, const void *object)
{
    return what == FW_STAT_MUTEX ? ((const struct fw_posix_mutex_ *)object)->kind : 0;
}

void (*fw_stat_on_wait_)(enum fw_stat_what_ what, const void *object, const void *site);

void fw_stat_begin_(struct fw_stat_ *s, enum fw_stat_what_ what, const void *object,
                    const void *site)
{
    struct fw_stat_file_ *f = fw_stat_file_here_();
    struct fw_stat_thread_ *entry = f != NULL ? find_entry(f) : NULL;
    uint64_t key = fw_stat_key_(object, what);
    struct fw_stat_wait_ *w = &s->own;

    if (fw_stat_on_wait_ != NULL)
        fw_stat_on_wait_(what, object, site);
    s->wait = NULL;
    if (f == NULL)
        return;
    if (entry != NULL && !me.is_busy) {
        me.is_busy = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler that waits now is not at the entry */
        flush(f, entry);
        if (me.waits++ % FW_STAT_CHAIN_EVERY == 0 || !fw_stat_knows_(f, key))
            take_chain(f, key, (uintptr_t)site);
        w = &entry->wait;
    }
    w->waiter = (uintptr_t)site;
    w->holder = 0;
    w->holder_site = 0;
    w->result = 0;
    w->kind = kind_of(what, object);
    w->began = fw_clock_ns_();
    fw_store64_relaxed(&w->ended, 0);
    fw_store64_release(&w->key, key); /* for the reader: the rest is there */
    s->wait = w;
}

void fw_stat_end_(struct fw_stat_ *s, int result)
{
    struct fw_stat_file_ *f;

    if (s->wait == NULL)
        return;
    s->wait->result = result;
    fw_store64_release(&s->wait->ended, fw_clock_ns_());
    if (s->wait != &s->own) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        me.is_busy = 0;
        return;
    }
    f = fw_stat_file_here_();
    if (f != NULL)
        count(f, &s->own);
}
