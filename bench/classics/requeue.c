/* SPDX-License-Identifier: MIT */
#include "requeue.h"

/* Origin, states and the argument against lost signals: requeue.h. */

int classic_requeue_wait(classic_requeue *c, classic_drepper *m, int64_t deadline)
{
    uint32_t seq = sc_load(&c->seq);
    int result;

    classic_drepper_unlock(m);
    result =
        kernel_device_wait(FW_KERNEL_WAIT, &c->seq, seq, scope_kernel_flags(m->scope), deadline);
    classic_drepper_lock_slow_(m, DREPPER_AWAITED); /* others may have been moved here */
    return result == -ETIMEDOUT ? ETIMEDOUT : 0;
}

void classic_requeue_signal(classic_requeue *c, const classic_drepper *m)
{
    uint32_t scope = m->scope;

    sc_fetch_add(&c->seq, 1); /* n -> n+1 */
    word_wake_one(&c->seq, scope);
}

void classic_requeue_broadcast(classic_requeue *c, const classic_drepper *m)
{
    struct fw_kernel_requeue requeue = {.size = sizeof requeue,
                                        .flags = scope_kernel_flags(m->scope),
                                        .word = (uintptr_t)&c->seq,
                                        .target = (uintptr_t)&m->word,
                                        .expected = sc_fetch_add(&c->seq, 1) + 1, /* n -> n+1 */
                                        .wake = 1,
                                        .requeue = FW_KERNEL_ALL};

    while (kernel_device_call(FW_KERNEL_CMP_REQUEUE, &requeue) == -EAGAIN)
        requeue.expected = sc_load(&c->seq);
}
