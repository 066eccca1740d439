/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_STRIPES_H
#define FW_TEST_ATOMIC_STRIPES_H

#include <string.h>

#include "fake.h"
#include "stripe.h"
#include "test/support/unit.h"

/*
 * What tests of guarded objects share.  Alone, an operation takes its stripe by plain stores; the C
 * library says whether it is, and a test may tell it otherwise.
 */
static inline void set_multithreaded(bool there_is)
{
    if (&__libc_single_threaded != 0)
        __libc_single_threaded = !there_is;
}

static inline int fresh_stripes(void)
{
    fake_reset();
    set_multithreaded(true);
    memset(fw_stripes_, 0, sizeof fw_stripes_);
    return 0;
}

/* All stripes are free, and no write is under way; how many of them have been written under. */
static inline unsigned stripes_written(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < FW_STRIPES_; i++) {
        assert_int_equal(fw_stripes_[i].lock.word, 0);
        assert_int_equal(fw_stripes_[i].sequence & 1, 0);
        n += fw_stripes_[i].sequence != 0;
    }
    return n;
}

#endif
