/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "meeting.h"
#include "words.h"

/*
 * Linearizability: threads meet and do a few operations on a few neighbouring objects; each notes
 * when its operations begin and end, and what they return.  Then the history of each object is
 * checked (history.h).  Every value is stored once in a burst, so that a value says whose it is.
 */

enum { OBJECTS = 3, AREA = 3 * LARGEST + 64 };

static _Alignas(4096) unsigned char area[AREA];
static struct meeting meeting;
static struct burst {
    unsigned n_objects, steps;
    size_t n;
    unsigned char *objects[OBJECTS];
    unsigned char used[HISTORY_THREADS][HISTORY_STEPS]; /* which object */
    struct event events[HISTORY_THREADS][HISTORY_STEPS];
    bool is_last;
} burst;
static uint64_t checked, operations;

/* One or two sizes for each way that an object can be dealt with, and where it begins. */
static const struct {
    size_t n, offset;
} objects[] = {
    {8, 0},  {4, 4},  {2, 2},  {1, 3},           /* the compilers' instructions */
    {3, 1},  {5, 2},  {7, 1},                    /* in a word */
    {16, 0}, {12, 4}, {9, 7},  {10, 3},          /* in a pair */
    {15, 9}, {16, 8}, {16, 4}, {4, 6},   {8, 5}, /* across these */
    {24, 0}, {32, 0}, {33, 3}, {40, 60}, {100, 0}, {1000, 4}, {LARGEST, 0},
};

static void prepare(struct worker *me)
{
    unsigned which = draw(me, sizeof objects / sizeof objects[0]);

    burst.n = objects[which].n;
    burst.n_objects = 1 + draw(me, OBJECTS);
    burst.steps = 3 + draw(me, HISTORY_STEPS - 2);
    for (unsigned i = 0; i < burst.n_objects; i++) {
        size_t apart = draw(me, 2) != 0 ? burst.n : (burst.n + 15) / 16 * 16;

        /* The first is where it was chosen to be; the others lie behind it, close or alike. */
        burst.objects[i] = i == 0 ? area + objects[which].offset : burst.objects[i - 1] + apart;
        memcpy(burst.objects[i], tag(0), burst.n);
    }
    __atomic_store_n(&burst.is_last, subject_is_over(), __ATOMIC_RELAXED);
}

/* Moments on which all threads agree; the operation of *e lies between two of them. */
static uint64_t tick(void)
{
    static uint64_t count;

    return __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
}

/* The operation of *e; `seen` has what is expected, and gets what is returned. */
static void call(struct event *e, unsigned char *object, unsigned char *seen, bool by_word)
{
    const void *value = tag((unsigned)e->stored);

    e->begin = tick();
    e->done = by_word ? word_do(e->call, burst.n, object, seen, value)
                      : subject_do(e->call, burst.n, object, seen, value, __ATOMIC_SEQ_CST);
    e->end = tick();
}

static void step(struct worker *me, unsigned i, int *known)
{
    struct event *e = &burst.events[me->index][i];
    unsigned o = draw(me, burst.n_objects);
    unsigned char seen[LARGEST];
    bool by_word = draw(me, 2) != 0 && word_has_form(burst.objects[o], burst.n);

    *e = (struct event){.call = (enum call)draw(me, N_CALLS), .expected = known[o]};
    e->stored = (int)(1 + me->index * HISTORY_STEPS + i);
    burst.used[me->index][i] = (unsigned char)o;
    memcpy(seen, tag((unsigned)known[o]), burst.n);
    call(e, burst.objects[o], seen, by_word);
    e->seen = e->call == CALL_STORE ? 0 : tag_of(seen, burst.n);
    if (e->call == CALL_LOAD || (e->call == CALL_COMPARE_EXCHANGE && !e->done))
        known[o] = e->seen < 0 ? 0 : e->seen;
    else
        known[o] = e->stored;
}

static void check_object(unsigned o)
{
    struct history h = {.n_threads = meeting.n};

    for (unsigned t = 0; t < meeting.n; t++)
        for (unsigned i = 0; i < burst.steps; i++)
            if (burst.used[t][i] == o)
                h.events[t][h.n[t]++] = burst.events[t][i];
    checked++;
    for (unsigned t = 0; t < meeting.n; t++)
        operations += h.n[t];
    if (history_is_linearizable(&h))
        return;
    history_print(&h);
    subject_caught("not linearizable: %zu bytes at %p", burst.n, (void *)burst.objects[o]);
}

static void bursts(struct worker *me)
{
    bool was_last;

    subject_thread(me);
    do {
        int known[OBJECTS] = {0};

        if (me->index == 0)
            prepare(me);
        meet(&meeting);
        was_last = __atomic_load_n(&burst.is_last, __ATOMIC_RELAXED);
        for (unsigned i = 0; i < burst.steps; i++)
            step(me, i, known);
        meet(&meeting);
        for (unsigned o = 0; me->index == 0 && o < burst.n_objects; o++)
            check_object(o);
        did_a_turn(me);
    } while (!was_last);
}

int main(int argc, char **argv)
{
    stress.about = "Linearizability of recorded histories";
    stress.threads = 3;
    subject_begin(argc, argv, NULL);
    meeting.n = stress.threads < HISTORY_THREADS ? stress.threads : HISTORY_THREADS;
    stress_run(meeting.n, bursts);
    printf("%llu histories of %llu operations\n", (unsigned long long)checked,
           (unsigned long long)operations);
    return subject_end();
}
