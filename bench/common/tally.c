/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "measure/clock.h"
#include "measure/counters.h"

bool bench_counts_calls;
static struct counters *calls;
static bool counts_fences; /* known once they have been read */

bool tally_open(const char **why)
{
    calls = counters_open();
    *why = calls == NULL ? "no memory" : counters_no_system_calls(calls);
    bench_counts_calls = **why == '\0';
    if (!bench_counts_calls)
        tally_close();
    return bench_counts_calls;
}

void tally_close(void)
{
    bench_counts_calls = false;
    if (calls != NULL)
        counters_close(calls);
    calls = NULL;
}

void tally_read(struct tally *t)
{
    struct rusage all = {0}, me = {0};
    struct counts counts = {0};

    if (calls != NULL)
        counters_read(calls, &counts);
    getrusage(RUSAGE_SELF, &all);
    getrusage(RUSAGE_THREAD, &me);
    counts_fences = counts.has_fences;
    t->voluntary = (uint64_t)(all.ru_nvcsw - me.ru_nvcsw);
    t->involuntary = (uint64_t)(all.ru_nivcsw - me.ru_nivcsw);
    t->system_calls = counts.system_calls;
    t->fences = counts.fences;
    t->ns = clock_ns();
}

/* Of switches two counts are read one after the other: where nobody else ran, it may go back. */
static uint64_t more(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

struct tally tally_between(const struct tally *before, const struct tally *now)
{
    return (struct tally){more(before->voluntary, now->voluntary),
                          more(before->involuntary, now->involuntary),
                          more(before->system_calls, now->system_calls),
                          more(before->fences, now->fences), more(before->ns, now->ns)};
}

struct tally tally_since(const struct tally *before)
{
    struct tally now;

    tally_read(&now);
    return tally_between(before, &now);
}

void tally_share(const struct tally *t, double pieces, struct bench_entry *entry,
                 struct bench_run *out)
{
    out->voluntary = (double)t->voluntary / pieces;
    out->involuntary = (double)t->involuntary / pieces;
    if (bench_counts_calls)
        entry->system_calls = (double)t->system_calls / pieces;
    if (counts_fences && t->ns > 0)
        entry->fences = (double)t->fences * 1e9 / (double)t->ns;
}
