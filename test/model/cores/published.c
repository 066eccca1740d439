/* SPDX-License-Identifier: MIT */
/*
 * Locks as their papers have them, to compare with.  Each thread has a line of its own for its
 * node; a pointer to a node is its address.
 */
#include <stdbool.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "locks.h"
#include "machine.h"
#include "sys/clock.h"

#define LINE 64u

/* --- test-and-test-and-set ------------------------------------------------------------------ */

static void ttas_lock(void *lock, unsigned self)
{
    uint32_t *held = lock;

    (void)self;
    while (fw_xchg32_acquire(held, 1) != 0)
        while (fw_load32_relaxed(held) != 0)
            fw_pause_();
}

static void ttas_unlock(void *lock, unsigned self)
{
    (void)self;
    fw_store32_release(lock, 0);
}

const struct cores_lock cores_ttas = {
    "ttas", "test and test-and-set", NULL, ttas_lock, ttas_unlock, NULL, NULL};

/* --- Tickets: Mellor-Crummey and Scott 1991, section 2.2 ------------------------------------ */

struct ticket {
    uint32_t next;
    uint8_t gap[LINE - sizeof(uint32_t)];
    uint32_t serving;
    uint8_t gap_behind[LINE - sizeof(uint32_t)];
};

static void wait_for_ticket(struct ticket *t)
{
    uint32_t mine = fw_add32_relaxed(&t->next, 1);

    while (fw_load32_acquire(&t->serving) != mine)
        fw_pause_();
}

static void serve_next(struct ticket *t)
{
    fw_store32_release(&t->serving, fw_load32_relaxed(&t->serving) + 1);
}

static void ticket_lock(void *lock, unsigned self)
{
    (void)self;
    wait_for_ticket(lock);
}

static void ticket_unlock(void *lock, unsigned self)
{
    (void)self;
    serve_next(lock);
}

const struct cores_lock cores_ticket = {
    "ticket",      "tickets, without backoff: all look at the number served",
    NULL,          ticket_lock,
    ticket_unlock, NULL,
    NULL};

/* --- MCS: the same paper, section 2.4 ------------------------------------------------------- */

struct mcs_node {
    uint64_t next;
    uint32_t is_served;
    uint8_t gap[LINE - 12];
};

struct mcs {
    uint64_t tail;
    uint8_t gap[LINE - sizeof(uint64_t)];
    struct mcs_node nodes[MACHINE_MAX_CORES];
};

static struct mcs_node *mcs_at(uint64_t node)
{
    return (struct mcs_node *)(uintptr_t)node;
}

static void mcs_lock(void *lock, unsigned self)
{
    struct mcs *l = lock;
    struct mcs_node *me = &l->nodes[self];
    uint64_t before;

    fw_store64_relaxed(&me->next, 0);
    before = fw_xchg64_seq_cst(&l->tail, (uint64_t)(uintptr_t)me);
    if (before == 0)
        return;
    fw_store32_relaxed(&me->is_served, 0);
    fw_store64_release(&mcs_at(before)->next, (uint64_t)(uintptr_t)me);
    while (fw_load32_acquire(&me->is_served) == 0)
        fw_pause_();
}

static void mcs_unlock(void *lock, unsigned self)
{
    struct mcs *l = lock;
    struct mcs_node *me = &l->nodes[self];
    uint64_t seen = (uint64_t)(uintptr_t)me, next;

    if (fw_load64_acquire(&me->next) == 0) {
        if (fw_cas64_release(&l->tail, &seen, 0))
            return;
        while (fw_load64_acquire(&me->next) == 0)
            fw_pause_();
    }
    next = fw_load64_relaxed(&me->next);
    fw_store32_release(&mcs_at(next)->is_served, 1);
}

const struct cores_lock cores_mcs = {
    "mcs", "a queue, each on its own line", NULL, mcs_lock, mcs_unlock, NULL, NULL};

/* --- CLH: Craig 1993; Magnussen, Landin, Hagersten 1994 ------------------------------------- */

struct clh_node {
    uint32_t is_waiting;
    uint8_t gap[LINE - sizeof(uint32_t)];
};

