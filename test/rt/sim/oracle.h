/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_ORACLE_H
#define FW_TEST_RT_SIM_ORACLE_H

#include "play.h"

/*
 * The protocols as their inventors define them, with nothing deferred and everything kept
 * explicitly: who is blocked, who waits in which queue, when each request was made by one
 * clock for all.  Knows nothing of rt/decide.h.
 *
 * PIP, PCP  Sha, Rajkumar, Lehoczky, "Priority inheritance protocols: an approach to real-time
 *           synchronization", IEEE Transactions on Computers 39 (1990)
 * IPCP      Baker, "Stack-based scheduling of realtime processes", Real-Time Systems 3 (1991)
 * MPCP      Rajkumar, "Real-time synchronization protocols for shared memory multiprocessors",
 *           ICDCS 1990
 * FMLP+     Brandenburg, "The FMLP+: an asymptotically optimal real-time locking protocol for
 *           suspension-aware analysis", ECRTS 2014
 *
 * Where jobs may sleep in their sections, which the first three do not look at: PCP as Splet et al.
 * have it (section II-D: the owner of the system ceiling inherits), and IPCP with the same test.
 */
extern const struct sim_rules sim_oracle;

#endif
