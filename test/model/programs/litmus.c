/* SPDX-License-Identifier: MIT */
/*
 * Tests of the model itself: small programs whose outcomes are known.  A program that expects a
 * failure shows that the model reaches an outcome; one that expects none, that it does not.
 */
#include <stdio.h>
#include <string.h>

#include "../subject/atomic.h"
#include "programs.h"
#include "sys/release.h"

static fw_half_ *x, *y, *both;

static void outcome(const char *what)
{
    model_fail("outcome", what, 0, 0);
}

/* What the threads saw, for finished(). */
static void keep(unsigned slot, uint64_t value)
{
    *shadow(slot) = value;
}

static void two_words(void)
{
    x = model_object("x", 4, NULL, NULL);
    y = model_object("y", 4, NULL, NULL);
}

/* --- Store buffering ------------------------------------------------------------------------ */

static void sb_plain(unsigned self)
{
    fw_store32_relaxed(self == 0 ? x : y, 1);
    keep(self, fw_load32_relaxed(self == 0 ? y : x));
}

static void sb_locked(unsigned self)
{
    fw_xchg8_acquire((fw_byte_ *)(self == 0 ? x : y), 1);
    keep(self, fw_load32_relaxed(self == 0 ? y : x));
}

static void sb_both_zero(void)
{
    if (*shadow(0) == 0 && *shadow(1) == 0)
        outcome("both threads read 0");
}

/* --- Message passing ------------------------------------------------------------------------ */

static void mp(unsigned self)
{
    if (self == 0) {
        fw_store32_relaxed(x, 1);
        fw_store32_relaxed(y, 1);
    } else {
        keep(1, fw_load32_relaxed(y));
        keep(0, fw_load32_relaxed(x));
    }
}

static void mp_flag_without_data(void)
{
    if (*shadow(1) == 1 && *shadow(0) == 0)
        outcome("the flag was seen, the data was not");
}

/* --- A load takes part of its bytes from the own buffer, the rest from memory --------------- */

static void one_word(void)
{
    both = model_object("both", 8, NULL, NULL);
}

static void halves(unsigned self)
{
    fw_store32_relaxed(both + self, 1);
    keep(self, fw_load64_relaxed((uint64_t *)both));
}

static void halves_own_half_missing(void)
{
    if ((*shadow(0) & 1) == 0 || *shadow(1) >> 32 == 0)
        outcome("a thread does not see its own store");
}

static void halves_each_only_own(void)
{
    if (*shadow(0) == 1 && *shadow(1) == UINT64_C(1) << 32)
        outcome("each thread sees its own half only");
}

/* --- The plain release against a waiter that announces itself ------------------------------- */

/* x: the word (owner half, waiters half).  A releases plainly; B announces, fences, looks. */
#define ID 0x101u

static void release_setup(void)
{
    one_word();
    *(uint64_t *)both = ID;
}

static void release_against_waiter(unsigned self)
{
    bool fences = model_program->initial != 0;

    if (self == 0) {
        keep(0, fw_release_plain_((uint64_t *)both, ID));
        return;
    }
    for (;;) {
        uint64_t w = fw_load64_relaxed((uint64_t *)both);
        if (fw_cas64_relaxed((uint64_t *)both, &w, w | UINT64_C(1) << 32))
            break;
    }
    if (fences && fw_release_fence_() != 0)
        return;
    keep(1, fw_load32_relaxed(both) != 0);
}

static void release_overlooked(void)
{
    if (*shadow(0) == 1 && *shadow(1) == 1)
        outcome("the release overlooked the waiter, which still saw the lock held");
}

/* --- Two failures ---------------------------------------------------------------------------- */

/* The shorter way leads to one that needs a preemption, a longer one to another that needs none. */
static void two_failures(unsigned self)
{
    if (self == 0) {
        fw_or32_relaxed(x, 1);
        fw_and32_relaxed(x, 0);
    } else if (fw_load32_relaxed(x) != 0) {
        model_thread_fail("outcome", "the second thread came between", 0, 0);
    } else {
        for (unsigned i = 0; i < 8; i++)
            fw_or32_relaxed(y, 1u << i);
        model_thread_fail("another outcome", "it came before or after", 0, 0);
    }
}

static const struct model_program programs[] = {
    PLAIN("sb", "store buffering: under TSO both may read 0", 2, two_words, sb_plain, sb_both_zero,
          "outcome"),
    PLAIN("sb-locked", "the same with locked instructions: never", 2, two_words, sb_locked,
          sb_both_zero, NULL),
    PLAIN("mp", "message passing: stores arrive in order", 2, two_words, mp, mp_flag_without_data,
          NULL),
    PLAIN("halves", "a wide load sees the own narrow store", 2, one_word, halves,
          halves_own_half_missing, NULL),
    PLAIN("halves-own", "a wide load may miss the other's narrow store", 2, one_word, halves,
          halves_each_only_own, "outcome"),
    PLAIN("two-failures", "what is shown of one failure is no way to another", 2, two_words,
          two_failures, NULL, "outcome"),
    PLAIN("plain-release", "plain release and a waiter with the fence", 2, release_setup,
          release_against_waiter, release_overlooked, NULL, .initial = 1),
    PLAIN("plain-release-unfenced", "the same without: the waiter is overlooked", 2, release_setup,
          release_against_waiter, release_overlooked, "outcome"),
};

GROUP(litmus, "litmus");
