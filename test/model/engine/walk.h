/* SPDX-License-Identifier: MIT */
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include "search.h"

/*
 * Schedules by chance, each run in one go from the start.  Nothing is stored, so a step takes a
 * third of a search's, and a failure that needs a long schedule is met early.  What is found is
 * found; that nothing is found says nothing.  A walk that does not end may have no way to: the
 * first of these are followed by a search of what can be reached from there, if that is little.
 *
 * Up to that many steps in all, within limits->preemptions; the same ones in each run with the same
 * seed.  True: a failure was found, in the last of result->walks.
 */
bool walk(const struct search_limits *limits, uint32_t seed, uint64_t steps,
          struct search_result *result);

#endif
