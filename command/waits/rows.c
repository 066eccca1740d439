/* SPDX-License-Identifier: MIT */
/* Makes a view of what has been collected. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intern.h"
#include "measure/clock.h"
#include "seen.h"

enum { LOOKS = 100 }; /* threads that are looked at in one view, since they waited before it all */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Figures ---------------------------------------------------------------------------------- */

/* What samples tell of all waits: of those that came, as of those that they stand for. */
static uint64_t estimate(uint64_t of_samples, uint32_t sampled, uint64_t waits)
{
    return sampled != 0 ? (uint64_t)((double)of_samples * (double)waits / sampled + 0.5) : 0;
}

/* Adds what has come to an entry since; of parkers, samples tell all. */
static void read_entry(struct seen *s, struct fw_waits_lock *l)
{
    struct waits_lock *to = &s->shown;
    uint64_t total = l->total, late = l->late, waits = 0;
    uint32_t by_other = l->by_other, sampled = l->sampled_waits;
    uint64_t longest = __atomic_exchange_n(&l->longest, 0, __ATOMIC_RELAXED);
    bool counts = !s->kind.is_parker;

    if (longest > to->longest && counts)
        to->longest = longest;
    for (unsigned i = 0; i < FW_WAITS_BUCKETS; i++) {
        uint32_t all = l->buckets[i], more = all - s->buckets[i];
        s->buckets[i] = all;
        waits += more;
        if (counts)
            to->buckets[i] += more;
    }
    if (counts) {
        to->waits += waits;
        to->total += total - s->total;
        to->late += estimate(late - s->late, sampled - s->sampled_waits, waits);
        to->by_other += estimate(by_other - s->by_other, sampled - s->sampled_waits, waits);
    }
    s->total = total;
    s->late = late;
    s->by_other = by_other;
    s->sampled_waits = sampled;
}

void rows_read(struct watch *w)
{
    struct fw_waits_lock *locks = fw_waits_locks(w->waits);

    for (unsigned i = 0; i < FW_WAITS_LOCKS; i++) {
        uint64_t address = locks[i].address;
        struct seen *s;

        if (address == 0)
            continue;
        s = seen_entry(w, i, address, (pid_t)locks[i].tgid, locks[i].op);
        if (s != NULL)
            read_entry(s, &locks[i]);
    }
}

/* --- Those that wait now ---------------------------------------------------------------------- */

/* What nothing is known of, since the wait began before it was watched, or was no sample. */
static void look(struct seen *s, pid_t tid, const struct waits_stack *stack)
{
    struct process *process = (struct process *)s->shown.process;
    struct stacks_process *stacks;

    if (process->has_ended)
        return;
    stacks = processes_stacks(process);
    if (stack == NULL)
        stack = stacks_of_thread(stacks, tid, s->futex);
    if (stack == NULL)
        return;
    if (!s->has_kind)
        kind_find(&s->kind, stacks, stack, s->futex, NULL);
    s->has_kind = true;
    if (!s->kind.is_parker)
        waits_site_of(&s->shown, stack, NULL);
}

static uint64_t parked_for(const struct seen *s)
{
    struct process *process = (struct process *)s->shown.process;

    return process->has_ended ? 0 : kind_parked_on(&s->kind, processes_stacks(process), s->futex);
}

static void see_waiter(struct watch *w, const struct fw_waits_slot *slot, uint64_t now,
                       unsigned *looks)
{
    pid_t tid = (pid_t)slot->tid;
    uint64_t start = slot->start;
    const struct pending *p = &w->pending[slot->tid & (FW_WAITS_SLOTS - 1)];
    struct seen *s = slot->lock < FW_WAITS_LOCKS ? w->entries[slot->lock] : NULL;
    bool is_known = p->tid == tid && p->start == start;

    if (start == 0 || slot->woken != 0 || s == NULL)
        return;
    if (s->shown.site_count == 0 && *looks < LOOKS) {
        look(s, tid, is_known ? p->waiter : NULL);
        *looks += !is_known;
    }
    if (s->kind.is_parker)
        s = seen_parked(w, s, is_known ? p->object : parked_for(s));
    s->shown.waiters++;
    if (now > start && now - start > s->shown.oldest)
        s->shown.oldest = now - start;
}