struct clh {
    uint64_t tail;
    uint8_t gap[LINE - sizeof(uint64_t)];
    struct clh_node nodes[MACHINE_MAX_CORES + 1];
    struct {
        struct clh_node *mine, *before; /* of one thread */
    } own[MACHINE_MAX_CORES];
};

static void clh_init(void *lock)
{
    struct clh *l = lock;

    for (unsigned i = 0; i < MACHINE_MAX_CORES; i++)
        l->own[i].mine = &l->nodes[i];
    l->tail = (uint64_t)(uintptr_t)&l->nodes[MACHINE_MAX_CORES];
}

static void clh_lock(void *lock, unsigned self)
{
    struct clh *l = lock;
    struct clh_node *me = l->own[self].mine;

    fw_store32_relaxed(&me->is_waiting, 1);
    l->own[self].before =
        (struct clh_node *)(uintptr_t)fw_xchg64_seq_cst(&l->tail, (uint64_t)(uintptr_t)me);
    while (fw_load32_acquire(&l->own[self].before->is_waiting) != 0)
        fw_pause_();
}

static void clh_unlock(void *lock, unsigned self)
{
    struct clh *l = lock;
    struct clh_node *me = l->own[self].mine;

    l->own[self].mine = l->own[self].before;
    fw_store32_release(&me->is_waiting, 0);
}

const struct cores_lock cores_clh = {
    "clh", "a queue, each on the line of who comes before", clh_init, clh_lock, clh_unlock, NULL,
    NULL};

/* --- Drepper, "Futexes Are Tricky": mutex3; unlocked by an exchange, as glibc does ------- */

static void drepper_lock(void *lock, unsigned self)
{
    uint32_t *word = lock;
    uint32_t seen = 0;

    (void)self;
    if (fw_cas32_acquire(word, &seen, 1))
        return;
    if (seen != 2)
        seen = fw_xchg32_acquire(word, 2);
    while (seen != 0) {
        fw_futex_wait(word, 2, FW_FUTEX_PRIVATE, NULL);
        seen = fw_xchg32_acquire(word, 2);
    }
}

static void drepper_unlock(void *lock, unsigned self)
{
    (void)self;
    if (fw_xchg32_release(lock, 0) == 2)
        fw_futex_wake(lock, 1, FW_FUTEX_PRIVATE);
}

const struct cores_lock cores_drepper = {
    "drepper", "glibc's normal mutex: Drepper's mutex3", NULL, drepper_lock, drepper_unlock, NULL,
    NULL};

/* --- Cohorts: Dice, Marathe, Shavit 2012, C-TKT-TKT ----------------------------------------- */

#define COHORT_PASSES 64u

struct cohort {
    struct ticket global;
    struct {
        struct ticket local;
        uint32_t has_global, passes; /* of who holds the local lock */
        uint8_t gap[LINE - 2 * sizeof(uint32_t)];
    } nodes[MACHINE_MAX_NODES];
};

static void cohort_lock(void *lock, unsigned self)
{
    struct cohort *l = lock;
    unsigned node = machine_node_of(self);

    wait_for_ticket(&l->nodes[node].local);
    if (fw_load32_relaxed(&l->nodes[node].has_global) == 0)
        wait_for_ticket(&l->global);
}

static void cohort_unlock(void *lock, unsigned self)
{
    struct cohort *l = lock;
    unsigned node = machine_node_of(self);
    struct ticket *local = &l->nodes[node].local;
    uint32_t passes = fw_load32_relaxed(&l->nodes[node].passes);
    bool is_alone = fw_load32_relaxed(&local->next) == fw_load32_relaxed(&local->serving) + 1;

    if (is_alone || passes == COHORT_PASSES) {
        fw_store32_relaxed(&l->nodes[node].passes, 0);
        fw_store32_relaxed(&l->nodes[node].has_global, 0);
        serve_next(&l->global);
    } else {
        fw_store32_relaxed(&l->nodes[node].passes, passes + 1);
        fw_store32_relaxed(&l->nodes[node].has_global, 1);
    }
    serve_next(local);
}

const struct cores_lock cores_cohort = {
    "cohort", "tickets within a node, and between nodes", NULL, cohort_lock, cohort_unlock, NULL,
    NULL};

/* --- CNA: Dice and Kogan 2019, Figures 2 to 4 ------------------------------------------------ */

#define CNA_LOCAL 65536u /* one release in this many goes to another node, too */
#define CNA_NOWHERE UINT32_MAX

