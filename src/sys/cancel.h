/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CANCEL_H
#define FW_SYS_CANCEL_H

#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>

/*
 * fw_futex_wait_bitset as a cancellation point.  If the calling thread is
 * cancelled (pthread_cancel) before or while it sleeps, on_cancel(arg) runs and the thread ends:
 * the call does not return.  Where the thread was woken and cancelled at once, it may end all the
 * same: on_cancel has to pass the wake on.
 */
int fw_futex_wait_cancellable_(const uint32_t *word, uint32_t expected, uint32_t bits,
                               unsigned flags, const fw_deadline *deadline,
                               void (*on_cancel)(void *), void *arg);

/* fw_futex_wait_any as a cancellation point, in the same way. */
int fw_futex_wait_any_cancellable_(const fw_futex_any *words, unsigned n,
                                   const fw_deadline *deadline, void (*on_cancel)(void *),
                                   void *arg);

/* A cancellation point that does nothing else. */
void fw_cancel_point_(void (*on_cancel)(void *), void *arg);

#endif