static void see_waiters(struct watch *w)
{
    const struct fw_waits_slot *slots = fw_waits_slots(w->waits);
    uint64_t now = clock_ns();
    unsigned looks = 0;

    for (unsigned i = 0; i < FW_WAITS_SLOTS; i++)
        if (slots[i].start != 0)
            see_waiter(w, &slots[i], now, &looks);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void find_owner(const struct seen *s, struct waits_lock *row)
{
    struct process *process = (struct process *)s->shown.process;
    struct stacks_process *stacks;
    pid_t inner;

    if (process->has_ended)
        return;
    stacks = processes_stacks(process);
    row->owner_is_known = kind_owner(&s->kind, stacks, s->futex, &inner);
    if (!row->owner_is_known || inner == 0)
        return;
    /* What is no thread was no owner: the word is something else, or changed meanwhile. */
    row->owner = stacks_thread(stacks, inner);
    processes_thread_name(row->owner, row->owner_name);
    if (row->owner_name[0] == '\0') {
        row->owner = 0;
        row->owner_is_known = false;
    }
}

/* Of an object on which threads sleep at several addresses, as a rwlock, they are one row. */
static struct waits_lock *row_of(struct watch *w, const struct seen *s, unsigned *count)
{
    struct waits_lock *row;

    for (unsigned i = 0; i < *count && s->kind.object != 0; i++) {
        row = &w->rows[i];
        if (row->process == s->shown.process && row->address == s->kind.object &&
            row->kind == s->kind.text)
            return row;
    }
    row = &w->rows[(*count)++];
    *row = (struct waits_lock){.process = s->shown.process,
                               .address = s->kind.object,
                               .name = s->shown.name,
                               .kind = s->kind.text,
                               .class = s->kind.class,
                               .op = s->kind.op};
    return row;
}

static void add_to_row(struct waits_lock *row, const struct seen *s)
{
    const struct waits_lock *l = &s->shown;
    double waits = 0, ns = 0;

    row->waits += l->waits;
    row->total += l->total;
    row->late += l->late;
    row->by_other += l->by_other;
    row->waiters += l->waiters;
    if (l->longest > row->longest)
        row->longest = l->longest;
    if (l->oldest > row->oldest)
        row->oldest = l->oldest;
    for (unsigned i = 0; i < FW_WAITS_BUCKETS; i++)
        row->buckets[i] += l->buckets[i];
    for (unsigned i = 0; i < l->site_count; i++) {
        waits += l->sites[i].waits;
        ns += l->sites[i].ns;
    }
    /* All sites together have what the lock has. */
    for (unsigned i = 0; i < l->site_count; i++) {
        const struct waits_site *from = &l->sites[i];
        struct waits_site *to = waits_site_of(row, from->waiter, from->waker);
        to->samples += from->samples;
        to->waits += waits > 0 ? from->waits / waits * (double)l->waits : 0;
        to->ns += ns > 0 ? from->ns / ns * (double)l->total : 0;
        if (from->longest > to->longest)
            to->longest = from->longest;
    }
}

void rows_free(struct watch *w)
{
    for (unsigned i = 0; i < w->view.count; i++)
        free(w->view.locks[i]->sites);
    free(w->view.locks);
    free(w->rows);
    w->view.locks = NULL;
    w->rows = NULL;
    w->view.count = 0;
}

/* What is shown now is over. */
static void forget(struct seen *s)
{
    struct waits_lock *l = &s->shown;

    l->waits = l->total = l->late = l->longest = l->by_other = l->oldest = 0;
    l->waiters = 0;
    l->site_count = 0;
    memset(l->buckets, 0, sizeof l->buckets);
}

static void make_rows(struct watch *w)
{
    unsigned count = 0;

    w->rows = must(calloc(w->seen_count + 1, sizeof *w->rows));
    for (unsigned i = 0; i < w->seen_count; i++) {
        struct seen *s = w->all[i];

        s->row = NULL;
        if ((s->shown.waits == 0 && s->shown.waiters == 0) || (s->kind.is_parker && !s->is_parked))
            continue;
        seen_name(s);
        s->row = row_of(w, s, &count);
        add_to_row(s->row, s);
        if (s->row->owner == 0 && !s->row->owner_is_known)
            find_owner(s, s->row);
    }
    w->view.count = count;
    w->view.locks = must(calloc(count + 1, sizeof *w->view.locks));
    for (unsigned i = 0; i < count; i++)
        w->view.locks[i] = &w->rows[i];
    waits_sort(w->view.locks, count, w->options.order);
}

/* A sample's lock is an index of `all` until here: from here on, of the view. */
static void number_samples(struct watch *w)
{
    unsigned *at = must(calloc(w->view.count + 1, sizeof *at));
    size_t kept = 0;

    for (unsigned i = 0; i < w->view.count; i++)
        at[w->view.locks[i] - w->rows] = i;
    for (size_t i = 0; i < w->sample_count; i++) {
        const struct waits_lock *row = w->all[w->samples[i].lock]->row;
        if (row == NULL)
            continue;
        w->samples[kept] = w->samples[i];
        w->samples[kept++].lock = at[row - w->rows];
    }
    free(at);
    w->view.samples = w->samples;
    w->view.threads = w->threads;
    w->view.thread_count = w->thread_count;
    w->view.sample_count = w->sample_count = kept;
}

/* Those whose entry is another one's by now, and that have nothing to show any more. */
static void drop_old(struct watch *w)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < w->seen_count; i++) {
        struct seen *s = w->all[i];
        if (s->is_over) {
            for (unsigned t = 0; t < FW_WAITS_SLOTS; t++)
                if (w->pending[t].lock == s)
                    w->pending[t] = (struct pending){.tid = 0};
            free(s->shown.sites);
            free(s);
            continue;
        }
        s->index = kept;
        w->all[kept++] = s;
    }
    w->seen_count = kept;
}

void rows_make(struct watch *w, double seconds)
{
    const struct fw_waits_control *c = fw_waits_control(w->waits);
    struct waits_lost all = {c->no_slot + c->no_lock, c->no_buffer};

    rows_free(w);
    rows_read(w);
    see_waiters(w);
    make_rows(w);
    w->view.seconds = seconds;
    w->view.started = w->started;
    w->view.lost.waits = all.waits - w->lost.waits;
    w->view.lost.samples = all.samples - w->lost.samples;
    w->view.processes = w->processes.count;
    if (w->options.keep) {
        number_samples(w);
        return;
    }
    w->lost = all;
    for (unsigned i = 0; i < w->seen_count; i++)
        forget(w->all[i]);
    drop_old(w);
}
