/* SPDX-License-Identifier: MIT */
#include "quick.h"

#include <string.h>

#include "engine/walk.h"

/* Any will do, if they differ: the later walks are others. */
#define SEED_SOON 0u
#define SEED_LATE 1000000u

/* Up to so many states, and preemptions where the program itself permits them. */
static void search_up_to(uint32_t states, uint32_t preemptions, uint32_t own,
                         struct search_result *r)
{
    const struct search_limits limits = {preemptions < own ? preemptions : own, states, NULL};

    search(&limits, r);
}

/* In all searches, one after the other. */
static void find_expected(uint32_t own, struct search_result *r)
{
    search_up_to(40000, SEARCH_UNBOUNDED, own, r);
    if (r->outcome != SEARCH_FAILED)
        search_up_to(120000, 1, own, r);
    if (r->outcome != SEARCH_FAILED)
        search_up_to(240000, 0, own, r);
}

void quick_search(uint32_t own, bool must_fail, bool is_large, struct search_result *r)
{
    const struct search_limits limits = {own, 0, NULL};
    struct search_result walked;

    if (must_fail) {
        find_expected(own, r);
        return;
    }
    if (!is_large) {
        search_up_to(6000, SEARCH_UNBOUNDED, own, r);
        if (r->outcome != SEARCH_TOO_LARGE)
            return;
    }
    search_up_to(is_large ? 30000 : 10000, 1, own, r);
    if (r->outcome != SEARCH_FAILED && walk(&limits, SEED_SOON, is_large ? 50000 : 15000, &walked))
        *r = walked;
}

void quick_find(const struct search_limits *full, bool is_full, struct search_result *r)
{
    if (walk(full, SEED_SOON, 100000, r))
        return;
    search_up_to(is_full ? 40000 : 10000, SEARCH_UNBOUNDED, full->preemptions, r);
    if (r->outcome != SEARCH_FAILED)
        search_up_to(is_full ? 120000 : 20000, 1, full->preemptions, r);
    if (r->outcome != SEARCH_FAILED && is_full && !walk(full, SEED_LATE, 1200000, r))
        search(full, r);
}

