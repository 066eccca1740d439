/* SPDX-License-Identifier: MIT */
/*
 * Tests of the model's kernel: small locks on futexes, right and wrong.  The three-state mutex is
 * the one of Drepper, "Futexes are tricky" (2011), section 6: 0 free, 1 held, 2 held and somebody
 * may sleep.
 */
#include <furwock/futex.h>

#include "../subject/atomic.h"
#include "programs.h"

static fw_half_ *word;

enum mistake {
    NONE,
    WAITS_ON_STALE_VALUE,
    TAKES_AS_UNCONTENDED, /* a woken thread forgets that others may sleep */
    TOUCHES_AFTER_RELEASE,
    PLAIN_TAKE
};

static void setup(void)
{
    word = model_object("word", 4, NULL, NULL);
}

static void enter(unsigned self)
{
    if (*shadow(0) != 0)
        model_thread_fail("exclusion", "two threads are in the critical section", 0, 0);
    *shadow(0) = self + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(0) = 0;
}

static void lock(enum mistake mistake)
{
    uint32_t seen = 0;

    if (mistake == PLAIN_TAKE && fw_load32_relaxed(word) == 0) {
        fw_store32_relaxed(word, 1);
        return;
    }
    if (fw_cas32_acquire(word, &seen, 1))
        return;
    for (;;) {
        uint32_t one = 1;
        if (mistake == WAITS_ON_STALE_VALUE)
            fw_futex_wait(word, fw_load32_relaxed(word), FW_FUTEX_PRIVATE, NULL);
        else if (fw_load32_relaxed(word) == 2 || fw_cas32_acquire(word, &one, 2) || one == 2)
            fw_futex_wait(word, 2, FW_FUTEX_PRIVATE, NULL);
        seen = 0;
        if (fw_cas32_acquire(word, &seen, mistake == TAKES_AS_UNCONTENDED ? 1 : 2))
            return;
    }
}

static void unlock(enum mistake mistake)
{
    uint32_t seen = 1;

    if (fw_cas32_acquire(word, &seen, 0))
        return;
    fw_cas32_acquire(word, &seen, 0);
    if (mistake == TOUCHES_AFTER_RELEASE)
        fw_load32_relaxed(word);
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

static void twice(unsigned self)
{
    enum mistake mistake = (enum mistake)model_program->initial;

    for (int i = 0; i < 2; i++) {
        lock(mistake);
        enter(self);
        unlock(mistake);
    }
}

/* Who is the last in the critical section frees the lock after its release. */
static void free_by_last(unsigned self)
{
    enum mistake mistake = (enum mistake)model_program->initial;
    bool last;

    lock(mistake);
    enter(self);
    last = ++*shadow(1) == model_thread_count;
    unlock(mistake);
    if (last)
        model_op(OP_FREE, word, 4, 0, 0, 0, 0);
}

/* Two sleepers; one wake and a requeue of the rest, which is woken on its new word. */
static void requeue(unsigned self)
{
    fw_half_ *other = word + 1;

    if (self < 2) {
        fw_futex_wait(word, 0, FW_FUTEX_PRIVATE, NULL);
        ++*shadow(2);
        return;
    }
    fw_store32_relaxed(word, 1);
    if (model_program->initial == NONE)
        fw_futex_requeue(word, 1, other, 1, FW_FUTEX_PRIVATE);
    else /* compares with a value that the word does not have any more */
        fw_futex_cmp_requeue(word, 0, 1, other, 1, FW_FUTEX_PRIVATE);
    fw_futex_wake(other, 1, FW_FUTEX_PRIVATE);
}

static void requeue_setup(void)
{
    word = model_object("words", 8, NULL, NULL);
}

/* A waits for a word that nobody sets; it never sleeps, so this is no deadlock. */
static void polls(unsigned self)
{
    if (self == 0)
        while (fw_load32_relaxed(word) != 2)
            model_pause();
    else
        fw_store32_relaxed(word, 1);
}

static const struct model_program programs[] = {
    PLAIN("three-state", "Drepper's mutex, 3 threads, twice each", 3, setup, twice, NULL, NULL,
          INTERRUPTED),
    PLAIN("three-state-stale", "it sleeps with a value it has not made sure of", 2, setup, twice,
          NULL, "lost wake-up", .initial = WAITS_ON_STALE_VALUE),
    PLAIN("three-state-forgets", "a woken thread takes it as uncontended", 3, setup, twice, NULL,
          "lost wake-up", .initial = TAKES_AS_UNCONTENDED),
    PLAIN("three-state-plain", "it looks and stores instead of compare-and-swap", 2, setup, twice,
          NULL, "exclusion", .initial = PLAIN_TAKE),
    PLAIN("three-state-free", "the last user frees it", 3, setup, free_by_last, NULL, NULL),
    PLAIN("three-state-touches", "it looks at the lock after the release", 2, setup, free_by_last,
          NULL, "use after free", .initial = TOUCHES_AFTER_RELEASE),
    PLAIN("requeue", "one is woken, one is moved and woken there", 3, requeue_setup, requeue, NULL,
          NULL),
    PLAIN("requeue-stale", "a compare-requeue that finds another value", 3, requeue_setup, requeue,
          NULL, "lost wake-up", .initial = WAITS_ON_STALE_VALUE),
    PLAIN("polls", "a thread polls for what never comes", 2, setup, polls, NULL,
          "no way to finish"),
};

GROUP(sleepers, "sleepers");
