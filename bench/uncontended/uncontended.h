/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_UNCONTENDED_H
#define FW_BENCH_UNCONTENDED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/adapters/adapter.h"
#include "measure/counters.h"

/* What is measured of an object that nobody else uses: one or two calls, over and over. */
enum object {
    OBJECT_MUTEX,
    OBJECT_READ,
    OBJECT_WRITE,
    OBJECT_SIGNAL,
    OBJECT_SEM,
    OBJECT_EVENT,
    OBJECT_EVENT_WAIT,
    OBJECT_ONCE,
    OBJECT_IPC_MUTEX,
    OBJECT_IPC_READ,
    OBJECT_IPC_SEM,
    OBJECTS
};

struct object_kind {
    const char *name;     /* as the user types it */
    const char *calls;    /* what a pair is, in words */
    const char *baseline; /* whose time is 1 */
    bool shared;          /* made for use between processes */
};

extern const struct object_kind object_kinds[OBJECTS];

/* Somebody's way to do it: an adapter, and what is run of it. */
struct entry {
    enum object object;
    const adapter_head *head;
    void (*loop)(const adapter_head *head, void *memory, uint64_t n);
};

enum { ENTRIES_MAX = 256 };

/* catalogue.c: all that there is, in the order of tables; returns how many. */
size_t catalogue(struct entry *entries);

/* Calls visit() for each adapter that could be here and is not, each name and reason once. */
void catalogue_missing(void (*visit)(const struct missing_adapter *m, void *arg), void *arg);

/* Why an object has no entry of that name, or NULL. */
const char *catalogue_why_missing(enum object object, const char *name);

/* once.c: those who run something once; ends with NULL. */
struct once_adapter {
    ADAPTER_HEAD
    void (*loop)(void *once, uint64_t n); /* n calls, when it has been done long ago */
};
extern const struct once_adapter *const once_adapter_list[];

/* references.c: the price of two bare atomic instructions, and of the loop alone. */
extern const struct adapter reference_cas_exchange, reference_empty;

/* One entry and what was measured of it. */
struct contestant {
    struct entry entry;
    void *memory;
    uint64_t pairs;  /* lock and unlock, or the like, per sample */
    double *samples; /* nanoseconds per pair, one of each round */
    uint64_t counted_pairs;
    uint64_t cycles;
    uint64_t instructions;
};

struct experiment {
    struct contestant *contestants;
    size_t n;
    unsigned rounds;   /* wanted */
    unsigned finished; /* done */
    struct counters *counters;
};

/* Set by an interrupt: the round under way is dropped, the others count. */
extern volatile sig_atomic_t experiment_interrupted;

/* 0, or -1 with a line on standard error. */
int experiment_prepare(struct experiment *c, const struct entry *entries, size_t n,
                       unsigned rounds);
void experiment_run(struct experiment *c, bool show_progress);
void experiment_free(struct experiment *c);

/* The one with whom the contestants of an object are compared; NULL: not among them. */
const struct contestant *experiment_baseline(const struct experiment *c, enum object object);

void result_print(const struct experiment *c, FILE *out);

/* Writes to a file that is open already.  0, or -1 with errno. */
int result_write_json(const struct experiment *c, int fd);

#endif
