/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../engine/report.h"
#include "../memory.h"
#include "../subject/subject.h"
#include "mutex_check.h"
#include "thread/mutex_word.h"

static const struct model_part parts[] = {
    {"held", 0, 1}, {"owner", 0, 4}, {"waiters", 4, 4}, {NULL, 0, 0}};

static uint64_t *word;

/* --- Readable words ------------------------------------------------------------------------- */

static int print_owner(uint32_t half, char *text, size_t text_size)
{
    unsigned number = half >> FW_ID_SHIFT;

    if (half == 0)
        return snprintf(text, text_size, "free");
    if (half == FW_ID_HELD)
        return snprintf(text, text_size, "taken");
    if ((half & MUTEX_HANDOFF) != 0)
        return snprintf(text, text_size, "HANDOFF#%u", number & 0x7fffff);
    if (fw_id_is_task_(half))
        return snprintf(text, text_size, "task %c", 'A' + (int)(number - FW_ID_ALIAS - 1));
    if (number >= SUBJECT_FIRST_TID && number < SUBJECT_FIRST_TID + MODEL_MAX_THREADS)
        return snprintf(text, text_size, "%c", 'A' + (int)(number - SUBJECT_FIRST_TID));
    return snprintf(text, text_size, "tid %u", number);
}

static int print_waiters(fw_mutex_word_ w, char *text, size_t text_size)
{
    unsigned generation = (unsigned)((w & MUTEX_GENERATION) >> MUTEX_GENERATION_SHIFT);
    int n = snprintf(text, text_size, "%u waiting%s%s%s%s%s%s", (unsigned)(w / MUTEX_WAITER),
                     has_queue(w) ? " QUEUED" : "", is_fenced(w) ? " FENCED" : "",
                     wake_is_under_way(w) ? " WAKING" : "", (w & MUTEX_RETRY) != 0 ? " RETRY" : "",
                     is_starving(w) ? " STARVING" : "", has_late_sleepers(w) ? " LATE" : "");

    if (generation != 0)
        n += snprintf(text + n, text_size - (size_t)n, " gen %u", generation);
    return n;
}

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    int n = 0;

    if (size == 1) {
        snprintf(text, text_size, "%u", (unsigned)value);
        return;
    }
    if (offset == 0)
        n = print_owner((uint32_t)value, text, text_size);
    if (size == 8)
        n += snprintf(text + n, text_size - (size_t)n, " | ");
    if (size == 8 || offset == 4)
        print_waiters(size == 8 ? value : value << 32, text + n, text_size - (size_t)n);
}

void *mutex_check_setup(uint64_t initial)
{
    word = model_object("m", 8, parts, decode);
    *word = initial;
    return word;
}

/* --- Every change of the word --------------------------------------------------------------- */

/* Joining and leaving, one at a time, each thread for itself. */
static void check_line(unsigned thread, fw_mutex_word_ before, fw_mutex_word_ after)
{
    uint64_t waiters = *shadow(MUTEX_WAITERS);
    uint64_t was = without_stale(before, model_program->generation) / MUTEX_WAITER;
    uint64_t is = without_stale(after, model_program->generation) / MUTEX_WAITER;

    if (is == was + 1 && (waiters & model_bit(thread)) == 0)
        waiters |= model_bit(thread);
    else if (is + 1 == was && (waiters & model_bit(thread)) != 0)
        waiters &= ~model_bit(thread);
    else if (is != was)
        model_fail("word", "the count of waiters goes from %llu to %llu by the wrong thread", was,
                   is);
    *shadow(MUTEX_WAITERS) = waiters;
}

/* A hand-off whose receiver did not survive a fork. */
static bool is_dead_handoff(fw_mutex_word_ w)
{
    return is_being_handed_off(w) && has_stale_waiters(w, model_program->generation);
}

