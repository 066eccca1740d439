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

static void setup(const void *arg)
{
    (void)arg;
    word = model_object("word", 4, NULL, NULL);
}

static void enter(unsigned self)
{
    if (model_shared.shadow[0] != 0)
        model_thread_fail("exclusion", "two threads are in the critical section", 0, 0);
    model_shared.shadow[0] = self + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    model_shared.shadow[0] = 0;
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

static void twice(unsigned self, const void *arg)
{
    enum mistake mistake = arg == NULL ? NONE : *(const enum mistake *)arg;

    for (int i = 0; i < 2; i++) {
        lock(mistake);
        enter(self);
        unlock(mistake);
    }
}

/* Who is the last in the critical section frees the lock after its release. */
static void free_by_last(unsigned self, const void *arg)
{
    enum mistake mistake = arg == NULL ? NONE : *(const enum mistake *)arg;
    bool last;

    lock(mistake);
    enter(self);
    last = ++model_shared.shadow[1] == model_thread_count;
    unlock(mistake);
    if (last)
        model_op(OP_FREE, word, 4, 0, 0, 0, 0);
}

/* Two sleepers; one wake and a requeue of the rest, which is woken at its new place. */
static void requeue(unsigned self, const void *arg)
{
    fw_half_ *other = word + 1;

    if (self < 2) {
        fw_futex_wait(word, 0, FW_FUTEX_PRIVATE, NULL);
        model_shared.shadow[2]++;
        return;
    }
    fw_store32_relaxed(word, 1);
    if (arg == NULL)
        fw_futex_requeue(word, 1, other, 1, FW_FUTEX_PRIVATE);
    else /* compares with a value that the word does not have any more */
        fw_futex_cmp_requeue(word, 0, 1, other, 1, FW_FUTEX_PRIVATE);
    fw_futex_wake(other, 1, FW_FUTEX_PRIVATE);
}

static void requeue_setup(const void *arg)
{
    (void)arg;
    word = model_object("words", 8, NULL, NULL);
}

/* A waits for a word that nobody sets; it never sleeps, so this is no deadlock. */
static void polls(unsigned self, const void *arg)
{
    (void)arg;
    if (self == 0)
        while (fw_load32_relaxed(word) != 2)
            model_pause();
    else
        fw_store32_relaxed(word, 1);
}

static const enum mistake stale = WAITS_ON_STALE_VALUE, forgets = TAKES_AS_UNCONTENDED,
                          touches = TOUCHES_AFTER_RELEASE, plain = PLAIN_TAKE;

static const struct model_program programs[] = {
    {.name = "three-state",
     .about = "Drepper's mutex, 3 threads, twice each",
     .threads = 3,
     .budget = {.spurious = 1, .eintr = 1},
     .setup = setup,
     .thread = twice},
    {.name = "three-state-stale",
     .about = "it sleeps with a value it has not made sure of",
     .threads = 2,
     .setup = setup,
     .thread = twice,
     .arg = &stale,
     .expects = "lost wake-up"},
    {.name = "three-state-forgets",
     .about = "a woken thread takes it as uncontended",
     .threads = 3,
     .setup = setup,
     .thread = twice,
     .arg = &forgets,
     .expects = "lost wake-up"},
    {.name = "three-state-plain",
     .about = "it looks and stores instead of compare-and-swap",
     .threads = 2,
     .setup = setup,
     .thread = twice,
     .arg = &plain,
     .expects = "exclusion"},
    {.name = "three-state-free",
     .about = "the last user frees it",
     .threads = 3,
     .setup = setup,
     .thread = free_by_last},
    {.name = "three-state-touches",
     .about = "it looks at the lock after the release",
     .threads = 2,
     .setup = setup,
     .thread = free_by_last,
     .arg = &touches,
     .expects = "use after free"},
    {.name = "requeue",
     .about = "one is woken, one is moved and woken there",
     .threads = 3,
     .setup = requeue_setup,
     .thread = requeue},
    {.name = "requeue-stale",
     .about = "a compare-requeue that finds another value",
     .threads = 3,
     .setup = requeue_setup,
     .thread = requeue,
     .arg = &stale,
     .expects = "lost wake-up"},
    {.name = "polls",
     .about = "a thread polls for what never comes",
     .threads = 2,
     .setup = setup,
     .thread = polls,
     .expects = "no way to finish"},
};

const struct program_group sleeper_programs = {"sleepers", programs,
                                               sizeof programs / sizeof *programs};
