/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_DIFFER_H
#define FW_TEST_DIFFER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * A random sequence of calls, made by a few threads one after the other, and what came of each: the
 * same text with the C library and with the drop-in, or one of them is wrong.
 *
 * The threads (actors) are given orders.  An order is given when nobody moves any more: each actor
 * has done what it was told, or sleeps in it.  So "sleeps" is a result like any other, and what a
 * sleeper's call comes to is written down after the order that ended it.  What would be up to
 * chance, as which of two sleepers is first, must not be asked for: each family keeps a model of
 * its object, from the results, and draws only what is certain.
 *
 * A sequence has a process of its own, and leaves its sleepers to their fate.
 */

enum { ACTORS = 3, NO_ACTOR = -1 };

struct order {
    const char *name;
    long (*call)(struct order *); /* the result; -1: see errno */
    void *object;
    void *other;
    int value;
    int clock;
    struct timespec at;
    const char *when; /* in words; NULL: no deadline */
    bool ends;        /* by itself, in a moment: not asleep, however long it sleeps */
};

/* One that is only a call: what is returned, in terms of the order `o`. */
#define CALL(name, result)            \
    static long name(struct order *o) \
    {                                 \
        return result;                \
    }

struct family {
    const char *name;
    void (*begin)(void);
    void (*step)(void); /* gives one order, or none */
    void (*ended)(int who, const struct order *order, long result);
    /* Runs in an actor that is cancelled in that order. */
    void (*cancelled)(const struct order *order);
    void (*end)(void); /* or NULL: what does not go with the process */
};

extern const struct family mutex_family, rwlock_family, sem_family, named_family,
    barrier_spin_family, attributes_family, c11_family;

/* actors.c */
void actors_start(const struct family *family);
bool actor_sleeps(int who);
bool actor_is_doomed(int who); /* cancelled, and has not noticed yet */
void act(int who, struct order order);
/* The actor ends, as a thread that returns; another takes its name. */
void actor_dies(int who);
/* To one that sleeps. */
void actor_cancel(int who);
void actor_interrupt(int who, bool restart);

/* differ.c */
unsigned draw(unsigned below);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* moments.c: deadlines of all sorts, on order->clock; `ends` unless it is far. */
enum moment { LONG_AGO, BEFORE_1970, BILLION_NS, NEGATIVE_NS, BOTH_NEGATIVE, SOON, FAR, MOMENTS };
void set_moment(struct order *order, enum moment which);
int any_clock(void);

#endif
