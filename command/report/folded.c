/* SPDX-License-Identifier: MIT */
/* Contracts: report.h. */
#include <stdlib.h>
#include <string.h>

#include "command/waits/intern.h"
#include "report.h"

static const char *frame_name(const struct waits_frame *f)
{
    char text[512];

    if (f->function != NULL)
        return f->function;
    waits_frame_text(f, text, sizeof text);
    return intern_text(text);
}

/* From the outermost to the innermost, or the other way round. */
static unsigned add_stack(const struct waits_stack *s, bool inwards, const char **names,
                          unsigned count)
{
    enum { KEPT = 8 }; /* for what else there is */

    for (unsigned i = 0; i < s->last && count < REPORT_DEPTH - KEPT; i++)
        names[count++] = frame_name(s->frames[inwards ? s->last - 1 - i : i]);
    return count;
}

unsigned report_names(const struct waits_lock *lock, const struct waits_site *site,
                      enum report_side side, const char *names[REPORT_DEPTH])
{
    char text[256], name[128];
    unsigned count = 0;

    if (side == REPORT_WAKERS && site->waker == NULL)
        return 0;
    names[count++] = lock->process->name;
    count = add_stack(side == REPORT_WAKERS ? site->waker : site->waiter, true, names, count);
    if (lock->address != 0 || lock->name != NULL)
        snprintf(text, sizeof text, "[%s %s]", lock->kind,
                 waits_lock_text(lock, name, sizeof name));
    else
        snprintf(text, sizeof text, "[%s]", lock->kind);
    names[count++] = intern_text(text);
    if (side == REPORT_BOTH && site->waker != NULL) {
        names[count++] = "--";
        count = add_stack(site->waker, false, names, count);
    }
    return count;
}

static void put_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        putc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, out);
}

void report_folded(FILE *out, const struct waits_view *v, enum report_side side)
{
    const char *names[REPORT_DEPTH];

    for (unsigned i = 0; i < v->count; i++)
        for (unsigned s = 0; s < v->locks[i]->site_count; s++) {
            const struct waits_site *site = &v->locks[i]->sites[s];
            unsigned count = report_names(v->locks[i], site, side, names);
            if (count == 0 || site->ns < 1)
                continue;
            for (unsigned n = 0; n < count; n++) {
                if (n > 0)
                    putc(';', out);
                put_name(out, names[n]);
            }
            fprintf(out, " %.0f\n", site->ns < 1000 ? 1 : site->ns / 1e3);
        }
}

void report_escape(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            putc(*text, out);
        }
}
