/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_SEEN_H
#define FW_COMMAND_WAITS_SEEN_H

#include "kind.h"
#include "processes.h"

/* What watch.c collects: one for each entry of the kernel's table, and for each parked object. */
struct seen {
    struct waits_lock shown; /* its figures and sites: since the last view */
    uint64_t futex;
    unsigned index;         /* in `all` */
    struct waits_lock *row; /* of the view that is being made; NULL: none */
    struct kind kind;
    bool has_kind, has_name, is_parked; /* is_parked: made of samples of parkers */
    bool is_over;                       /* its entry is another one's by now, or gone */
    /* What the kernel's table had at the last view. */
    uint64_t total, late;
    uint32_t by_other, sampled_waits;
    uint32_t buckets[FW_WAITS_BUCKETS];
};

/* A wait that is a sample, and has not ended. */
struct pending {
    pid_t tid;
    struct seen *lock;
    uint64_t start, object;
    const struct waits_stack *waiter, *waker;
    uint32_t weight;
};

struct watch {
    struct watch_options options;
    struct fw_waits *waits;
    struct processes processes;
    struct seen *entries[FW_WAITS_LOCKS]; /* by the kernel's entry; NULL: none */
    struct seen **all;
    unsigned seen_count;
    struct pending *pending; /* FW_WAITS_SLOTS, by TID as the kernel's slots */
    uint64_t began, viewed;  /* ns */
    double started;
    uint32_t interval;      /* ns between samples */
    struct waits_lost lost; /* until the last view */
    struct waits_view view;
    struct waits_lock *rows; /* of the view */
    struct waits_sample *samples;
    size_t sample_count, sample_room;
    struct waits_thread *threads; /* that were in samples; by their numbers, in `thread_at` */
    size_t thread_count, thread_room;
    unsigned *thread_at; /* FW_WAITS_SLOTS; index + 1 in `threads` */
};

/* The one of that entry as it is now, a new one if need be; NULL: the process is not known. */
struct seen *seen_entry(struct watch *w, unsigned entry, uint64_t address, pid_t pid, uint32_t op);

/* The one of an object that threads of the process are parked for. */
struct seen *seen_parked(struct watch *w, const struct seen *parker, uint64_t object);

/* Finds the variable that it is, if there is one, while its process can be read. */
void seen_name(struct seen *s);

/* collect.c: an event of the program in the kernel. */
void collect(void *watch, const struct fw_waits_event *event);

/* rows.c: takes what the kernel's tables have. */
void rows_read(struct watch *w);

/* rows.c: the view's memory. */
void rows_free(struct watch *w);

/* rows.c: fills in w->view from all that has been collected, and forgets that. */
void rows_make(struct watch *w, double seconds);

#endif
