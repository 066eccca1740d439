/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_NAP_H
#define FW_IPC_NAP_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "ipc/member.h"
#include "wait.h"

/*
 * How a thread waits for something between processes: it polls as the policy says, then sleeps, and
 * never for longer than a nap without a look.  So whatever was lost with a thread that died (a
 * wake that it was to give, or had been given) costs others a nap, and no proof is needed that
 * there is no other way to lose one.
 *
 *     struct fw_ipc_wait_ w;
 *     if ((error = fw_ipc_wait_begin_(&w, &me, object, FW_IPC_WAITS_LOCK, policy, deadline)) != 0)
 *         return error;
 *     while (fw_ipc_wait_poll_(&w)) { look; try }
 *     for (;;) {
 *         ... look; try; announce oneself in the word ...
 *         if (fw_ipc_wait_sleep_(&w, half, expected) == ETIMEDOUT) ...
 *     }
 *     fw_ipc_wait_end_(&w);
 */
#define FW_IPC_NAP_NS_ 40000000u

/* A power of two.  The model has 1: there, each nap is the first. */
#ifndef FW_IPC_NAPS_COUNTED_
#define FW_IPC_NAPS_COUNTED_ 32u
#endif

/* What a member waits for, as tools show it. */
enum { FW_IPC_WAITS_LOCK = 1, FW_IPC_WAITS_READ = 2, FW_IPC_WAITS_COND = 3, FW_IPC_WAITS_ELSE = 4 };

struct fw_ipc_wait_ {
    struct fw_wait_ poll;
    struct fw_ipc_me_ me;
    const void *object;
    uint32_t how;
    uint32_t looks;       /* how many pauses lie between two looks, by now */
    bool is_told;         /* the member's line says what it waits for */
    bool has_napped;      /* a whole nap has gone by on the same word */
    uint32_t naps;        /* so many whole naps, in this wait, up to FW_IPC_NAPS_COUNTED_ */
    const uint32_t *word; /* on which it slept, or watched, last */
    uint32_t expected;    /* and what was there */
    uint64_t nap_ends;    /* CLOCK_MONOTONIC, in ns; 0: the next one has not begun */
};

/* 0, or EINVAL: a malformed policy or deadline.  Either may be NULL. */
int fw_ipc_wait_begin_(struct fw_ipc_wait_ *w, const struct fw_ipc_me_ *me, const void *object,
                       uint32_t how, const fw_wait_policy *policy, const fw_deadline *deadline);

/*
 * Pauses or yields, each time for longer: a look takes the word's cache line away from whoever
 * locks and unlocks it all the time.  False: the budget is used up.
 */
bool fw_ipc_wait_poll_(struct fw_ipc_wait_ *w);

/* The same: the lock is held by this one, which may be seen not to run; 0: not known. */
bool fw_ipc_wait_poll_on_(struct fw_ipc_wait_ *w, uint64_t holder);

/* Gives a new polling budget. */
void fw_ipc_wait_again_(struct fw_ipc_wait_ *w);

/*
 * Sleeps while *word == expected, for a nap at most.  0: look again; ETIMEDOUT: the deadline has
 * passed.  (A policy that never sleeps pauses once instead.)
 */
int fw_ipc_wait_sleep_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected);

/*
 * The life of who is waited for: asks the system too (fw_ipc_life_slow_) after the first nap, the
 * second, the fourth, and so on up to the 32nd, and from then on after every 16th: 0.64 s.
 */
enum fw_ipc_life fw_ipc_wait_life_(const struct fw_ipc_wait_ *w, uint64_t holder);

void fw_ipc_wait_end_(struct fw_ipc_wait_ *w);

/* Wakes at most n of those who sleep on the word. */
void fw_ipc_wake_(const uint32_t *word, unsigned n);

#endif
