/* SPDX-License-Identifier: MIT */
#ifndef CORES_MACHINE_H
#define CORES_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A machine with coherent caches, as far as locks feel it: each line is modified in one cache, or
 * shared by several, or in memory only.  Caches have room for everything.  Reads of a line that is
 * being passed on wait until it is there; so do writes, which take it from everybody.
 *
 * Times are in picoseconds.
 */

#define MACHINE_MAX_CORES 128u
#define MACHINE_MAX_NODES 8u
#define NS UINT64_C(1000)

struct machine_costs {
    uint64_t hit;       /* an access to what the core has */
    uint64_t locked;    /* a locked instruction, on top of that */
    uint64_t near, far; /* a line comes from a core of the same node, of another one */
    uint64_t memory;    /* from memory, where no core has it */
    uint64_t busy;      /* how long a line that is read by one can go to nobody else */
    uint64_t hold;      /* how long a core has a line that it has got before others may take it */
    uint64_t pause;     /* of a thread that polls */
    uint64_t clock;     /* it is read */
    uint64_t call;      /* into the kernel and out of it */
    uint64_t wake;      /* what is done to wake one */
    uint64_t latency;   /* until a woken thread runs */
    uint64_t interrupt; /* a core is interrupted for a fence of others */
};
extern struct machine_costs machine_costs;

extern unsigned machine_cores, machine_nodes;

static inline unsigned machine_node_of(unsigned core)
{
    return core * machine_nodes / machine_cores;
}

/* What happened, since the last reset. */
struct machine_counts {
    uint64_t near, far, memory; /* lines that came */
};
extern struct machine_counts machine_counts;

/* All lines are in memory only. */
void machine_reset(unsigned cores, unsigned nodes);

enum machine_access { MACHINE_READ, MACHINE_WRITE };

/*
 * A core wants to read the word at addr, or to write to it: when the access is over.  Others get
 * the line in the order in which they ask for it; who has it goes on with it until it is taken.
 */
uint64_t machine_ask(unsigned core, uint64_t addr, enum machine_access access, uint64_t now);

/* The access is over. */
void machine_done(unsigned core, uint64_t addr, uint64_t now);

#endif
