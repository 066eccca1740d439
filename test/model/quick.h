/* SPDX-License-Identifier: MIT */
#ifndef MODEL_QUICK_H
#define MODEL_QUICK_H

#include "engine/search.h"

/*
 * A search of model_program that does not take long: as the program says (at most `preemptions`)
 * where that is little, and else with few preemptions, and not beyond that many states, and walks.
 * What is to fail is looked for in all of these searches.  Of a large program (below) only the
 * latter are made, and go further.
 */
void quick_search(uint32_t preemptions, bool must_fail, bool is_large,
                  struct search_result *result);

/*
 * Looks for a failure of model_program: by walks and by quick searches, which find most faults in
 * a small part of a full search's time.  Then, if `is_full`, by more walks and by a full one: at
 * once, where that is known to be what finds this fault.
 */
void quick_find(const char *fault, const struct search_limits *full, bool is_full,
                struct search_result *result);

/* Does a full search of the program take long?  --most searches these quickly. */
bool quick_is_large(const char *program);

/* Is that a fault which walks miss? */
bool quick_is_unwalked(const char *fault);

/* Ends the program with bad usage if these two know a name that no program or fault has. */
void quick_check_names(void);

/* It has ended before it has seen all, or has not found what a full one finds. */
bool quick_is_open(const struct search_result *result, bool must_fail);

#endif
