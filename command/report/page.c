/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/waits/kind.h"
#include "report.h"

enum { LOCKS = 30, PICTURES = 10, PLACES = 5 };

static const char style[] =
    "body{font-family:sans-serif;max-width:1240px;margin:1em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;font-size:90%}"
    "td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}"
    "td.l,th.l{text-align:left}code{font-size:95%}"
    ".p{margin:.2em 0 .2em 2em;font-size:85%}svg{max-width:100%;height:auto}";

static void put_time(FILE *out, double ns)
{
    if (ns <= 0)
        fputs("-", out);
    else if (ns < 1e6)
        fprintf(out, "%.3g us", ns / 1e3);
    else if (ns < 1e9)
        fprintf(out, "%.3g ms", ns / 1e6);
    else
        fprintf(out, "%.3g s", ns / 1e9);
}

static void put_cell(FILE *out, double ns)
{
    fputs("<td>", out);
    put_time(out, ns);
    fputs("</td>", out);
}

static void put_row(FILE *out, const struct waits_view *v, const struct waits_lock *l, unsigned i)
{
    char text[128];

    fprintf(out, "<tr><td class=l><a href=\"#l%u\"><code>", i);
    report_escape(out, waits_lock_text(l, text, sizeof text));
    fputs("</code></a></td><td class=l>", out);
    report_escape(out, l->kind);
    fputs("</td><td class=l>", out);
    report_escape(out, l->process->name);
    fprintf(out, " [%d]</td><td>%" PRIu64 "</td><td>%.1f</td>", (int)l->process->pid, l->waits,
            (double)l->waits / v->seconds);
    put_cell(out, (double)l->total);
    put_cell(out, (double)waits_quantile(l, 0.5));
    put_cell(out, (double)waits_quantile(l, 0.99));
    put_cell(out, (double)l->longest);
    put_cell(out, l->waits != 0 ? (double)l->late / (double)l->waits : 0);
    fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct waits_view *v, enum waits_class class,
                      const char *title)
{
    unsigned shown = 0;

    for (unsigned i = 0; i < v->count && shown < LOCKS; i++) {
        if (v->locks[i]->class != class)
            continue;
        if (shown++ == 0)
            fprintf(out,
                    "<h2>%s</h2>\n<table><tr><th class=l>lock<th class=l>kind<th class=l>process"
                    "<th>waits<th>a second<th>waited<th>p50<th>p99<th>max<th>wake-up to CPU</tr>\n",
                    title);
        put_row(out, v, v->locks[i], i);
    }
    fputs(shown > 0 ? "</table>\n" : "", out);
}

/* How long waits took: a bar for each bucket, on a logarithmic axis. */
static void put_histogram(FILE *out, const struct waits_lock *l)
{
    enum { HEIGHT = 90, BAR = 10, AXIS = 16 };
    unsigned first = FW_WAITS_BUCKETS, last = 0;
    uint32_t most = 0;
    uint64_t from, to;

    for (unsigned i = 0; i < FW_WAITS_BUCKETS; i++)
        if (l->buckets[i] != 0) {
            first = i < first ? i : first;
            last = i;
            most = l->buckets[i] > most ? l->buckets[i] : most;
        }
    if (most == 0)
        return;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%d\" "
            "font-size=\"10\" font-family=\"sans-serif\">\n",
            (last - first + 1) * BAR + 80, HEIGHT + AXIS);
    for (unsigned i = first; i <= last; i++) {
        double height = (double)l->buckets[i] / most * HEIGHT;
        waits_bucket_bounds(i, &from, &to);
        fprintf(out,
                "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#5b8fd0\"><title>",
                (i - first) * BAR, HEIGHT - height, BAR - 1, height);
        put_time(out, (double)from);
        fputs(" to ", out);
        put_time(out, (double)to);
        fprintf(out, ": %" PRIu32 "</title></rect>\n", l->buckets[i]);
    }
    for (unsigned i = first; i <= last; i += 8) {
        waits_bucket_bounds(i, &from, &to);
        fprintf(out, "<text x=\"%u\" y=\"%d\">", (i - first) * BAR, HEIGHT + AXIS - 4);
        put_time(out, (double)from);
        fputs("</text>", out);
    }
    fputs("</svg>\n", out);
}

static void put_stack(FILE *out, const struct waits_stack *s)
{
    char text[512];

    for (unsigned i = s->first; i < s->last; i++) {
        fputs(i > s->first ? " &larr; <code>" : "<code>", out);
        report_escape(out, waits_frame_text(s->frames[i], text, sizeof text));
        fputs("</code>", out);
    }
}

static void put_lock(FILE *out, const struct waits_lock *l, unsigned i)
{
    const char *hint = kind_hint(l->kind);
    char text[128];

    fprintf(out, "<h3 id=\"l%u\">", i);
    report_escape(out, l->kind);
    fputs(" <code>", out);
    report_escape(out, waits_lock_text(l, text, sizeof text));
    fputs("</code> of ", out);
    report_escape(out, l->process->name);
    fputs("</h3>\n", out);
    put_histogram(out, l);
    for (unsigned s = 0; s < l->site_count && s < PLACES; s++) {
        const struct waits_site *site = &l->sites[s];
        fprintf(out, "<p class=p>%.0f %% waited at ",
                l->total > 0 ? 100 * site->ns / (double)l->total : 0);
        put_stack(out, site->waiter);
        if (site->waker != NULL) {
            fputs("<br>woken by ", out);
            put_stack(out, site->waker);
        }
        fputs("</p>\n", out);
    }
    if (hint != NULL)
        fprintf(out, "<p class=p>(%s)</p>\n", hint);
}

void report_page(FILE *out, const struct waits_view *v, const char *name)
{
    time_t started = (time_t)v->started;
    struct tm parts;
    char when[64] = "";

    if (localtime_r(&started, &parts) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>furwock report: ");
    report_escape(out, name);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>What threads waited for</h1>\n<p>",
            style);
    report_escape(out, name);
    fprintf(out,
            ": %s, %.1f s.  The figures of locks are exact, the shares of places are estimated "
            "from %zu samples.  Point at a box or a bar to see what it is.</p>\n",
            when, v->seconds, v->sample_count);
    if (v->lost.waits > 0 || v->lost.samples > 0)
        fprintf(out, "<p><b>Lost: %" PRIu64 " waits, %" PRIu64 " samples.</b></p>\n", v->lost.waits,
                v->lost.samples);
    put_table(out, v, WAITS_LOCK, "Locks");
    put_table(out, v, WAITS_OTHER,
              "Other waits: conditions, semaphores, ends of threads, idle ones");
    fputs("<h2>Where threads waited</h2>\n", out);
    report_flame(out, v, REPORT_WAITERS, "time waited, by the waiting threads' stacks");
    fputs("<h2>What ended their waits</h2>\n", out);
    report_flame(out, v, REPORT_WAKERS, "time waited, by the stacks of those that ended it");
    fputs("<h2>Each lock</h2>\n", out);
    for (unsigned i = 0; i < v->count && i < PICTURES; i++)
        put_lock(out, v->locks[i], i);
    fputs("</body></html>\n", out);
}
