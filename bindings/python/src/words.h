/* SPDX-License-Identifier: MIT */
#ifndef FWPY_WORDS_H
#define FWPY_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "await/engine.h"
#include "watch.h"

/*
 * The words that one event loop watches by an engine (await/engine.h): of objects for which its
 * tasks wait, lives of their holders, and the alarms of their regions (ipc/wait.h).  All calls are
 * made by the loop's thread.
 *
 *   PYA1  A wake that a watched word was given is used, by looking at the objects of that word, or
 *         passed on: each time that a task stops to wait for an object, one more sleeper of its
 *         word is woken, which looks, and watches the life of whoever holds it then.
 *   PYA2  Whoever finds that a life has ended, or that an alarm was given, wakes all that sleep
 *         there.
 *   PYA3  A word is armed as long as it has users, except between reap and the next look.  One
 *         without users that is still armed has been disarmed, and is freed when it comes back.
 *   PYA4  As long as a word of a region is watched, the region's agent in this process lives: if
 *         the process is killed with a wake that it was given, the kernel wakes all others that
 *         wait in the region (ipc/region/agent.h).
 */
struct fwpy_word;

struct fwpy_words {
    struct fw_engine_ *engine; /* NULL: closed */
    struct fwpy_word **table;  /* a hash table */
    uint32_t buckets, count;
};

/* What is watched for one task; zeroes: nothing. */
struct fwpy_watches {
    struct fwpy_word *word, *alarm, *beside;
    unsigned lives;
    struct fwpy_word *life[FWPY_HOLDERS_MAX];
};

/* 0, or as fw_engine_open_. */
int fwpy_words_open(struct fwpy_words *ws);

/* After all tasks have left.  In a forked child: forgets only. */
void fwpy_words_close(struct fwpy_words *ws, bool is_child);

/* Takes in what the engine has: PYA2.  True: all objects are to be looked at. */
bool fwpy_words_reap(struct fwpy_words *ws);

/*
 * Watches what the look says, in place of what was watched before; begins with flush.
 *   0; ENOMEM; EAGAIN: a holder has died since: look again
 */
int fwpy_words_watch(struct fwpy_words *ws, struct fwpy_watches *watches, struct fwpy_look *look);

/* Has the object's word changed, or been woken, since it was watched? */
bool fwpy_words_is_told(const struct fwpy_watches *watches);

/* The task waits no longer: PYA1. */
void fwpy_words_leave(struct fwpy_words *ws, struct fwpy_watches *watches);

/* False: some words cannot be watched, and are to be looked at at intervals. */
bool fwpy_words_flush(struct fwpy_words *ws);

#endif
