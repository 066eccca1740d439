/* SPDX-License-Identifier: MIT */
#ifndef FW_CHECKING_EDGE_H
#define FW_CHECKING_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

/*
 * The edges of the order graph: a thread asked for `to` while it held `from` (marks: node.h).
 *
 *   thread   the first one that did, or FW_CHECK_MANY_
 *   guards   what it held besides, each time: two edges with a guard in common exclude each other
 *
 * key 0: free; else claimed for good.  `is_ready`: the rest is written; only then it is in the list
 * of its node.
 */
enum { FW_CHECK_EDGES = 1 << 15, FW_CHECK_GUARDS = 8 };

#define FW_CHECK_MANY_ UINT32_MAX

struct fw_check_edge_ {
    uint64_t key;
    uint32_t from, to;
    uint32_t next; /* of those that leave the same node, + 1; 0: the last */
    uint32_t thread;
    uint32_t is_ready;
    uint32_t unused;
    uint32_t guards[FW_CHECK_GUARDS]; /* marks; 0: none */
    struct fw_check_call_ call;       /* the first time; its locks: those of `from` and `to` then */
};

/*
 * Finds or makes it.  NULL: no room.  `is_news`: it is new, or is more now than it was: other
 * threads, fewer guards.
 */
struct fw_check_edge_ *fw_check_edge_(struct fw_check_thread_ *t, const struct fw_check_held_ *held,
                                      const void *object, uint32_t mark, const void *site,
                                      bool *is_news);

/* The same of an edge of a split class, between the locks of its first time. */
struct fw_check_edge_ *fw_check_edge_like_(const struct fw_check_edge_ *e, uint32_t from,
                                           uint32_t to);

struct fw_check_edge_ *fw_check_edge_at_(uint32_t index);

/* Can the two be under way at the same moment, in different threads? */
bool fw_check_edges_meet_(const struct fw_check_edge_ *a, const struct fw_check_edge_ *b);

/* cycle.c: reports the cycles that the edge closes; returns whether a class was split. */
bool fw_check_cycles_(struct fw_check_edge_ *e);

/* Splits the class: its locks are told apart from now on. */
void fw_check_split_(uint32_t node);

#endif
