/* SPDX-License-Identifier: MIT */
/*
 * Cancellation points.  Contract: sys/cancel.h.
 *
 * The C library acts on pthread_cancel in its own blocking calls only; a futex call made directly
 * is interrupted by it only while the thread's cancellation type is asynchronous.
 */
#include <pthread.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "sys/cancel.h"

int fw_futex_wait_cancellable_(const uint32_t *word, uint32_t expected, uint32_t bits,
                               unsigned flags, const fw_deadline *deadline,
                               void (*on_cancel)(void *), void *arg)
{
    int type;
    int result;

    pthread_cleanup_push(on_cancel, arg);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    result = fw_futex_wait_bitset(word, expected, bits, flags, deadline);
    pthread_setcanceltype(type, NULL);
    pthread_cleanup_pop(0);
    return result;
}

int fw_futex_wait_any_cancellable_(const fw_futex_any *words, unsigned n,
                                   const fw_deadline *deadline, void (*on_cancel)(void *),
                                   void *arg)
{
    int type;
    int result;

    pthread_cleanup_push(on_cancel, arg);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    result = fw_futex_wait_any(words, n, deadline);
    pthread_setcanceltype(type, NULL);
    pthread_cleanup_pop(0);
    return result;
}

void fw_cancel_point_(void (*on_cancel)(void *), void *arg)
{
    pthread_cleanup_push(on_cancel, arg);
    pthread_testcancel();
    pthread_cleanup_pop(0);
}
