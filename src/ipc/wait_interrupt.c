/* SPDX-License-Identifier: MIT */
/*
 * Waits that the waiting process itself ends.  Contract: furwock/ipc/interrupt.h; IWAIT5: wait.h.
 *
 *   interrupted   meaning                       left by
 *   0             it goes on                    before a sleep, the stop word is another:
 *                                               -> ECANCELED
 *                                               after one, a handler has run: -> EINTR
 *   else          the next sleep is none        nothing
 */
#include "ipc/wait.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

static bool is_valid(const fw_ipc_interrupt *i)
{
    return i->word == NULL || ((uintptr_t)i->word % sizeof *i->word == 0 &&
                               (i->flags == FW_FUTEX_PRIVATE || i->flags == FW_FUTEX_SHARED));
}

int fw_ipc_wait_interruptible_(struct fw_ipc_wait_ *w, const fw_wait_policy *policy,
                               const fw_deadline *deadline)
{
    fw_wait_policy plain;

    w->interrupt = NULL;
    w->interrupted = 0;
    if (policy == NULL || ((unsigned)policy->kind & FW_WAIT_INTERRUPTIBLE) == 0)
        return fw_wait_begin_(&w->spin, policy, deadline);
    w->interrupt = (const fw_ipc_interrupt *)(const void *)policy;
    if (!is_valid(w->interrupt))
        return EINVAL;
    plain = *policy;
    plain.kind = (fw_wait_kind)((unsigned)plain.kind & ~(unsigned)FW_WAIT_INTERRUPTIBLE);
    return fw_wait_begin_(&w->spin, &plain, deadline);
}

bool fw_ipc_wait_has_stop_(const struct fw_ipc_wait_ *w)
{
    return w->interrupt != NULL && w->interrupt->word != NULL;
}

void fw_ipc_wait_compare_stop_(struct fw_ipc_wait_ *w, uint32_t words)
{
    const fw_ipc_interrupt *i = w->interrupt;

    if (!fw_ipc_wait_has_stop_(w))
        return;
    if (w->n + w->more == words)
        w->more--;
    w->words[words - ++w->more] = (fw_futex_any){i->word, i->expected, i->flags};
}

bool fw_ipc_wait_is_interrupted_(struct fw_ipc_wait_ *w)
{
    if (fw_ipc_wait_has_stop_(w) && w->interrupted == 0 &&
        fw_load32_acquire(w->interrupt->word) != w->interrupt->expected)
        w->interrupted = ECANCELED;
    return w->interrupted != 0;
}

void fw_ipc_wait_slept_(struct fw_ipc_wait_ *w, int error)
{
    if (error == -EINTR && w->interrupt != NULL && w->interrupt->on_signal != 0)
        w->interrupted = EINTR;
}
