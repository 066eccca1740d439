/* SPDX-License-Identifier: MIT */
/*
 * What the jobs of a run have cost: their readings of the counter, less the time in which the
 * kernel says that they did not run.
 */
#include <stdlib.h>

#include "tasks.h"

/* How long the thread was off its CPU between two points; whether it slept. */
static double paused(const struct worker *w, double from, double to, bool *slept)
{
    size_t low = 0, high = w->n_pauses;
    double all = 0;

    while (low < high) { /* the first that ends behind `from` */
        size_t middle = low + (high - low) / 2;
        if ((double)w->pauses[middle].to_ns <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->n_pauses && (double)w->pauses[low].from_ns < to; low++) {
        double a = (double)w->pauses[low].from_ns, b = (double)w->pauses[low].to_ns;
        all += (b < to ? b : to) - (a > from ? a : from);
        *slept = *slept || w->pauses[low].is_sleep;
    }
    return all;
}

struct section {
    const struct worker *by;
    const struct job *job;
    double lock_ns, unlock_ns, clock_ns, schedule_ns;
    bool waited;   /* asleep */
    bool stopped;  /* lost the CPU in the lock */
    bool gave_way; /* in the unlock */
    bool slept;    /* until the next job */
};

static double at_ns(const struct tasks *all, uint64_t ticks)
{
    return all->zero_ns + (double)ticks * all->tick_ns;
}

static void look(const struct tasks *all, const struct worker *w, const struct job *j,
                 struct section *s)
{
    double at[4], none[2], sleep[2];
    bool unused = false;

    for (int i = 0; i < 4; i++)
        at[i] = at_ns(all, j->at[i]);
    for (int i = 0; i < 2; i++) {
        none[i] = at_ns(all, j->none[i]);
        sleep[i] = at_ns(all, j->sleep[i]);
    }
    *s = (struct section){.by = w, .job = j};
    s->lock_ns = at[1] - at[0] - paused(w, at[0], at[1], &s->waited);
    s->unlock_ns = at[3] - at[2] - paused(w, at[2], at[3], &unused);
    s->clock_ns = none[1] - none[0] - paused(w, none[0], none[1], &unused);
    s->schedule_ns = sleep[1] - sleep[0] - paused(w, sleep[0], sleep[1], &s->slept);
    s->stopped = at[1] - at[0] - s->lock_ns > 0;
    s->gave_way = at[3] - at[2] - s->unlock_ns > 0;
}

static bool was_in_the_way(const struct section *s, const struct section *of)
{
    return s->by != of->by && of->job->at[0] < s->job->at[2];
}

/*
 * A job that sleeps until the next one goes through the scheduler twice: it asks to sleep, and the
 * scheduler chooses who runs; it is chosen, and comes back, past what the library does for tasks
 * that wake up.  That, less the time asleep, is the sample of Figure 1.  A job that was late did
 * not sleep.
 *
 * An unlock is a contended one if who comes next has asked before, or if it lets somebody run: one
 * whom the section has held back, though that one did not want the lock (a ceiling, boosting).
 * Whether the owner had to wait itself does not count there; such unlocks are shown apart, too.
 *
 * Who asked and did not sleep has polled (the kernel does that for a lock that inherits, while the
 * owner runs elsewhere): what that cost cannot be told from waiting, so such a lock counts neither
 * here nor there.  In tier B nobody sleeps for a lock: the scheduler does not dispatch the waiter.
 * Returns false where sections overlapped.
 */
static bool collect(const struct section *sections, size_t n, bool sleeps, struct samples *to)
{
    for (size_t i = 0; i < n; i++) {
        const struct section *s = &sections[i];
        bool met, is_taken, handed;

        if (s->job == NULL || (i > 0 && s->job->at[1] < s[-1].job->at[2]))
            return false;
        met = i > 0 && was_in_the_way(s - 1, s);
        handed =
            i + 1 < n && s[1].job != NULL && s[1].by != s->by && s[1].job->at[0] < s->job->at[3];
        is_taken = sleeps ? s->waited : s->stopped && met;
        if (is_taken)
            samples_add(to, LOCK_TAKEN, s->lock_ns);
        else if (!met)
            samples_add(to, LOCK_FREE, s->lock_ns);
        samples_add(to, handed || s->gave_way ? UNLOCK_TAKEN : UNLOCK_FREE, s->unlock_ns);
        if (!handed && !s->gave_way && (is_taken || !met))
            samples_add(to, is_taken ? UNLOCK_WAITED : UNLOCK_AT_ONCE, s->unlock_ns);
        samples_add(to, CLOCK, s->clock_ns);
        if (s->slept)
            samples_add(to, SCHEDULE, s->schedule_ns);
    }
    return true;
}

static bool is_tier_b(const struct fixture *s)
{
    return s->group != NULL && fw_rt_group_tier(s->group) == FW_RT_TIER_B;
}

bool evaluate(struct tasks *all, struct samples *to)
{
    struct section *sections;
    size_t n = 0;
    bool good;

    for (unsigned i = 0; i < all->spot->tasks; i++)
        n += all->worker[i].n;
    sections = calloc(n + 1, sizeof *sections);
    if (sections == NULL)
        bench_die("no memory");
    for (unsigned i = 0; i < all->spot->tasks; i++)
        for (size_t k = 0; k < all->worker[i].n; k++) {
            const struct job *j = &all->worker[i].jobs[k];
            if (j->section < n)
                look(all, &all->worker[i], j, &sections[j->section]);
        }
    good = n > 0 && collect(sections, n, !is_tier_b(&all->fixture), to);
    free(sections);
    return good;
}