/* Handing off, and claiming that (MU3). */
static void check_handoff(unsigned thread, fw_mutex_word_ before, fw_mutex_word_ after)
{
    if (is_dead_handoff(before))
        return;
    if (!is_being_handed_off(before) && is_being_handed_off(after))
        *shadow(MUTEX_RECEIVERS) = *shadow(MUTEX_WAITERS);
    if (is_being_handed_off(before) && !is_being_handed_off(after)) {
        if ((*shadow(MUTEX_RECEIVERS) & model_bit(thread)) == 0 &&
            model_threads[thread].priority == 0)
            model_fail("overtaken",
                       "thread %llu claims a hand-off that was for others (set 0x%llx)", thread,
                       *shadow(MUTEX_RECEIVERS));
        *shadow(MUTEX_RECEIVERS) = 0;
    }
    if (is_being_handed_off(after)) {
        *shadow(MUTEX_RECEIVERS) &= *shadow(MUTEX_WAITERS);
        if (*shadow(MUTEX_RECEIVERS) == 0)
            model_fail("stranded", "the lock is handed off, and nobody is queued to claim it", 0,
                       0);
    }
}

/* A thread that lets go of what it does not have: with the loose calls it may. */
static bool is_stranger(unsigned thread)
{
    return (*shadow(MUTEX_STRANGERS) & model_bit(thread)) != 0;
}

/* Who may change the owner half, and to what. */
static void check_owner(unsigned thread, fw_mutex_word_ before, fw_mutex_word_ after)
{
    uint32_t was = owner_half(before);
    uint32_t is = owner_half(after);
    uint32_t id = subject_id(thread);
    bool ok = was == is;

    ok = ok || (was == 0 && (is == FW_ID_HELD || is == id));
    ok = ok || (was == FW_ID_HELD && is == id);
    ok = ok || (is_being_handed_off(before) && is == id);
    ok = ok || (is_dead_handoff(before) && after == 0);
    ok = ok || ((was == id || is_stranger(thread)) && (is == 0 || is_being_handed_off(after)));
    if (!ok)
        model_fail("word", "the owner half goes from 0x%llx to 0x%llx by the wrong thread", was,
                   is);
    if (was == id && is == 0 && is_starving(without_stale(before, model_program->generation)) &&
        has_waiters(before))
        model_fail("hand-off refused", "a waiter asked for the lock, and the release freed it", 0,
                   0);
}

void mutex_check_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    if (addr != (uint64_t)(uintptr_t)word || before == *word)
        return;
    check_line(thread, before, *word);
    check_handoff(thread, before, *word);
    check_owner(thread, before, *word);
    if (owner_half(before) == subject_id(thread) && owner_half(*word) != subject_id(thread))
        *shadow(MUTEX_INSIDE) = 0;
}

void mutex_check_stranger(unsigned self)
{
    *shadow(MUTEX_STRANGERS) |= model_bit(self);
}

void mutex_check_finished(void)
{
    if (!is_free(*word) || has_waiters(*word) || has_queue(*word))
        model_fail("word", "all threads are done, and the word is 0x%llx", *word, 0);
}

/* --- What the callers see ------------------------------------------------------------------- */

void mutex_check_enter(unsigned self)
{
    report_remark(self, "has the lock");
    if (*shadow(MUTEX_INSIDE) != 0)
        model_thread_fail("exclusion", "threads %llu and %llu are in the critical section",
                          *shadow(MUTEX_INSIDE) - 1, self);
    if (*shadow(MUTEX_FAIR) == self + 1 && *shadow(MUTEX_FAIR_ASLEEP) != 0)
        model_thread_fail("overtaken",
                          "after a fair release thread %llu has the lock again, and the "
                          "threads 0x%llx slept in the queue",
                          self, *shadow(MUTEX_FAIR_ASLEEP));
    *shadow(MUTEX_FAIR) = 0;
    *shadow(MUTEX_FAIR_ASLEEP) = 0;
    *shadow(MUTEX_INSIDE) = self + 1;
    *shadow(MUTEX_ENTRIES) += 1;
    if (memory_read(self, (uint64_t)(uintptr_t)word, 4) != subject_id(self))
        model_thread_fail("owner", "thread %llu has the lock, and the owner half is 0x%llx", self,
                          memory_read(self, (uint64_t)(uintptr_t)word, 4));
}

void mutex_check_gave_up(unsigned self)
{
    report_remark(self, "has given up");
    *shadow(MUTEX_FAIR_ASLEEP) &= ~model_bit(self);
}

void mutex_check_fair_release(unsigned self)
{
    uint64_t asleep = 0;

    for (unsigned i = 0; i < model_shared.asleep; i++)
        asleep |= model_bit((unsigned)model_shared.queue[i]);
    if (asleep != 0) {
        *shadow(MUTEX_FAIR) = self + 1;
        *shadow(MUTEX_FAIR_ASLEEP) = asleep;
    }
}
