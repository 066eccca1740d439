/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_ENGINE_H
#define FW_AWAIT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Engines: how a loop learns that words in shared memory have changed, without a thread of its own
 * that sleeps on each.  An engine belongs to one loop, and all of its calls are made by the thread
 * that runs that loop, except for its creation and for fw_engine_forget_.
 *
 * A wait is on one word.  It is told once: armed, it comes back from `reap`, and may be armed again
 * then.  It compares under the kernel's lock, so that a change before it is queued is not missed.
 *
 *   ENG1  A wait that was armed comes back: woken, changed, cancelled, or told to look for no
 *         reason.  Until then its memory is the engine's.
 *   ENG2  Whoever wakes one sleeper of a word may have woken an armed wait: what comes back woken,
 *         or told to look, has taken a wake with it, which its owner uses or passes on.  One that
 *         comes back cancelled has taken none.
 *   ENG3  A closed engine has no wait queued in the kernel: none takes a wake from then on.  (If
 *         the process is killed that cannot be had: see alarm in ipc/wait.h.)
 *   ENG4  What an engine cannot have in the kernel it leaves unarmed, and says so (is_complete):
 *         the owner looks at intervals then.
 *   ENG5  The alarm of a region remembers nothing (IWAIT7).  After flush it is in the kernel, and
 *         the owner looks at all words once more; or the engine compares them itself after each
 *         time that it has queued the alarm.  (With helper threads: as many as one of them has room
 *         for, 63 at least; a re-check finds the others.)
 *
 * Engines, best first; one that cannot do a whole round (arm, wake, reap) here is not chosen:
 *   uring    a wait in an io_uring for each word (Linux 6.7; often refused in containers)
 *   thread   helper threads, each in futex_waitv for up to 127 words (Linux 5.16); where that is
 *            refused as well, all waits are told to look once in a re-check interval
 * One more needs a row in engine.c and these calls.
 */
enum fw_wait_told_ {
    FW_TOLD_NOTHING_,  /* not armed, or still queued */
    FW_TOLD_LOOK_,     /* woken, changed, or for no reason */
    FW_TOLD_CANCELLED_ /* as disarm has asked */
};

struct fw_kernel_wait_ {
    const uint32_t *word;
    uint32_t expected;
    uint8_t role;    /* for whoever armed it, and so is what it belongs to */
    bool is_alarm;   /* of a region: ENG5 */
    bool is_armed;   /* until reap has returned it; the loop's thread only */
    uint8_t told;    /* enum fw_wait_told_; this and all that follows are the engine's until then */
    bool is_leaving; /* disarm was called */
    uint32_t at;
    struct fw_kernel_wait_ *next; /* of those that reap returns */
    struct fw_kernel_wait_ **link, *after;
    void *owner;
};

struct fw_engine_;

/* What an engine is made of. */
struct fw_engine_kind_ {
    const char *name;
    uint32_t number; /* as in fw_loop_options */
    /* 0 or a positive errno: not here. */
    int (*make)(struct fw_engine_ **e);
    /* ENG3.  Waits that were armed are so no more. */
    void (*end)(struct fw_engine_ *e);
    /* In a forked child: gives back memory and descriptors, and leaves the parent's waits alone. */
    void (*forget)(struct fw_engine_ *e);
    void (*arm)(struct fw_engine_ *e, struct fw_kernel_wait_ *w);
    void (*disarm)(struct fw_engine_ *e, struct fw_kernel_wait_ *w);
    bool (*flush)(struct fw_engine_ *e);
    struct fw_kernel_wait_ *(*reap)(struct fw_engine_ *e);
};

struct fw_engine_ {
    const struct fw_engine_kind_ *kind;
    int fd;
    uint32_t armed;
};

enum { FW_ENGINE_AUTO_ = 0, FW_ENGINE_URING_ = 1, FW_ENGINE_THREAD_ = 2 };

/*
 * which: a number as above.  For AUTO the environment may name one (FURWOCK_LOOP_ENGINE=uring,
 * thread or auto); else it is the first that works.
 *   0; EINVAL: no such number, or name; ENOMEM, EMFILE, ENFILE, EAGAIN (no thread)
 *   what the kernel says (EPERM, ENOSYS, ENOMEM, ...): the one that was asked for does not work
 */
int fw_engine_open_(struct fw_engine_ **e, uint32_t which);

/* Does that engine work here, by a whole round?  0, or why not, as a positive errno. */
int fw_engine_try_(uint32_t which);

/* The kind of a number; NULL: there is none. */
const struct fw_engine_kind_ *fw_engine_kind_(uint32_t which);

static inline void fw_engine_close_(struct fw_engine_ *e)
{
    e->kind->end(e);
}

static inline void fw_engine_forget_(struct fw_engine_ *e)
{
    e->kind->forget(e);
}

/*
 * Readable when reap has something, except what has come back in flush: reap once after it.  (And
 * now and then when it has not.)
 */
static inline int fw_engine_fd_(const struct fw_engine_ *e)
{
    return e->fd;
}

/* Nobody knows of it before flush.  The wait is not armed. */
static inline void fw_engine_arm_(struct fw_engine_ *e, struct fw_kernel_wait_ *w,
                                  const uint32_t *word, uint32_t expected)
{
    w->word = word;
    w->expected = expected;
    w->told = FW_TOLD_NOTHING_;
    w->is_armed = true;
    w->is_leaving = false;
    e->armed++;
    e->kind->arm(e, w);
}

/* An armed wait is to come back soon: cancelled, or to look.  More calls do nothing. */
static inline void fw_engine_disarm_(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    if (w->is_armed)
        e->kind->disarm(e, w);
}

/* Begins what was asked for.  False: not all of it is in the kernel (ENG4). */
static inline bool fw_engine_flush_(struct fw_engine_ *e)
{
    return e->kind->flush(e);
}

/* The waits that have come back, by `next`; their `told` says how.  Does not wait. */
static inline struct fw_kernel_wait_ *fw_engine_reap_(struct fw_engine_ *e)
{
    struct fw_kernel_wait_ *back = e->kind->reap(e);

    for (struct fw_kernel_wait_ *w = back; w != NULL; w = w->next) {
        w->is_armed = false;
        e->armed--;
    }
    return back;
}

/* --- For the engines ------------------------------------------------------------------------- */

extern const struct fw_engine_kind_ fw_engine_uring_, fw_engine_thread_;

/* The wait comes back. */
static inline void fw_wait_tell_(struct fw_kernel_wait_ *w, enum fw_wait_told_ told,
                                 struct fw_kernel_wait_ **list)
{
    w->told = (uint8_t)told;
    w->next = *list;
    *list = w;
}

static inline void fw_wait_link_(struct fw_kernel_wait_ **head, struct fw_kernel_wait_ *w)
{
    w->after = *head;
    w->link = head;
    if (*head != NULL)
        (*head)->link = &w->after;
    *head = w;
}

static inline void fw_wait_unlink_(struct fw_kernel_wait_ *w)
{
    *w->link = w->after;
    if (w->after != NULL)
        w->after->link = w->link;
}

#endif
