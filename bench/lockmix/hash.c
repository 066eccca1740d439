/* SPDX-License-Identifier: MIT */
/*
 * hash: a hash table whose buckets have a lock each.
 *
 * After the benchmark `buckets` of FlexGuard (Laforet and others, SOSP 2025): 100 buckets, keys by
 * Zipf's law, as many writes as reads; a bucket is a hash table of its own, so that chains stay
 * short.  The entries of all keys are there from the beginning, and are linked into the table or
 * not: nothing is allocated under a lock.
 */
#include <stdlib.h>
#include <string.h>

#include "lockmix.h"

enum {
    WORDS = 8,      /* of a value: a line */
    REMOVED_OF = 4, /* one of that many writes to a key that is there removes it */
    CHAIN = 2       /* keys for each slot */
};

struct entry {
    alignas(LINE_PAIR) struct entry *next;
    uint32_t key;
    bool is_in;
    alignas(LINE) uint64_t value[WORDS]; /* all the same, and one more with each write */
};

struct table {
    unsigned buckets;
    unsigned slots; /* of a bucket */
    unsigned keys;
    struct entry **heads; /* of all slots */
    struct entry *entries;
};

/* Spreads the ranks, so that the most wanted keys do not lie beside each other. */
static uint32_t key_of(const struct table *t, uint32_t rank)
{
    static const uint64_t far = 2654435761; /* prime, so no two ranks have the same key */

    return (uint32_t)(rank * far % t->keys);
}

static unsigned bucket_of(const struct table *t, uint32_t key)
{
    return key % t->buckets;
}

static struct entry **head_of(const struct table *t, uint32_t key)
{
    return &t->heads[bucket_of(t, key) * t->slots + key / t->buckets % t->slots];
}

static void link_in(struct table *t, struct entry *e)
{
    struct entry **head = head_of(t, e->key);

    e->next = *head;
    e->is_in = true;
    *head = e;
}

static struct entry **find(const struct table *t, uint32_t key)
{
    struct entry **at = head_of(t, key);

    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static unsigned hash_locks(const struct mix *m)
{
    return m->buckets;
}

static unsigned hash_ranks(const struct mix *m)
{
    return m->keys;
}

static void hash_unmake(void *data)
{
    struct table *t = data;

    free(t->heads);
    free(t->entries);
    free(t);
}

/* Half of the keys are in it. */
static void *hash_make(const struct mix *m)
{
    struct table *t = calloc(1, sizeof *t);

    if (t == NULL)
        return NULL;
    t->buckets = m->buckets;
    t->keys = m->keys;
    t->slots = m->keys / m->buckets / CHAIN + 1;
    t->heads = calloc((size_t)t->buckets * t->slots, sizeof(struct entry *));
    t->entries = aligned_alloc(LINE_PAIR, t->keys * sizeof *t->entries);
    if (t->heads == NULL || t->entries == NULL) {
        hash_unmake(t);
        return NULL;
    }
    memset(t->entries, 0, t->keys * sizeof *t->entries);
    for (uint32_t key = 0; key < t->keys; key++) {
        t->entries[key].key = key;
        if (key / t->buckets % 2 == 0)
            link_in(t, &t->entries[key]);
    }
    return t;
}

static void write_value(struct worker *w, struct entry *e)
{
    for (int i = 0; i < WORDS; i++)
        e->value[i]++;
    w->writes++;
}

static void put(struct worker *w, struct table *t, uint32_t key, bool removes)
{
    struct entry **at = find(t, key);

    if (*at == NULL) {
        link_in(t, &t->entries[key]);
        w->inserted++;
    } else if (removes) {
        (*at)->is_in = false;
        *at = (*at)->next;
        w->removed++;
        return;
    }
    write_value(w, &t->entries[key]);
}

static void get(struct worker *w, const struct table *t, uint32_t key)
{
    const struct entry *e = *find(t, key);
    uint64_t sum = 0;

    for (int i = 0; e != NULL && i < WORDS; i++)
        sum += e->value[i];
    __asm__ volatile("" : : "r"(sum)); /* it was wanted */
    (void)w;
}

static void hash_operate(struct worker *w)
{
    struct table *t = w->fixture->data;
    uint32_t key = key_of(t, next_rank(w));
    unsigned bucket = bucket_of(t, key);
    bool reads = rng_below(&w->random, PER_CENT) < w->fixture->spot->mix->reads;
    bool removes = rng_below(&w->random, REMOVED_OF) == 0;

    enter(w, bucket);
    if (reads)
        get(w, t, key);
    else
        put(w, t, key, removes);
    leave(w, bucket);
}

static const char *hash_check(const struct fixture *s)
{
    const struct table *t = s->data;
    uint64_t writes = 0, expected = 0;
    int64_t there = 0;

    for (uint32_t key = 0; key < t->keys; key++) {
        const struct entry *e = &t->entries[key];
        writes += e->value[0];
        for (int i = 1; i < WORDS; i++)
            if (e->value[i] != e->value[0])
                return "sections overlapped: a value is torn";
        if ((*find(t, key) == e) != e->is_in)
            return "sections overlapped: a chain is broken";
        there += e->is_in - (key / t->buckets % 2 == 0);
    }
    for (unsigned i = 0; i < s->spot->threads; i++) {
        expected += s->workers[i].writes;
        there -= (int64_t)(s->workers[i].inserted - s->workers[i].removed);
    }
    return writes == expected && there == 0 ? NULL : "sections overlapped: writes were lost";
}

const struct mode mode_hash = {
    .name = "hash",
    .about = "a hash table with a lock for each bucket",
    .locks = hash_locks,
    .ranks = hash_ranks,
    .make = hash_make,
    .operate = hash_operate,
    .check = hash_check,
    .unmake = hash_unmake,
};
