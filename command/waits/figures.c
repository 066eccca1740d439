/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

void waits_bucket_bounds(unsigned bucket, uint64_t *from, uint64_t *to)
{
    const uint64_t parts = UINT64_C(1) << FW_WAITS_SUB_BITS;

    *from = 0;
    *to = UINT64_C(1) << FW_WAITS_FIRST_BIT;
    if (bucket == 0)
        return;

    unsigned bit = FW_WAITS_FIRST_BIT + (bucket - 1) / (unsigned)parts;
    uint64_t part = (bucket - 1) % parts;
    *from = (parts + part) << (bit - FW_WAITS_SUB_BITS);
    *to = (parts + part + 1) << (bit - FW_WAITS_SUB_BITS);
}

/* Within the bucket as if its waits were evenly spread, and never above the longest. */
uint64_t waits_quantile(const struct waits_lock *lock, double part)
{
    uint64_t all = 0, seen = 0, from, to;

    for (unsigned i = 0; i < FW_WAITS_BUCKETS; i++)
        all += lock->buckets[i];
    double wanted = part * (double)all;
    for (unsigned i = 0; i < FW_WAITS_BUCKETS; i++) {
        if (lock->buckets[i] == 0 || (double)(seen += lock->buckets[i]) < wanted)
            continue;
        waits_bucket_bounds(i, &from, &to);
        double behind = ((double)seen - wanted) / lock->buckets[i];
        uint64_t ns = to - (uint64_t)((double)(to - from) * behind);
        return lock->longest != 0 && ns > lock->longest ? lock->longest : ns;
    }
    return 0;
}

/* --- Order ------------------------------------------------------------------------------------ */

static enum waits_order order_now;

static int by_size(uint64_t a, uint64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_locks(const void *x, const void *y)
{
    const struct waits_lock *a = *(struct waits_lock *const *)x,
                            *b = *(struct waits_lock *const *)y;
    int first = 0;

    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (order_now == WAITS_BY_COUNT)
        first = by_size(a->waits, b->waits);
    else if (order_now == WAITS_BY_LONGEST)
        first = by_size(a->longest, b->longest);
    if (first == 0)
        first = by_size(a->total, b->total);
    if (first == 0)
        first = by_size(a->waiters, b->waiters);
    return first != 0 ? first : by_size(b->address, a->address);
}

static int compare_sites(const void *x, const void *y)
{
    const struct waits_site *a = x, *b = y;

    return a->ns < b->ns ? 1 : a->ns > b->ns ? -1 : by_size(a->samples, b->samples);
}

void waits_sort(struct waits_lock **locks, unsigned count, enum waits_order order)
{
    order_now = order;
    if (count > 0)
        qsort(locks, count, sizeof *locks, compare_locks);
    for (unsigned i = 0; i < count; i++)
        if (locks[i]->site_count > 0)
            qsort(locks[i]->sites, locks[i]->site_count, sizeof *locks[i]->sites, compare_sites);
}

void waits_sort_with_samples(struct waits_view *v, enum waits_order order)
{
    struct waits_lock **before = calloc(v->count + 1, sizeof(struct waits_lock *));
    unsigned *at = calloc(v->count + 1, sizeof *at);

    if (before == NULL || at == NULL)
        abort();
    memcpy(before, v->locks, v->count * sizeof(struct waits_lock *));
    waits_sort(v->locks, v->count, order);
    for (unsigned i = 0; i < v->count; i++)
        for (unsigned k = 0; k < v->count; k++)
            if (before[i] == v->locks[k])
                at[i] = k;
    for (size_t i = 0; i < v->sample_count; i++)
        v->samples[i].lock = at[v->samples[i].lock];
    free(before);
    free(at);
}

struct waits_site *waits_site_of(struct waits_lock *lock, const struct waits_stack *waiter,
                                 const struct waits_stack *waker)
{
    for (unsigned i = 0; i < lock->site_count; i++)
        if (lock->sites[i].waiter == waiter && lock->sites[i].waker == waker)
            return &lock->sites[i];
    lock->sites = realloc(lock->sites, (lock->site_count + 1) * sizeof *lock->sites);
    if (lock->sites == NULL)
        abort();
    lock->sites[lock->site_count] = (struct waits_site){.waiter = waiter, .waker = waker};
    return &lock->sites[lock->site_count++];
}

/* --- Texts ------------------------------------------------------------------------------------ */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

const char *waits_lock_text(const struct waits_lock *lock, char *text, size_t size)
{
    if (lock->name != NULL)
        snprintf(text, size, "%s", lock->name);
    else
        snprintf(text, size, "0x%" PRIx64, lock->address);
    return text;
}

const char *waits_frame_text(const struct waits_frame *frame, char *text, size_t size)
{
    const char *guess = frame->is_guess ? "?" : "";

    if (frame->function != NULL && frame->line != 0)
        snprintf(text, size, "%s%s (%s:%d)", guess, frame->function, last_part(frame->file),
                 frame->line);
    else if (frame->function != NULL)
        snprintf(text, size, "%s%s", guess, frame->function);
    else if (frame->module != NULL && frame->module[0] == '/')
        snprintf(text, size, "%s%s+0x%" PRIx64, guess, last_part(frame->module), frame->offset);
    else
        snprintf(text, size, "%s0x%" PRIx64, guess, frame->address);
    return text;
}
