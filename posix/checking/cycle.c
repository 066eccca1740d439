/* SPDX-License-Identifier: MIT */
/*
 * Which cycles does a new edge close?  A walk over the graph, from where the edge leads to where it
 * comes from.  Origin: lockdep (Linux, kernel/locking/lockdep.c): classes, chains, kinds of
 * readers; that guards are looked at, and that classes are split, is our own.
 *
 * A cycle is reported if all of its edges can be under way at the same moment:
 *   - each two of them come from different threads, and have no guard in common;
 *   - where one ends and the next begins, it is the same lock, and not both only read it (unless it
 *     lets no reader pass a waiting writer, and has had one).
 *
 * A class stands for many locks.  If the edges on its two sides were first seen with different
 * ones, nothing is known yet: it is split, and the walk is made again with the locks themselves.
 */
#include <string.h>

#include "edge.h"

/* Longer cycles are not looked for; and a search ends after this many steps. */
enum { LENGTH = FW_CHECK_CALLS, STEPS = 100000 };

struct walk {
    struct fw_check_thread_ *me;
    struct fw_check_edge_ *path[LENGTH]; /* the new edge first */
    unsigned depth;
    unsigned steps;
    bool has_split;
};

static bool is_dead(const struct walk *w, uint32_t node)
{
    return (w->me->dead[node / 32] >> node % 32 & 1) != 0;
}

/* --- A cycle ---------------------------------------------------------------------------------- */

static bool blocks(const struct fw_check_edge_ *in, const struct fw_check_edge_ *out)
{
    const struct fw_check_node_ *n = fw_check_node_of_(in->to);

    return !fw_check_reads_(in->to) || !fw_check_reads_(out->from) ||
           (n->blocks_readers && n->is_written);
}

static bool is_same_lock(const struct fw_check_edge_ *in, const struct fw_check_edge_ *out)
{
    return (fw_check_node_of_(in->to)->key & FW_CHECK_CLASS_) == 0 ||
           in->call.lock.object == out->call.held.object;
}

static const struct fw_check_edge_ *after(const struct walk *w, unsigned i)
{
    return w->path[(i + 1) % w->depth];
}

static bool is_possible(const struct walk *w)
{
    for (unsigned i = 0; i < w->depth; i++) {
        if (!blocks(w->path[i], after(w, i)))
            return false;
        for (unsigned k = i + 1; k < w->depth; k++)
            if (!fw_check_edges_meet_(w->path[i], w->path[k]))
                return false;
    }
    return true;
}

/* True: the locks are the same all around. */
static bool is_exact(struct walk *w)
{
    uint32_t split[LENGTH];
    unsigned n = 0;

    for (unsigned i = 0; i < w->depth; i++)
        if (!is_same_lock(w->path[i], after(w, i)))
            split[n++] = w->path[i]->to >> 1;
    for (unsigned i = 0; i < n; i++)
        fw_check_split_(split[i]);
    w->has_split |= n != 0;
    return n == 0;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 33;
}

/* The same from whichever edge one begins; of locks of a class, the class counts. */
static uint64_t name_of(const struct walk *w)
{
    uint64_t name = 0;

    for (unsigned i = 0; i < w->depth; i++) {
        const struct fw_check_node_ *n = fw_check_node_of_(w->path[i]->to);
        bool is_one = (n->key & (FW_CHECK_CLASS_ | FW_CHECK_INSTANCE_)) == 0;

        name += mix((is_one ? n->key : n->made_at) + w->depth) +
                (is_one ? 0 : mix(w->path[i]->call.frames[0]));
    }
    return name | 1;
}

static void report(const struct walk *w)
{
    struct fw_check_finding_ finding = {
        .key = name_of(w), .kind = FW_CHECK_ORDER, .calls = w->depth};

    for (unsigned i = 0; i < w->depth; i++)
        finding.call[i] = w->path[i]->call;
    fw_check_report_(&finding);
}

/* --- The walk --------------------------------------------------------------------------------- */

static bool is_on_path(const struct walk *w, uint32_t node)
{
    for (unsigned i = 0; i < w->depth; i++)
        if (w->path[i]->to >> 1 == node)
            return true;
    return false;
}

static bool close_cycle(struct walk *w)
{
    if (is_possible(w) && is_exact(w))
        report(w);
    return true;
}

static bool visit(struct walk *w, uint32_t node);

/* Does it lead to the beginning, as far as is known? */
static bool follow(struct walk *w, struct fw_check_edge_ *e)
{
    uint32_t node = e->to >> 1;
    bool leads = true;

    if (fw_load32_acquire(&e->is_ready) == 0)
        return true;
    w->path[w->depth++] = e;
    if (node == w->path[0]->from >> 1)
        close_cycle(w);
    else if (w->depth < LENGTH)
        leads = visit(w, node);
    w->depth--;
    return leads;
}

/* False: from there, nothing leads to the beginning. */
static bool visit(struct walk *w, uint32_t node)
{
    bool leads = false;

    for (uint32_t i = fw_load32_acquire(&fw_check_nodes_[node].out); i != 0;) {
        struct fw_check_edge_ *e = fw_check_edge_at_(i - 1);
        uint32_t to = e->to >> 1;
        bool is_end = to == w->path[0]->from >> 1;

        i = e->next;
        if (w->has_split || ++w->steps > STEPS)
            return true;
        if (!is_end && is_dead(w, to))
            continue;
        if (!is_end && is_on_path(w, to))
            leads = true; /* by another way, perhaps */
        else
            leads |= follow(w, e);
    }
    if (!leads)
        w->me->dead[node / 32] |= UINT32_C(1) << node % 32;
    return leads;
}

bool fw_check_cycles_(struct fw_check_edge_ *e)
{
    struct walk w = {.me = fw_check_me_, .path = {e}, .depth = 1};

    memset(w.me->dead, 0, sizeof w.me->dead);
    visit(&w, e->to >> 1);
    return w.has_split;
}

/* --- Splitting -------------------------------------------------------------------------------- */

static uint32_t own_mark(uint32_t mark, const struct fw_check_lock_ *lock)
{
    struct fw_check_node_ *n = fw_check_node_of_(mark);
    uint32_t own;

    if (n->is_split == 0)
        return mark;
    own = fw_check_instance_((const void *)(uintptr_t)lock->object, n);
    return own != 0 ? own << 1 | (mark & 1) : mark;
}

/*
 * What its edges have shown so far, they have shown of the locks of their first time.  Nothing is
 * looked for there: whoever does the same again, closes the cycle then.
 */
void fw_check_split_(uint32_t node)
{
    uint32_t is_split = 0;

    if (!fw_cas32_acquire(&fw_check_nodes_[node].is_split, &is_split, 1))
        return;
    fw_add32_release(&fw_check_epoch_, 1);
    for (uint32_t i = 0; i < FW_CHECK_EDGES; i++) {
        struct fw_check_edge_ *e = fw_check_edge_at_(i);

        if (fw_load32_acquire(&e->is_ready) == 0 || (e->from >> 1 != node && e->to >> 1 != node))
            continue;
        fw_check_edge_like_(e, own_mark(e->from, &e->call.held), own_mark(e->to, &e->call.lock));
    }
}
