/* SPDX-License-Identifier: MIT */
/* The inbox of a loop.  States and invariants: inbox.h. */
#include "core/inbox.h"

#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/wait.h"
#include "sys/clock.h"
#include "sys/descriptors.h"

/* IN1: is the descriptor to be written?  Inside the lock. */
static bool must_kick(struct fw_inbox_ *in)
{
    if (!in->sleeps || in->is_kicked)
        return false;
    __atomic_store_n(&in->is_kicked, true, __ATOMIC_RELAXED);
    fw_add32_relaxed(&in->kickers, 1); /* IN2 */
    return true;
}

/* After the last step the inbox may be gone. */
static void kick(void *inbox)
{
    struct fw_inbox_ *in = inbox;

    fw_event_write_(in->event);
    fw_add32_release(&in->kickers, 0u - 1u); /* with fw_inbox_end_ */
}

struct fw_wakeup_ fw_inbox_put_(struct fw_inbox_ *in, fw_await *op, uint32_t state)
{
    struct fw_wakeup_ w = {NULL, NULL};

    fw_bucket_lock_(&in->lock);
    fw_operation_list_append_(&in->list, op);
    fw_store32_relaxed(&in->n, in->n + 1);
    op->is_listed_ = true;
    op->since_ = fw_clock_coarse_ns_();
    fw_store32_release(&op->state_, state);
    fw_add32_relaxed(&in->kickers, 1); /* IN2 */
    if (must_kick(in))
        w = (struct fw_wakeup_){kick, in};
    fw_bucket_unlock_(&in->lock);
    fw_add32_release(&in->kickers, 0u - 1u);
    return w;
}

static void unlink_from(struct fw_inbox_ *in, fw_await *op)
{
    fw_operation_list_remove_(&in->list, op);
    fw_store32_relaxed(&in->n, in->n - 1);
    op->is_listed_ = false;
}

fw_await *fw_inbox_take_(struct fw_inbox_ *in)
{
    fw_await *op;

    fw_bucket_lock_(&in->lock);
    op = in->list.first;
    if (op != NULL)
        unlink_from(in, op);
    fw_bucket_unlock_(&in->lock);
    return op;
}

void fw_inbox_remove_(struct fw_inbox_ *in, fw_await *op)
{
    fw_bucket_lock_(&in->lock);
    unlink_from(in, op);
    fw_bucket_unlock_(&in->lock);
}

void fw_inbox_awake_(struct fw_inbox_ *in)
{
    bool is_kicked;

    fw_bucket_lock_(&in->lock);
    in->sleeps = false;
    is_kicked = in->is_kicked;
    fw_bucket_unlock_(&in->lock);
    if (!is_kicked || !fw_event_read_(in->event))
        return; /* if it is about to be written, it stays kicked */
    fw_bucket_lock_(&in->lock);
    __atomic_store_n(&in->is_kicked, false, __ATOMIC_RELAXED);
    fw_bucket_unlock_(&in->lock);
}

void fw_inbox_sleeps_(struct fw_inbox_ *in)
{
    bool kicks = false;

    fw_bucket_lock_(&in->lock);
    in->sleeps = true;
    if (in->list.first != NULL)
        kicks = must_kick(in);
    fw_bucket_unlock_(&in->lock);
    if (kicks)
        kick(in);
}

void fw_inbox_kick_(struct fw_inbox_ *in)
{
    bool kicks;

    fw_bucket_lock_(&in->lock);
    kicks = must_kick(in);
    fw_bucket_unlock_(&in->lock);
    if (kicks)
        kick(in);
}

void fw_inbox_end_(struct fw_inbox_ *in)
{
    static const fw_wait_policy blocks = {.kind = FW_WAIT_BLOCK};
    struct fw_wait_ wait;
    uint32_t kickers;

    fw_wait_begin_(&wait, &blocks, NULL); /* cannot fail: no deadline, a valid policy */
    while ((kickers = fw_load32_acquire(&in->kickers)) != 0)
        fw_wait_sleep_(&wait, &in->kickers, kickers, FW_FUTEX_ANY_BIT, FW_RECHECK_LEAVING_NS);
}
