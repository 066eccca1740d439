/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "uncontended.h"

enum {
    SAMPLE_NS = 300000, /* long against a clock reading, short against a time slice */
    PAIRS_FIRST = 64
};

volatile sig_atomic_t experiment_interrupted;

static double time_loop(struct contestant *k, uint64_t pairs)
{
    uint64_t began = clock_ns();

    k->entry.loop(k->entry.head, k->memory, pairs);
    return (double)(clock_ns() - began);
}

/* Finds how many pairs fill a sample; warms up on the way. */
static void fit_sample(struct contestant *k)
{
    double took;

    k->pairs = PAIRS_FIRST;
    while ((took = time_loop(k, k->pairs)) < SAMPLE_NS / 4.0)
        k->pairs *= 2;
    k->pairs = (uint64_t)((double)k->pairs * SAMPLE_NS / took) + 1;
}

static double sample(struct experiment *c, struct contestant *k)
{
    struct counts before, after;

    counters_read(c->counters, &before);
    double took = time_loop(k, k->pairs);
    counters_read(c->counters, &after);
    counts_subtract(&after, &before);
    if (after.has_cycles) {
        k->counted_pairs += k->pairs;
        k->cycles += after.cycles;
        k->instructions += after.instructions;
    }
    return took / (double)k->pairs;
}

int experiment_prepare(struct experiment *c, const struct entry *entries, size_t n, unsigned rounds)
{
    c->rounds = rounds;
    c->counters = counters_open();
    c->contestants = calloc(n, sizeof *c->contestants);
    if (c->counters == NULL || c->contestants == NULL) {
        fprintf(stderr, "uncontended: no memory\n");
        return -1;
    }
    for (; c->n < n; c->n++) {
        struct contestant *k = &c->contestants[c->n];
        k->entry = entries[c->n];
        k->memory = adapter_head_make(k->entry.head, 1, object_kinds[k->entry.object].shared);
        k->samples = calloc(rounds, sizeof *k->samples);
        if (k->memory == NULL || k->samples == NULL) {
            fprintf(stderr, "uncontended: cannot make a %s of %s: %s\n",
                    object_kinds[k->entry.object].name, k->entry.head->name, strerror(errno));
            return -1;
        }
    }
    return 0;
}

void experiment_run(struct experiment *c, bool show_progress)
{
    for (size_t i = 0; i < c->n && !experiment_interrupted; i++)
        fit_sample(&c->contestants[i]);

    while (c->finished < c->rounds && !experiment_interrupted) {
        if (show_progress)
            fprintf(stderr, "\rround %u of %u ", c->finished + 1, c->rounds);
        /* Each round begins with another, so that nobody always follows the same. */
        for (size_t i = 0; i < c->n && !experiment_interrupted; i++) {
            struct contestant *k = &c->contestants[(i + c->finished) % c->n];
            k->samples[c->finished] = sample(c, k);
        }
        if (!experiment_interrupted)
            c->finished++;
    }
    if (show_progress)
        fputs("\r\033[K", stderr);
}

const struct contestant *experiment_baseline(const struct experiment *c, enum object object)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct entry *e = &c->contestants[i].entry;
        if (e->object == object && strcmp(e->head->name, object_kinds[object].baseline) == 0)
            return &c->contestants[i];
    }
    return NULL;
}

void experiment_free(struct experiment *c)
{
    for (size_t i = 0; i < c->n; i++) {
        adapter_head_unmake(c->contestants[i].entry.head, c->contestants[i].memory, 1);
        free(c->contestants[i].samples);
    }
    free(c->contestants);
    if (c->counters != NULL)
        counters_close(c->counters);
}
