/* SPDX-License-Identifier: MIT */
/* Contract: edge.h.  A table with open addressing, in .bss. */
#include "edge.h"

#include <stddef.h>

#include "sys/single_threaded.h"

enum { PROBES = 64 };

static struct fw_check_edge_ edges[FW_CHECK_EDGES];

static uint64_t key_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return key ^ key >> 32;
}

static struct fw_check_edge_ *find(uint64_t key, bool *is_new)
{
    uint64_t start = mix(key);
    struct fw_check_ *file;

    *is_new = false;
    for (unsigned i = 0; i < PROBES; i++) {
        struct fw_check_edge_ *e = &edges[(start + i) % FW_CHECK_EDGES];
        uint64_t there = fw_load64_acquire(&e->key);

        if (there == 0 && fw_cas64_acq_rel(&e->key, &there, key)) /* free -> key */
            *is_new = true;
        if (*is_new || there == key)
            return e;
    }
    file = fw_check_file_();
    if (file != NULL)
        fw_add64_release(&file->lost_edges, 1);
    return NULL;
}

struct fw_check_edge_ *fw_check_edge_at_(uint32_t index)
{
    return &edges[index];
}

/* Makes it visible to those who look for cycles. */
static void publish(struct fw_check_edge_ *e)
{
    uint32_t *out = &fw_check_node_of_(e->from)->out;
    uint32_t first = fw_load32_relaxed(out);

    fw_fence_release();
    do
        e->next = first;
    while (!fw_cas32_acquire(out, &first, (uint32_t)(e - edges) + 1));
    fw_store32_release(&e->is_ready, 1);
    fw_fence_seq_cst(); /* of two threads that close a cycle, one sees the other's edge */
}

/* --- Guards ----------------------------------------------------------------------------------- */

static void set_guards(struct fw_check_edge_ *e, const struct fw_check_thread_ *t,
                       const struct fw_check_held_ *held)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < t->count && n < FW_CHECK_GUARDS; i++)
        if (&t->held[i] != held && t->held[i].object != NULL)
            e->guards[n++] = t->held[i].mark;
}

static bool holds(const struct fw_check_thread_ *t, const struct fw_check_held_ *except,
                  uint32_t mark)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (&t->held[i] != except && t->held[i].object != NULL && t->held[i].mark == mark)
            return true;
    return false;
}

/* What is not held this time is no guard.  True: there was one that is none. */
static bool reduce_guards(struct fw_check_edge_ *e, const struct fw_check_thread_ *t,
                          const struct fw_check_held_ *held)
{
    bool is_news = false;

    for (unsigned i = 0; i < FW_CHECK_GUARDS; i++) {
        uint32_t guard = fw_load32_relaxed(&e->guards[i]);

        if (guard != 0 && !holds(t, held, guard)) {
            fw_store32_relaxed(&e->guards[i], 0);
            is_news = true;
        }
    }
    return is_news;
}

/* A guard that both have, and that not both only read. */
static bool have_common_guard(const struct fw_check_edge_ *a, const struct fw_check_edge_ *b)
{
    for (unsigned i = 0; i < FW_CHECK_GUARDS; i++)
        for (unsigned k = 0; k < FW_CHECK_GUARDS && a->guards[i] != 0; k++)
            if (b->guards[k] >> 1 == a->guards[i] >> 1 && (b->guards[k] & a->guards[i] & 1) == 0)
                return true;
    return false;
}

bool fw_check_edges_meet_(const struct fw_check_edge_ *a, const struct fw_check_edge_ *b)
{
    if (a->thread == b->thread && a->thread != FW_CHECK_MANY_)
        return false;
    return !have_common_guard(a, b);
}

/* --- Making ----------------------------------------------------------------------------------- */

static bool see_again(struct fw_check_edge_ *e, const struct fw_check_thread_ *t,
                      const struct fw_check_held_ *held)
{
    bool is_news = false;

    if (fw_load32_acquire(&e->is_ready) == 0)
        return false; /* another thread is at it, and will look */
    if (e->thread != FW_CHECK_MANY_ && e->thread != t->thread) {
        fw_store32_relaxed(&e->thread, FW_CHECK_MANY_);
        is_news = true;
    }
    return reduce_guards(e, t, held) || is_news;
}

struct fw_check_edge_ *fw_check_edge_(struct fw_check_thread_ *t, const struct fw_check_held_ *held,
                                      const void *object, uint32_t mark, const void *site,
                                      bool *is_news)
{
    bool is_new;
    struct fw_check_edge_ *e = find(key_of(held->mark, mark), &is_new);

    *is_news = false;
    if (e == NULL)
        return NULL;
    if (!is_new) {
        *is_news = see_again(e, t, held);
        return e;
    }
    e->from = held->mark;
    e->to = mark;
    e->thread = t->thread;
    set_guards(e, t, held);
    fw_check_call_here_(&e->call, object, site);
    e->call.lock.made_at = fw_check_node_of_(mark)->made_at;
    e->call.flags |= fw_check_reads_(mark) ? FW_CHECK_READS : 0u;
    fw_check_call_holds_(&e->call, held);
    publish(e);
    *is_news = true;
    return e;
}

struct fw_check_edge_ *fw_check_edge_like_(const struct fw_check_edge_ *like, uint32_t from,
                                           uint32_t to)
{
    bool is_new;
    struct fw_check_edge_ *e = find(key_of(from, to), &is_new);

    if (e == NULL || !is_new)
        return NULL;
    e->from = from;
    e->to = to;
    e->thread = like->thread;
    for (unsigned i = 0; i < FW_CHECK_GUARDS; i++)
        e->guards[i] = like->guards[i];
    e->call = like->call;
    publish(e);
    return e;
}