struct cna_node {
    uint64_t spin;       /* 0: waits; 1: has the lock; else also the first of the second queue */
    uint64_t next, last; /* of the queue; of the second queue, where this is its first */
    uint32_t node;
    uint8_t gap[LINE - 28];
};

struct cna {
    uint64_t tail;
    uint8_t gap[LINE - sizeof(uint64_t)];
    struct cna_node nodes[MACHINE_MAX_CORES];
    uint32_t releases; /* counted by who has the lock */
};

static struct cna_node *cna_at(uint64_t node)
{
    return (struct cna_node *)(uintptr_t)node;
}

static void cna_lock(void *lock, unsigned self)
{
    struct cna *l = lock;
    struct cna_node *me = &l->nodes[self];
    uint64_t before;

    fw_store64_relaxed(&me->next, 0);
    fw_store32_relaxed(&me->node, CNA_NOWHERE);
    fw_store64_relaxed(&me->spin, 0);
    before = fw_xchg64_seq_cst(&l->tail, (uint64_t)(uintptr_t)me);
    if (before == 0) {
        fw_store64_relaxed(&me->spin, 1);
        return;
    }
    fw_store32_relaxed(&me->node, machine_node_of(self));
    fw_store64_release(&cna_at(before)->next, (uint64_t)(uintptr_t)me);
    while (fw_load64_acquire(&me->spin) == 0)
        fw_pause_();
}

/* The first of the queue that is on this node; those in front of it go to the second queue. */
static uint64_t cna_successor(struct cna_node *me, uint32_t node)
{
    uint64_t first = fw_load64_acquire(&me->next), last = first, spin;

    if (fw_load32_relaxed(&cna_at(first)->node) == node)
        return first;
    for (uint64_t at = fw_load64_acquire(&cna_at(first)->next); at != 0;
         at = fw_load64_acquire(&cna_at(at)->next)) {
        if (fw_load32_relaxed(&cna_at(at)->node) != node) {
            last = at;
            continue;
        }
        spin = fw_load64_relaxed(&me->spin);
        if (spin > 1)
            fw_store64_relaxed(&cna_at(fw_load64_relaxed(&cna_at(spin)->last))->next, first);
        else
            fw_store64_relaxed(&me->spin, spin = first);
        fw_store64_relaxed(&cna_at(last)->next, 0);
        fw_store64_relaxed(&cna_at(spin)->last, last);
        return at;
    }
    return 0;
}

/* True: the queue is empty, and the lock free or with the second queue. */
static bool cna_ends_queue(struct cna *l, struct cna_node *me)
{
    uint64_t seen = (uint64_t)(uintptr_t)me, spin = fw_load64_relaxed(&me->spin);
    uint64_t last = spin > 1 ? fw_load64_relaxed(&cna_at(spin)->last) : 0;

    if (!fw_cas64_seq_cst(&l->tail, &seen, last))
        return false;
    if (spin > 1)
        fw_store64_release(&cna_at(spin)->spin, 1);
    return true;
}

static void cna_unlock(void *lock, unsigned self)
{
    struct cna *l = lock;
    struct cna_node *me = &l->nodes[self];
    uint64_t next = 0, spin, last;

    if (fw_load64_acquire(&me->next) == 0) {
        if (cna_ends_queue(l, me))
            return;
        while (fw_load64_acquire(&me->next) == 0)
            fw_pause_();
    }
    if (++l->releases % CNA_LOCAL != 0)
        next = cna_successor(me, machine_node_of(self));
    spin = fw_load64_relaxed(&me->spin);
    if (next != 0) {
        fw_store64_release(&cna_at(next)->spin, spin);
        return;
    }
    if (spin > 1) {
        last = fw_load64_relaxed(&cna_at(spin)->last);
        fw_store64_relaxed(&cna_at(last)->next, fw_load64_relaxed(&me->next));
        fw_store64_release(&cna_at(spin)->spin, 1);
        return;
    }
    fw_store64_release(&cna_at(fw_load64_relaxed(&me->next))->spin, 1);
}

const struct cores_lock cores_cna = {
    "cna", "a queue that keeps to a node, and a second queue", NULL, cna_lock, cna_unlock, NULL,
    NULL};
