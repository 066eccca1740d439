/* SPDX-License-Identifier: MIT */
#include "writerwait.h"

static const struct {
    const char *name;
    double fraction;
} percentiles[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};

enum { PERCENTILES = sizeof percentiles / sizeof *percentiles };

static const struct flood *flood_of(const struct bench_point *p)
{
    return p->detail;
}

static const struct waits *waits_of(const struct bench_point *p, const struct bench_entry *e)
{
    return flood_of(p)->waits[e - p->entries];
}

/* In sections. */
static double percentile(const struct bench_point *p, const struct histogram *h, int i)
{
    return (double)histogram_percentile(h, percentiles[i].fraction) / flood_of(p)->section_ns;
}

static double longest(const struct bench_point *p, const struct histogram *h)
{
    return (double)h->max / flood_of(p)->section_ns;
}

static void print_histogram(const struct bench_point *p, const struct histogram *h, FILE *out)
{
    for (int i = 0; i < PERCENTILES; i++)
        fprintf(out, " %8.2f", percentile(p, h, i));
    fprintf(out, " %8.2f", longest(p, h));
}

static void print_point(const struct bench_point *p, FILE *out)
{
    fprintf(out, "\nwaits in sections of %.0f ns, %s\n", flood_of(p)->section_ns, p->title);
    fprintf(out, "  %-18s %8s %8s %8s %8s %8s   %8s %8s %8s %8s %8s\n", "", "quiet", "p50", "p99",
            "p99.9", "max", "all", "p50", "p99", "p99.9", "max");
    for (size_t k = 0; k < p->n; k++) {
        const struct waits *w = waits_of(p, &p->entries[k]);

        fprintf(out, "  %-18s %8llu", p->entries[k].lock->name, (unsigned long long)w->quiet.n);
        print_histogram(p, &w->quiet, out);
        fprintf(out, "   %8llu", (unsigned long long)w->all.n);
        print_histogram(p, &w->all, out);
        if (w->starved > 0)
            fprintf(out, "   starved in %llu runs", (unsigned long long)w->starved);
        fputc('\n', out);
    }
}

void flood_print(const struct bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n; i++)
        print_point(&b->points[i], out);
    fprintf(
        out,
        "\nquiet: waits during which no thread of the process was preempted, or was ready and had\n"
        "no CPU for a quarter of a section; the others were disturbed, and say as much about\n"
        "the scheduler as about the lock.  starved: the writer had waited for %d ms, and the\n"
        "readers were stopped\n",
        STARVED_MS);
}

static json_t *histogram_json(const struct bench_point *p, const struct histogram *h)
{
    json_t *object = json_pack("{s:I s:f}", "n", (json_int_t)h->n, "max", longest(p, h));

    for (int i = 0; i < PERCENTILES; i++)
        json_object_set_new(object, percentiles[i].name, json_real(percentile(p, h, i)));
    return object;
}

void flood_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell)
{
    const struct waits *w = waits_of(p, e);

    (void)b;
    json_object_set_new(cell, "waits",
                        json_pack("{s:s s:o s:o s:I s:I}", "unit", "sections", "quiet",
                                  histogram_json(p, &w->quiet), "all", histogram_json(p, &w->all),
                                  "disturbed", (json_int_t)(w->all.n - w->quiet.n), "starved",
                                  (json_int_t)w->starved));
}
