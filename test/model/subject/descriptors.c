/* SPDX-License-Identifier: MIT */
/*
 * The event of a loop, of src/sys/descriptors.h: a word of the program's, on which its loop sleeps,
 * and which is 1 while the descriptor would be readable.
 */
#include "sys/descriptors.h"

#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "subject.h"

uint32_t *subject_event;

void fw_event_write_(int event)
{
    (void)event;
    if (subject_event == NULL)
        return;
    fw_store32_release(subject_event, 1);
    fw_futex_wake(subject_event, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

bool fw_event_read_(int event)
{
    (void)event;
    return subject_event != NULL && fw_xchg32_seq_cst(subject_event, 0) != 0;
}