/* Those of more than half a million states. */
static const char *const large[] = {
    "atomic-spurious",
    "await-any",
    "await-timed",
    "cond-broadcast-baton",
    "cond-broadcast-fair",
    "cond-broadcast-holder",
    "cond-broadcast-passed",
    "cond-broadcast-signal",
    "cond-cancel",
    "cond-foreign-cancel",
    "cond-foreign-timed",
    "cond-free-cancel",
    "cond-free-held",
    "cond-free-two",
    "cond-missed",
    "cond-refused",
    "cond-signallers",
    "cond-single-cancel",
    "cond-single-timed",
    "cond-storm",
    "cond-storm-three",
    "cond-timed-moved",
    "cond-timed-two",
    "cond-two-after",
    "cond-urgent-all-beside",
    "condition-threads-timed",
    "default-three",
    "fair-spurious",
    "four",
    "free-timed",
    "generic-three",
    "ipc-atomic-kill-two",
    "ipc-atomic-lock-kill-again",
    "ipc-atomic-lock-spurious",
    "ipc-atomic-three",
    "ipc-await-cond-all",
    "ipc-await-cond-all-loops",
    "ipc-await-cond-kill",
    "ipc-await-cond-kill-all",
    "ipc-await-cond-timed",
    "ipc-await-kill-three",
    "ipc-await-permits-told-drop",
    "ipc-await-permits-told-three",
    "ipc-await-rw-kill",
    "ipc-await-rw-kill-reader",
    "ipc-await-rw-kill-writer",
    "ipc-await-rw-timed-reader",
    "ipc-await-rw-together-three",
    "ipc-await-rw-told",
    "ipc-await-rw-told-drop",
    "ipc-await-rw-told-three",
    "ipc-await-rw-told-writers",
    "ipc-await-rw-two",
    "ipc-await-told-drop",
    "ipc-await-told-four",
    "ipc-await-told-split",
    "ipc-await-told-threads",
    "ipc-await-told-three",
    "ipc-await-told-two",
    "ipc-await-unmarked",
    "ipc-barrier-ends-by-leave",
    "ipc-barrier-fails-three",
    "ipc-barrier-goes-on-three",
    "ipc-barrier-joins-three",
    "ipc-barrier-leaves-three",
    "ipc-barrier-resets-three",
    "ipc-barrier-retakes-both",
    "ipc-barrier-takes-dead",
    "ipc-barrier-takes-left",
    "ipc-barrier-three",
    "ipc-barrier-token-resets",
    "ipc-barrier-told-goes-on",
    "ipc-barrier-told-joins",
    "ipc-barrier-told-three",
    "ipc-cond-cancel",
    "ipc-cond-cancel-after",
    "ipc-cond-cancel-all",
    "ipc-cond-cancel-held",
    "ipc-cond-cancel-one",
    "ipc-cond-kill",
    "ipc-cond-kill-all",
    "ipc-cond-two-after",
    "ipc-give-up",
    "ipc-give-up-two",
    "ipc-head-plans",
    "ipc-idle",
    "ipc-journal-kill-two",
    "ipc-journal-rivals-visit",
    "ipc-kill-again",
    "ipc-kill-three",
    "ipc-kill-two",
    "ipc-lies",
    "ipc-lies-alive",
    "ipc-lies-three",
    "ipc-lines",
    "ipc-lines-unmarked",
    "ipc-member-full",
    "ipc-member-three",
    "ipc-none-runs",
    "ipc-open-three",
    "ipc-passed-alarm",
    "ipc-permits-kill-two",
    "ipc-permits-told-three",
    "ipc-repairs",
    "ipc-rw-mixed",
    "ipc-rw-readers",
    "ipc-rw-repairs",
    "ipc-rw-tidy-three",
    "ipc-rw-told-three",
    "ipc-rwt-timed-reader",
    "ipc-rwt-together-three",
    "ipc-rwt-told-writers",
    "ipc-rwt-two",
    "ipc-spurious",
    "ipc-timed",
    "ipc-told-split",
    "ipc-try",
    "lies-fair",
    "lies-free",
    "lies-sleeper",
    "lies-storm",
    "lies-three",
    "lies-timed",
    "lies-timed-fair",
    "line-spin",
    "line-spurious",
    "line-timed-three",
    "line-turns",
    "line-turns-cancel",
    "nap-three",
    "note-lock-two",
    "note-wait-all",
    "note-wait-other",
    "note-wait-timed-mutex",
    "note-wait-timed-other",
    "note-wait-two",
    "pbar-spurious",
    "probust-give-up-again",
    "probust-lies-three",
    "probust-none-runs",
    "probust-spurious",
    "probust-try",
    "prw-four",
    "prw-free-timed",
    "prw-timed-reader",
    "prw-timed-writer",
    "prw-writers-four",
    "prw-writers-timed",
    "refused-three",
    "rt-begin-held-back",
    "rt-begin-remote",
    "rt-claim-four",
    "rt-claim-kill",
    "rt-claim-nested",
    "rt-fmlp-beside",
    "rt-fmlp-held-back",
    "rt-fmlp-kill-both",
    "rt-fmlp-kill-queue",
    "rt-fmlp-outside-shared",
    "rt-fmlp-outside-two",
    "rt-fmlp-queue",
    "rt-fmlp-remote",
    "rt-ipcp-kill",
    "rt-ipcp-nested",
    "rt-kernel-fmlp-queue",
    "rt-kernel-fmlp-remote",
    "rt-kernel-mpcp-remote",
    "rt-kernel-three",
    "rt-mpcp-beside",
    "rt-mpcp-held-back",
    "rt-mpcp-lent",
    "rt-mpcp-outside-again",
    "rt-mpcp-outside-two",
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
    "rw-ahead",
    "rw-ahead-four",
    "rw-ahead-three",
    "rw-greedy-up-writer",
    "rw-lies-timed",
    "rw-timed-up",
    "rw-urgent-comer",
    "rw-urgent-stale",
    "scx-queue",
    "scx-queue-kill-try",
    "sem-posix",
    "sem-posix-starving",
    "sem-posix-starving-two",
    "sem-starving-two",
    "signal-three",
    "spin",
    "spurious",
    "starving-three",
    "storm",
    "three-twice",
    "timed",
    "timed-fair",
    "timed-fair-later",
    "timed-old",
    "timed-spin",
    "timed-twice",
    "truth-fair",
    "truth-generic",
    "truth-three",
    "vouch",
    "vouch-four",
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
