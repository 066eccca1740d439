/* SPDX-License-Identifier: MIT */
/*
 * Tasks: identities that any thread may act under.  Contract: furwock/await.h.  Which numbers they
 * have: sys/thread.h.
 *
 * bit of `live`   meaning                      left by
 * --------------  ---------------------------  -------------------------------------
 * 0               no task has this index       fw_task_begin, in any thread: -> 1
 * 1               a task has it                fw_task_end: -> 0
 *
 * A thread gives out indices one after the other, so that a number comes back late, and what was
 * done with it after its end is noticed.  After a fork the child has the same tasks.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/await.h>
#include <furwock/bits/atomic.h>

#include "sys/panic.h"
#include "sys/thread.h"

/* Positions 0 .. TASKS - 1 have the indices 1 .. TASKS; the last bit of the array is nobody's. */
#define TASKS (FW_ID_NUMBER_MAX - FW_ID_ALIAS)
#define WORD_BITS 64u
#define WORDS ((TASKS + WORD_BITS) / WORD_BITS)

_Static_assert(TASKS == 4194303 && WORDS * WORD_BITS == TASKS + 1, "as await.h has it");

/* Half a megabyte, of which only what is used takes memory. */
static uint64_t live[WORDS];

/* Where the thread looks first.  Threads begin far from each other, and each has its cache line. */
static FW_STATIC_TLS uint32_t cursor;
static FW_STATIC_TLS bool has_cursor;

#define CURSOR_STRIDE 40503u /* odd, near 2^16 / golden ratio: spreads successive thread ids */
#define LINE_BITS 512u

static uint32_t first_cursor(void)
{
    uint32_t lines = (TASKS + 1) / LINE_BITS;

    return (fw_thread_self_() >> FW_ID_SHIFT) * CURSOR_STRIDE % lines * LINE_BITS;
}

static fw_task task_at(uint32_t position)
{
    return (FW_ID_ALIAS + 1 + position) << FW_ID_SHIFT | FW_ID_HELD;
}

static uint32_t position_of(fw_task task)
{
    return (task >> FW_ID_SHIFT) - FW_ID_ALIAS - 1;
}

static uint64_t bit_of(uint32_t position)
{
    return UINT64_C(1) << position % WORD_BITS;
}

static bool is_live(fw_task task)
{
    return fw_id_is_task_(task) && (fw_load64_relaxed(&live[position_of(task) / WORD_BITS]) &
                                    bit_of(position_of(task))) != 0;
}

/* Takes one of these bits of a word that is 0.  False: none is. */
static bool take_bit(uint32_t word, uint64_t of, fw_task *task)
{
    uint64_t seen = fw_load64_relaxed(&live[word]);

    if (word == WORDS - 1)
        of &= ~bit_of(TASKS);
    while ((~seen & of) != 0) {
        uint32_t bit = (uint32_t)__builtin_ctzll(~seen & of);

        if (fw_cas64_relaxed(&live[word], &seen, seen | UINT64_C(1) << bit)) {
            cursor = (word * WORD_BITS + bit + 1) % (TASKS + 1);
            *task = task_at(word * WORD_BITS + bit);
            return true;
        }
    }
    return false;
}

int fw_task_begin(fw_task *task)
{
    uint64_t of;

    if (!has_cursor) {
        cursor = first_cursor();
        has_cursor = true;
    }
    of = ~UINT64_C(0) << cursor % WORD_BITS;
    for (uint32_t i = 0, word = cursor / WORD_BITS; i <= WORDS; i++, word = (word + 1) % WORDS) {
        if (take_bit(word, of, task))
            return 0;
        of = ~UINT64_C(0);
    }
    return EAGAIN;
}

void fw_task_end(fw_task task)
{
    uint64_t bit = bit_of(position_of(task));

    if (task == fw_self_())
        fw_panic_task_("task ended by a thread that acts as it", task);
    if (!is_live(task) ||
        (__atomic_fetch_and(&live[position_of(task) / WORD_BITS], ~bit, __ATOMIC_RELAXED) & bit) ==
            0)
        fw_panic_task_("task ended that does not exist", task);
}

fw_task fw_task_switch(fw_task task)
{
    if (task != 0 && !is_live(task))
        fw_panic_task_("switched to a task that does not exist", task);
    return fw_act_as_(task);
}
