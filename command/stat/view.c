/* SPDX-License-Identifier: MIT */
/* One lock of a reading, seen from several sides.  Contract: read.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show.h"

uint64_t stat_percentile(const struct fw_stat_lock_ *l, double share)
{
    uint64_t all = 0, seen = 0, most;
    double wanted;

    for (unsigned i = 0; i < FW_STAT_BUCKETS; i++)
        all += l->histogram[i];
    wanted = share * (double)all;
    for (unsigned i = 0; i + 1 < FW_STAT_BUCKETS; i++) {
        uint64_t least = fw_stat_least_(i), next = fw_stat_least_(i + 1);
        double inside = wanted - (double)seen;
        seen += l->histogram[i];
        if (l->histogram[i] == 0 || (double)seen < wanted)
            continue;
        most = least + (uint64_t)((double)(next - least) * inside / l->histogram[i]);
        return most < l->longest ? most : l->longest;
    }
    return l->longest;
}

struct locations *stat_locations(const struct stat_process *p)
{
    struct locations *l = locations_open(p->maps);

    for (unsigned i = 0; i < FW_STAT_NAMES; i++)
        if (p->file->names[i].key != 0 && p->file->names[i].text[0] != '\0')
            locations_name(l, p->file->names[i].key, p->file->names[i].text);
    return l;
}

const char *stat_thread_name(const struct stat_process *p, uint32_t thread)
{
    for (unsigned i = 1; i < FW_STAT_THREADS; i++)
        if (p->file->threads[i].key == thread)
            return p->file->threads[i].name;
    return "";
}

/* In a process that runs, the thread may have been cancelled while it waited. */
bool stat_waits(const struct stat_process *p, const struct fw_stat_thread_ *t, bool is_over)
{
    char path[64];

    if (t->key == 0 || t->wait.key == 0 || t->wait.ended != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%u/task/%u", (unsigned)p->file->head.process,
             (unsigned)t->key);
    return is_over || access(path, F_OK) == 0;
}

/* --- The most important entries of a lock ----------------------------------------------------- */

/* Puts the entry where it belongs among those found; the least important one falls out. */
static unsigned insert(uint16_t *found, unsigned count, unsigned n, unsigned entry,
                       uint64_t (*weight)(const struct fw_stat_file_ *f, unsigned entry),
                       const struct fw_stat_file_ *f)
{
    unsigned at = count;

    while (at > 0 && weight(f, found[at - 1]) < weight(f, entry))
        at--;
    if (at == n)
        return count;
    if (count < n)
        count++;
    memmove(found + at + 1, found + at, (count - at - 1) * sizeof *found);
    found[at] = (uint16_t)entry;
    return count;
}

static uint64_t site_weight(const struct fw_stat_file_ *f, unsigned entry)
{
    return f->sites[entry].ns;
}

static uint64_t holder_weight(const struct fw_stat_file_ *f, unsigned entry)
{
    return f->holders[entry].ns;
}

unsigned stat_sites(const struct stat_process *p, unsigned lock, uint16_t *found, unsigned n)
{
    unsigned count = 0;

    for (unsigned i = 1; i < FW_STAT_SITES; i++)
        if (p->file->sites[i].waits != 0 && p->file->sites[i].lock == lock)
            count = insert(found, count, n, i, site_weight, p->file);
    return count;
}

unsigned stat_holders(const struct stat_process *p, unsigned lock, uint16_t *found, unsigned n)
{
    unsigned count = 0;

    for (unsigned i = 1; i < FW_STAT_HOLDERS; i++)
        if (p->file->holders[i].waits != 0 && p->file->holders[i].key >> 32 == lock)
            count = insert(found, count, n, i, holder_weight, p->file);
    return count;
}

const struct fw_stat_chain_ *stat_chain(const struct stat_process *p, unsigned lock,
                                        uint64_t waiter)
{
    const struct fw_stat_chain_ *best = NULL;

    for (unsigned i = 1; i < FW_STAT_CHAINS; i++) {
        const struct fw_stat_chain_ *c = &p->file->chains[i];
        if (c->key != 0 && c->lock == lock && c->depth != 0 && c->frames[0] == waiter &&
            (best == NULL || c->samples > best->samples))
            best = c;
    }
    return best;
}
