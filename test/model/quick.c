/* SPDX-License-Identifier: MIT */
#include "quick.h"

#include <string.h>

void quick_search(uint32_t preemptions, bool must_fail, struct search_result *result)
{
    /* Faults are looked for twice as far. */
    const uint32_t far = must_fail ? 2 : 1;
    const struct search_limits steps[] = {
        {SEARCH_UNBOUNDED, far * 20000, NULL}, {1, far * 60000, NULL}, {0, far * 120000, NULL}};

    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct search_limits limits = steps[i];

        if (limits.preemptions > preemptions)
            limits.preemptions = preemptions;
        search(&limits, result);
        if (result->outcome == SEARCH_FAILED || (result->outcome == SEARCH_PASSED && !must_fail))
            return;
    }
}

/* Those of more than two million states. */
static const char *const large[] = {
    "cond-broadcast-baton",
    "cond-broadcast-passed",
    "default-three",
    "ipc-barrier-fails-three",
    "ipc-barrier-goes-on-three",
    "ipc-barrier-joins-three",
    "ipc-barrier-leaves-three",
    "ipc-barrier-resets-three",
    "ipc-barrier-retakes-both",
    "ipc-barrier-three",
    "ipc-journal-kill-two",
    "ipc-kill-again",
    "ipc-lies-three",
    "ipc-lines",
    "ipc-lines-unmarked",
    "ipc-member-three",
    "ipc-rw-mixed",
    "ipc-rw-readers",
    "ipc-rw-repairs",
    "ipc-rw-tidy-three",
    "ipc-spurious",
    "lies-storm",
    "rt-claim-four",
    "rt-fmlp-held-back",
    "rt-fmlp-kill-both",
    "rt-mpcp-held-back",
    "rt-pcp-again",
    "rw-urgent-comer",
    "sem-starving-two",
    "storm",
    "truth-generic",
};

bool quick_is_large(const char *program)
{
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++)
        if (strcmp(program, large[i]) == 0)
            return true;
    return false;
}

bool quick_is_open(const struct search_result *result, bool must_fail)
{
    return result->outcome != SEARCH_FAILED && (must_fail || result->outcome == SEARCH_TOO_LARGE);
}
