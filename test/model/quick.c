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

/* Those of more than a million states. */
static const char *const large[] = {
    "await-timed",
    "cond-broadcast-baton",
    "cond-broadcast-passed",
    "cond-broadcast-signal",
    "cond-foreign-cancel",
    "cond-refused",
    "cond-storm",
    "cond-storm-three",
    "cond-urgent-all-beside",
    "default-three",
    "fair-spurious",
    "four",
    "ipc-atomic-kill-two",
    "ipc-atomic-lock-kill-again",
    "ipc-barrier-fails-three",
    "ipc-barrier-goes-on-three",
    "ipc-barrier-joins-three",
    "ipc-barrier-leaves-three",
    "ipc-barrier-resets-three",
    "ipc-barrier-retakes-both",
    "ipc-barrier-three",
    "ipc-barrier-token-resets",
    "ipc-barrier-told-goes-on",
    "ipc-barrier-told-joins",
    "ipc-cond-cancel",
    "ipc-cond-cancel-held",
    "ipc-cond-kill",
    "ipc-journal-kill-two",
    "ipc-journal-rivals-visit",
    "ipc-kill-again",
    "ipc-lies",
    "ipc-lies-three",
    "ipc-lines",
    "ipc-lines-unmarked",
    "ipc-member-three",
    "ipc-none-runs",
    "ipc-open-three",
    "ipc-permits-kill-two",
    "ipc-repairs",
    "ipc-rw-mixed",
    "ipc-rw-readers",
    "ipc-rw-repairs",
    "ipc-rw-tidy-three",
    "ipc-spurious",
    "ipc-try",
    "lies-fair",
    "lies-storm",
    "lies-timed",
    "line-spurious",
    "line-timed-three",
    "line-turns-cancel",
    "probust-lies-three",
    "probust-spurious",
    "prw-free-timed",
    "refused-three",
    "rt-claim-four",
    "rt-claim-nested",
    "rt-fmlp-beside",
    "rt-fmlp-held-back",
    "rt-fmlp-kill-both",
    "rt-fmlp-kill-queue",
    "rt-fmlp-outside-shared",
    "rt-fmlp-queue",
    "rt-fmlp-remote",
    "rt-ipcp-kill",
    "rt-ipcp-nested",
    "rt-mpcp-beside",
    "rt-mpcp-held-back",
    "rt-mpcp-outside-again",
    "rt-mpcp-queue",
    "rt-mpcp-remote",
    "rt-mpcp-shared",
    "rt-pcp-again",
    "rt-pcp-ceiling",
    "rt-pcp-kill-ceiling",
    "rt-pcp-looks",
    "rt-pcp-moved",
    "rt-pcp-moved-kill",
    "rt-pcp-moved-late",
    "rt-pcp-moved-three",
    "rt-pcp-nested-three",
    "rt-pcp-three",
    "rw-urgent-comer",
    "sem-posix-starving-two",
    "sem-starving-two",
    "signal-three",
    "spurious",
    "storm",
    "three-twice",
    "timed-spin",
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
