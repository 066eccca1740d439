/* SPDX-License-Identifier: MIT */
#ifndef MODEL_QUICK_H
#define MODEL_QUICK_H

#include "engine/search.h"

/*
 * A search of model_program that does not take long: as the program says (at most `preemptions`)
 * where that is little, and else with few preemptions, and not on beyond so many states.  What is
 * to fail is looked for in all of these searches.
 */
void quick_search(uint32_t preemptions, bool must_fail, struct search_result *result);

/* Does a full search of the program take long?  --most searches these quickly. */
bool quick_is_large(const char *program);

/* It has ended before it has seen all, or has not found what a full one finds. */
bool quick_is_open(const struct search_result *result, bool must_fail);

#endif
