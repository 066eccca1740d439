/* SPDX-License-Identifier: MIT */
/* What the lock is to reach, evaluated by the medians over the repetitions. */
#include "futexlock.h"
#include "measure/stats.h"
#include "measure/workers.h"

#define HART_LEAST 1.24 /* 749 thousand iterations a second against 606 */

#define EQUAL_WITHIN 1.05 /* times the other's throughput: no more than that is no advantage */
#define CPU_MOST 1.0      /* of the other's */

double ideal_speed(const struct duty *d)
{
    unsigned cpus = cpus_usable();
    double whole = d->period * instructions_seconds(), inside = whole * d->cycle / 100;
    double all = (d->threads < cpus ? d->threads : cpus) / whole;

    return inside * all > 1 ? 1 / inside : all;
}

static void evaluate_hart(const struct bench *b, FILE *out)
{
    fprintf(out, "  Hart's run: %s at least %.2f of %s's throughput: ", lock_adaptive, HART_LEAST,
            lock_normal);
    for (size_t i = 0; i < b->n; i++) {
        const struct bench_point *p = &b->points[i];
        const struct duty *d = &sweep_detail(p)->duty;
        size_t ours = hart_index(p, lock_adaptive), normal = hart_index(p, lock_normal);

        if (!hart_measured(d) || ours == p->n || normal == p->n)
            continue;
        struct stats_ratio r = hart_times(b, &p->entries[normal], &p->entries[ours]);
        double most = ideal_speed(d) * bench_figures(b, p, &p->entries[normal]).median;
        char text[48];

        fprintf(out, "%s, %s; a lock that costs nothing: %.2f\n",
                stats_text(text, sizeof text, r, 2), stats_at_least(r, HART_LEAST), most);
        return;
    }
    fputs("not measured\n", out);
}

/* One point; false where both were not measured, or the throughput is not equal. */
static bool compare_cpu(const struct bench *b, const struct bench_point *p, struct stats_ratio *r)
{
    size_t ours = hart_index(p, lock_adaptive), fixed = hart_index(p, lock_fixed);
    const struct spent *spent = sweep_detail(p)->spent;

    if (ours == p->n || fixed == p->n)
        return false;
    if (hart_times(b, &p->entries[fixed], &p->entries[ours]).ratio > EQUAL_WITHIN)
        return false;
    *r = stats_median_ratio(spent[ours].cpu_seconds, spent[fixed].cpu_seconds, b->finished);
    return true;
}

static void evaluate_cpu(const struct bench *b, FILE *out)
{
    unsigned all = 0, good = 0;
    struct stats_ratio r;
    char text[48];

    fprintf(out,
            "  CPU time per iteration, where %s's throughput is at most %.2f of %s's: no more than "
            "its: ",
            lock_adaptive, EQUAL_WITHIN, lock_fixed);
    for (size_t i = 0; i < b->n; i++)
        if (compare_cpu(b, &b->points[i], &r)) {
            all++;
            good += r.ratio <= CPU_MOST;
        }
    if (all == 0) {
        fputs("not measured\n", out);
        return;
    }
    fprintf(out, "%u of %u points\n", good, all);
    for (size_t i = 0; i < b->n; i++)
        if (compare_cpu(b, &b->points[i], &r) && r.ratio > CPU_MOST)
            fprintf(out, "    %s: %s, %s\n", b->points[i].title,
                    stats_text(text, sizeof text, r, 2), stats_at_most(r, CPU_MOST));
}

void outcome_print(const struct bench *b, FILE *out)
{
    fputs("\ngoals\n", out);
    evaluate_hart(b, out);
    evaluate_cpu(b, out);
}
