/* SPDX-License-Identifier: MIT */
/*
 * Contract: table.h.
 *
 * key of an entry   meaning                           left by
 * ----------------  --------------------------------  ----------------------------------------
 * 0                 free                              any thread: CAS to its key
 * a key             taken for good                    nobody
 *
 * Legal:   to see an entry whose key is there and whose other words are not yet: its claimer is
 *          about to write them, or was killed before it did.
 * Illegal: to write a word that is no counter into an entry that somebody else has claimed.
 */
#include "table.h"

#include <string.h>

#include <furwock/bits/atomic.h>

/* An entry is looked for behind at most this many others. */
enum { PROBES = 32 };

/* The finaliser of MurmurHash3 (Appleby, public domain): every bit of the key moves every other. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 33) * UINT64_C(0xff51afd7ed558ccd);
    key = (key ^ key >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 33;
}

static uint64_t *key_at(void *table, size_t entry, uint64_t at)
{
    return (uint64_t *)((char *)table + at * entry);
}

/* The index of the entry with that key; 0: the table is full there. */
static uint64_t find(void *table, size_t entry, unsigned n, uint64_t key, bool *is_new)
{
    uint64_t start = mix(key);

    *is_new = false;
    for (unsigned i = 0; i < PROBES; i++) {
        uint64_t at = (start + i) % (n - 1) + 1;
        uint64_t there = fw_load64_relaxed(key_at(table, entry, at));

        if (there == 0 && fw_cas64_relaxed(key_at(table, entry, at), &there, key)) /* free -> key */
            *is_new = true;
        if (*is_new || there == key)
            return at;
    }
    return 0;
}

/* Counters have no order among each other: the reader is told so. */
static void add(uint64_t *counter, uint64_t n)
{
    fw_add64_release(counter, n);
}

static void raise(uint64_t *most, uint64_t ns)
{
    uint64_t seen = fw_load64_relaxed(most);

    while (seen < ns && !fw_cas64_relaxed(most, &seen, ns))
        ;
}

struct fw_stat_thread_ *fw_stat_find_thread_(struct fw_stat_file_ *f, uint32_t thread)
{
    bool is_new;
    uint64_t at = find(f->threads, sizeof *f->threads, FW_STAT_THREADS, thread, &is_new);

    return at != 0 ? &f->threads[at] : NULL;
}

static uint64_t find_lock(struct fw_stat_file_ *f, uint64_t key, bool *is_new)
{
    return find(f->locks, sizeof *f->locks, FW_STAT_LOCKS, key, is_new);
}

static void add_site(struct fw_stat_site_ *p, uint64_t ns)
{
    add(&p->waits, 1);
    add(&p->ns, ns);
}

static bool add_places(struct fw_stat_file_ *f, const struct fw_stat_wait_ *w, uint64_t lock,
                       uint64_t ns)
{
    uint64_t key = mix(mix(w->waiter + lock) + w->holder_site) | 1;
    bool is_new;
    struct fw_stat_site_ *p =
        &f->sites[find(f->sites, sizeof *f->sites, FW_STAT_SITES, key, &is_new)];

    if (is_new) {
        p->waiter = w->waiter;
        p->holder = w->holder_site;
        p->lock = lock;
    }
    add_site(p, ns);
    return is_new;
}

static void add_holder(struct fw_stat_file_ *f, uint32_t thread, uint64_t lock, uint64_t ns)
{
    bool is_new;
    struct fw_stat_holder_ *h = &f->holders[find(f->holders, sizeof *f->holders, FW_STAT_HOLDERS,
                                                 lock << 32 | thread, &is_new)];

    add(&h->waits, 1);
    add(&h->ns, ns);
}

bool fw_stat_add_(struct fw_stat_file_ *f, const struct fw_stat_wait_ *w)
{
    uint64_t ns = w->ended > w->began ? w->ended - w->began : 0;
    bool is_new;
    uint64_t lock = find_lock(f, w->key, &is_new);
    struct fw_stat_lock_ *l = &f->locks[lock];

    if (fw_load32_relaxed((fw_half_ *)&l->kind) != (uint32_t)w->kind)
        fw_store32_relaxed((fw_half_ *)&l->kind, (uint32_t)w->kind);
    add(&l->waits, 1);
    add(&l->ns, ns);
    raise(&l->longest, ns);
    fw_add32_relaxed(&l->histogram[fw_stat_bucket_(ns)], 1);
    if (w->result != 0)
        add(&l->failed, 1);
    if (w->holder != 0)
        add_holder(f, w->holder, lock, ns);
    return add_places(f, w, lock, ns);
}

bool fw_stat_knows_(struct fw_stat_file_ *f, uint64_t key)
{
    uint64_t start = mix(key);

    for (unsigned i = 0; i < PROBES; i++) {
        uint64_t there = fw_load64_relaxed(&f->locks[(start + i) % (FW_STAT_LOCKS - 1) + 1].key);

        if (there == key || there == 0)
            return there != 0;
    }
    return true;
}

bool fw_stat_add_chain_(struct fw_stat_file_ *f, uint64_t key, const uint64_t *frames,
                        unsigned depth)
{
    bool is_new;
    uint64_t lock = find_lock(f, key, &is_new), hash = lock, at;
    struct fw_stat_chain_ *c;

    if (depth > FW_STAT_FRAMES)
        depth = FW_STAT_FRAMES;
    for (unsigned i = 0; i < depth; i++)
        hash = mix(hash + frames[i]);
    at = find(f->chains, sizeof *f->chains, FW_STAT_CHAINS, hash | 1, &is_new);
    c = &f->chains[at];
    if (is_new) {
        c->lock = lock;
        c->depth = depth;
        memcpy(c->frames, frames, depth * sizeof *frames);
    }
    add(&c->samples, 1);
    return is_new;
}
