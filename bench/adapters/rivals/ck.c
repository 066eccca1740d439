/* SPDX-License-Identifier: MIT */
/* The MCS, ticket and phase-fair spin locks of Concurrency Kit (concurrencykit.org). */
#include <ck_pflock.h>
#include <ck_spinlock.h>

#include "bench/adapters/rw_adapter_define.h"

/*
 * An MCS lock wants a queue node per acquisition, from lock to unlock.  Each thread keeps a few
 * of its own: as many as it can hold locks at a time.  The loop does as a user does who locks and
 * unlocks in one function: the node is on its stack.
 */
enum { NODES = 16, CACHE_LINE = 64 };

struct node {
    ck_spinlock_mcs_context_t context;
    ck_spinlock_mcs_t *of; /* the lock that this node queues for; NULL: unused */
} __attribute__((aligned(CACHE_LINE)));

static __thread struct node nodes[NODES];

static struct node *node_of(ck_spinlock_mcs_t *l)
{
    struct node *n = nodes;

    while (n->of != l && n < nodes + NODES - 1)
        n++;
    return n;
}

static void mcs_acquire(ck_spinlock_mcs_t *l)
{
    struct node *n = node_of(NULL);

    n->of = l;
    ck_spinlock_mcs_lock(l, &n->context);
}

static int mcs_try(ck_spinlock_mcs_t *l)
{
    struct node *n = node_of(NULL);

    if (!ck_spinlock_mcs_trylock(l, &n->context))
        return EBUSY;
    n->of = l;
    return 0;
}

static void mcs_release(ck_spinlock_mcs_t *l)
{
    struct node *n = node_of(l);

    ck_spinlock_mcs_unlock(l, &n->context);
    n->of = NULL;
}

ADAPTER_INIT(mcs, ck_spinlock_mcs_t, (ck_spinlock_mcs_init(l), 0))
ADAPTER_LOCKS(mcs, ck_spinlock_mcs_t, mcs_acquire(l), mcs_release(l))
ADAPTER_LOOP(mcs, ck_spinlock_mcs_t, ck_spinlock_mcs_context_t node;
             ck_spinlock_mcs_lock(l, &node), ck_spinlock_mcs_unlock(l, &node))
ADAPTER_TRYLOCK(mcs, ck_spinlock_mcs_t, mcs_try(l))

const struct adapter adapter_ck_mcs = {
    .name = "ck-mcs",
    .about = "MCS queue spin lock of Concurrency Kit",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_FAIR | ADAPTER_SPINS,
    ADAPTER_TYPE(mcs, ck_spinlock_mcs_t),
    .trylock = mcs_trylock_,
};

ADAPTER_INIT(ticket, ck_spinlock_ticket_t, (ck_spinlock_ticket_init(l), 0))
ADAPTER_CALLS(ticket, ck_spinlock_ticket_t, ck_spinlock_ticket_lock(l),
              ck_spinlock_ticket_unlock(l))

/* Not every CPU has the operations that a try needs. */
#ifdef CK_F_SPINLOCK_TICKET_TRYLOCK
ADAPTER_TRYLOCK(ticket, ck_spinlock_ticket_t, ck_spinlock_ticket_trylock(l) ? 0 : EBUSY)
#else
#define ticket_trylock_ NULL
#endif

const struct adapter adapter_ck_ticket = {
    .name = "ck-ticket",
    .about = "ticket spin lock of Concurrency Kit",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_FAIR | ADAPTER_SPINS | ADAPTER_FREEABLE,
    ADAPTER_TYPE(ticket, ck_spinlock_ticket_t),
    .trylock = ticket_trylock_,
};

ADAPTER_INIT(pf, ck_pflock_t, (ck_pflock_init(l), 0))
RW_CALLS(pf, ck_pflock_t, ck_pflock_read_lock(l), ck_pflock_read_unlock(l), ck_pflock_write_lock(l),
         ck_pflock_write_unlock(l))

/* Not freeable: to unlock for writing takes two steps, and the first lets readers in. */
const struct rw_adapter rw_adapter_ck_pflock = {
    .name = "ck-pflock",
    .about = "phase-fair spin lock of Concurrency Kit (Brandenburg and Anderson)",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_SPINS,
    ADAPTER_OBJECT(ck_pflock_t, pf_init_),
    .preference = RW_PREFER_FAIR,
    RW_MEMBERS(pf),
    RW_NO_TRY,
    RW_NOT_TIMED,
};
