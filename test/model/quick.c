/* SPDX-License-Identifier: MIT */
#include "quick.h"

void quick_search(uint32_t preemptions, bool must_fail, struct search_result *result)
{
    static const struct search_limits steps[] = {
        {SEARCH_UNBOUNDED, 40000, NULL}, {1, 120000, NULL}, {0, 240000, NULL}};

    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct search_limits limits = steps[i];

        if (limits.preemptions > preemptions)
            limits.preemptions = preemptions;
        search(&limits, result);
        if (result->outcome == SEARCH_FAILED || (result->outcome == SEARCH_PASSED && !must_fail))
            return;
    }
}

bool quick_is_open(const struct search_result *result, bool must_fail)
{
    return result->outcome != SEARCH_FAILED && (must_fail || result->outcome == SEARCH_TOO_LARGE);
}
