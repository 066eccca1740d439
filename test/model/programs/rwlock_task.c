/* SPDX-License-Identifier: MIT */
/* Operations at the read-write lock: a thread of the model submits one, and sleeps until told. */
#include <errno.h>

#include <furwock/futex.h>

#include "../engine/report.h"
#include "../subject/subject.h"
#include "core/sleep.h"
#include "rwlock_check.h"
#include "thread_calls.h"

static uint32_t *told; /* by thread */

void rwlock_task_setup(void)
{
    told = model_object("told", 4 * MODEL_MAX_THREADS, NULL, NULL);
}

static void tell(void *word)
{
    fw_store32_release(word, 1);
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

/* As fw_await_cancel: EBUSY; 0: it was granted. */
static int cancel(fw_rwlock *l, fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(l);

    if (op->state_ != FW_OPERATION_WAITING) {
        fw_waitqueue_unlock_(bucket);
        return 0;
    }
    fw_waitqueue_remove_(bucket, fw_operation_node_(op));
    op->state_ = FW_OPERATION_OVER;
    rwlock_in_use()->dequeued(bucket, op);
    return EBUSY;
}

int rwlock_task_take(fw_rwlock *l, unsigned self, enum rwlock_mode mode, bool cancels)
{
    enum rw_want want = mode == RWLOCK_READS ? RW_READ : RW_WRITE;
    fw_await op = {
        .object_ = l, .task_ = subject_id(self), .generation_ = FW_HAS_WAKER_, .call_.wake = tell};

    op.more_.arg = &told[self];
    fw_store32_relaxed(&told[self], 0);
    if (!rwlock_in_use()->enqueue(l, want, &op))
        return 0;
    if (cancels)
        return cancel(l, &op);
    while (fw_load32_acquire(&told[self]) == 0)
        fw_sleep_(&told[self], 0, FW_FUTEX_PRIVATE, NULL);
    if (op.state_ != FW_OPERATION_GRANTED)
        model_thread_fail("told", "an operation was told, and its state is %llu", op.state_, 0);
    return 0;
}
