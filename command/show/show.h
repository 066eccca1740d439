/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_SHOW_SHOW_H
#define FW_COMMAND_SHOW_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "command/print/print.h"
#include "command/regions/region.h"

/* A thread that holds an object, takes part in it, or waits for it. */
struct show_thread {
    struct region_thread who;
    const char *as;     /* "holds", "reads", "waits to read" ... */
    int64_t number;     /* of the permit or the party; -1: none */
    bool has_ns;        /* since when is known: */
    uint64_t ns;        /* how long it has done so */
    uint64_t waits_for; /* offset */
    uint64_t since;     /* of a waiter: CLOCK_MONOTONIC, in ns, as the region has it */
};

/*
 * Corrupt words may claim that any number of threads hold an object: of each object at most this
 * many are listed, a screen or two, and the others are counted.
 */
enum { SHOW_LISTED = 64 };

struct show_threads {
    struct show_thread *all;
    size_t count;
    uint64_t more; /* that are not listed */
};

struct show_number {
    const char *key;
    uint64_t value;
};

enum { SHOW_NUMBERS = 4 };

/* One named object; or what lies between them, where kind is NULL. */
struct show_object {
    char name[FW_IPC_NAME_SIZE]; /* as it can be shown */
    const char *kind;
    uint64_t at, size;
    const char *state; /* in words */
    struct show_number numbers[SHOW_NUMBERS];
    unsigned number_count;
    struct show_threads inside, waiting;
    struct show_thread died; /* the last one that did; as NULL: nobody */
    uint64_t died_generation;
};

/* A thread that has a slot in the region. */
struct show_participant {
    uint32_t slot;
    uint32_t generation;       /* of the slot */
    struct show_thread thread; /* as: NULL where it does not wait */
};

struct show {
    struct region region;
    const char *trouble; /* NULL: none */
    struct show_object *objects;
    size_t object_count;
    unsigned damaged; /* entries of the directory that are corrupt */
    struct show_participant *participants;
    size_t participant_count;
};

/* Reads all that there is in s->region. */
void show_read(struct show *s);
void show_free(struct show *s);

/* object.c: fills in what the object is like; o has name, at, size. */
void show_object(struct show_object *o, const struct region *r, uint32_t kind);
bool show_is_full(const struct show_threads *list);
void show_add(struct show_threads *list, struct show_thread t);
/* How long ago that was, by CLOCK_MONOTONIC. */
uint64_t show_age(uint64_t since);

/* print.c: all of it, on standard output. */
void show_print(const struct show *s, bool as_json);

extern const char *const show_kinds[];
enum { SHOW_KINDS = 10 };

#endif
