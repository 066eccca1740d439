/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_PLAY_H
#define FW_TEST_RT_SIM_PLAY_H

#include <stdbool.h>

#include "set.h"

/*
 * Plays a task set under given rules, and keeps what happened.  The rules say who runs and who has
 * which lock; the play moves jobs through their programs.
 */
#define SIM_TICKS 4000
#define SIM_EVENTS 8192

enum sim_event_kind {
    SIM_RELEASED, /* a job begins */
    SIM_DONE,
    SIM_ASKED,
    SIM_GOT,
    SIM_LEFT,
    SIM_SLEPT,
    SIM_WOKE
};

struct sim_event {
    int tick;
    enum sim_event_kind kind;
    int task;
    int lock; /* -1: none */
};

struct sim_trace {
    int ticks;
    int events;
    bool finished;     /* all jobs are done; else somebody waits forever, or the set is too long */
    const char *wrong; /* what a rule or the play found impossible; NULL: nothing */
    signed char ran[SIM_TICKS][SIM_CPUS]; /* a task, or -1 */
    struct sim_event event[SIM_EVENTS];
};

/* Who of an instance of the rules answers. */
struct sim_rules {
    const char *name;
    void *(*begin)(const struct sim_set *set);
    void (*end)(void *me);
    /* The task has something to do from now on: a job, or its sleep is over; or it has not. */
    void (*wake)(void *me, int t);
    void (*sleep)(void *me, int t);
    /* The task, which runs, asks.  true: it has the lock.  Else it waits; once it runs again it
     * asks again. */
    bool (*lock)(void *me, int t, int d);
    void (*unlock)(void *me, int t, int d);
    int (*runs)(void *me, int cpu); /* -1: nobody */
    const char *(*wrong)(void *me); /* NULL: nothing */
};

void sim_play(const struct sim_set *set, const struct sim_rules *rules, struct sim_trace *trace);

/* The first difference, as a tick; -1: none. */
int sim_compare(const struct sim_set *set, const struct sim_trace *a, const struct sim_trace *b);

/* What happened from tick `first` to `last`. */
void sim_trace_print(const struct sim_set *set, const struct sim_trace *trace, int first, int last,
                     FILE *out);

#endif
