/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_SHOW_H
#define FW_COMMAND_STAT_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "command/print/print.h"
#include "location.h"
#include "read.h"

/* What is shown of a reading. */
struct stat_about {
    char *const *words; /* the program's */
    uint64_t began;     /* CLOCK_MONOTONIC; of this reading: the run, or the second */
    bool is_over;       /* the program has ended */
    bool is_brief;      /* some lines only */
    bool shows_waiting; /* also who waits right now, or waited at the end */
    int status;         /* exit status, where it is over */
    unsigned going_on;  /* processes that go on without it */
};

void stat_print(const struct printer *p, const struct stat_reading *r,
                const struct stat_about *about);

/* Does the thread wait, at the moment of the reading (or at the end)? */
bool stat_waits(const struct stat_process *p, const struct fw_stat_thread_ *t, bool is_over);

/* --- lock.c: one lock ------------------------------------------------------------------------- */

enum { STAT_WORD = 160, STAT_WORD_JSON = 400, STAT_TIME = 24 }; /* bytes of texts */

struct stat_lock {
    const struct stat_process *process;
    struct locations *locations;
    unsigned index; /* in its table */
    bool is_brief;

    /* What is shown of it: filled in by stat_print_lock. */
    char name[STAT_WORD], kind[64];
    bool is_lock;
    uint64_t waits, failed, ns, half, most, longest;
};

/* Appends it to "locks"; as text with the header of the table before the first. */
void stat_print_lock(const struct printer *p, struct stat_lock *l, bool is_first);

/* --- view.c: where things are in the process, with the names that it has given to locks ------- */

struct locations *stat_locations(const struct stat_process *p);

/* --- words.c ---------------------------------------------------------------------------------- */

#define STAT_OTHERS "all others" /* the locks that found no entry of their own */

/* "4.31 s": three digits, in the unit that fits.  The first one is a print_format. */
void stat_format_time(const void *ns, char *text, size_t size);
const char *stat_time(uint64_t ns, char text[static STAT_TIME]);

/* Return `text`. */
const char *stat_call_at(struct locations *locations, uint64_t address,
                         char text[static STAT_WORD]);
const char *stat_lock_at(struct locations *locations, uint64_t key, char text[static STAT_WORD]);
const char *stat_thread_at(const struct stat_process *p, uint32_t thread,
                           char text[static STAT_WORD]);

json_t *stat_call_json(struct locations *locations, uint64_t address); /* of 0: null */
json_t *stat_lock_json(struct locations *locations, uint64_t key);
json_t *stat_thread_json(const struct stat_process *p, uint32_t thread);

#endif
