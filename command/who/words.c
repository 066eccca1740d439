/* SPDX-License-Identifier: MIT */
/* Threads, locks and places as words: contract in who.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/print/visible.h"
#include "who.h"

char *who_thread_words(const struct who *w, size_t thread, char text[WHO_TEXT])
{
    const struct who_thread *t = &w->threads[thread];
    char name[sizeof t->about.name];
    int used = 0;

    snprintf(name, sizeof name, "%s", t->about.name);
    visible(name);
    if (w->target_count > 1)
        used = snprintf(text, WHO_TEXT, "%d/", (int)t->target->pid);
    if (t->task != 0) {
        snprintf(text + used, (size_t)(WHO_TEXT - used), "task %u", t->task);
        return text;
    }
    snprintf(text + used, (size_t)(WHO_TEXT - used), name[0] != '\0' ? "%d \"%s\"" : "%d",
             (int)t->about.tid, name);
    return text;
}

char *who_holder_words(const struct who *w, const struct who_holder *h, char text[WHO_TEXT])
{
    if (h->thread != WHO_NOBODY)
        return who_thread_words(w, h->thread, text);
    if (h->task != 0) {
        snprintf(text, WHO_TEXT, "task %u", h->task);
        return text;
    }
    snprintf(text, WHO_TEXT, "%d, %s", (int)h->inner,
             h->is_gone ? "which no longer exists" : "of a process that is not known here");
    return text;
}

const char *who_details(const struct decode_answer *a)
{
    return a->details + strspn(a->details, ", ");
}

char *who_object_words(const struct who_wait *wait, char text[WHO_TEXT])
{
    const struct decode_answer *a = &wait->what;
    int used = 0;

    if (a->kind == DECODE_THREAD) {
        snprintf(text, WHO_TEXT, "thread %d", (int)a->owner);
        return text;
    }
    used = snprintf(text, WHO_TEXT, "%s", decode_kinds[a->kind]);
    if (wait->name[0] != '\0')
        used += snprintf(text + used, (size_t)(WHO_TEXT - used), " %s", wait->name);
    else if (wait->is_region)
        used += snprintf(text + used, (size_t)(WHO_TEXT - used), " at offset %" PRIu64, a->object);
    else if (a->object != 0)
        used += snprintf(text + used, (size_t)(WHO_TEXT - used), " 0x%" PRIx64, a->object);
    if (a->details[0] != '\0')
        snprintf(text + used, (size_t)(WHO_TEXT - used), " (%s)", who_details(a));
    return text;
}

static void append(char *text, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, WHO_TEXT - used, "%s", more);
}

char *who_frame_words(struct target *t, const struct unwind_frame *f, char text[WHO_TEXT])
{
    const struct target_site *site = target_site_of(t, f->is_call ? f->address : f->address + 1);

    locations_write(&site->location, f->address, text, WHO_TEXT - 2);
    visible(text);
    if (f->is_guess)
        append(text, " ?");
    return text;
}

/* Is it of a library whose functions only wait? */
static bool is_of_locks(const struct location *l)
{
    static const char *const libraries[] = {"libc.",      "libc-",      "libpthread", "ld-musl",
                                            "libfurwock", "libstdc++.", "libc++",     "ld-linux"};
    const char *name = l->module != NULL ? strrchr(l->module, '/') : NULL;

    if (decode_is_call(l->symbol))
        return true;
    for (unsigned i = 0; name != NULL && i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name + 1, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

/* A frame that called a lock's function, or else the innermost one that is in no such library. */
static const struct unwind_frame *place_of(const struct who_thread *t)
{
    const struct unwind_frame *first = NULL;

    for (unsigned i = 0; i < t->frame_count; i++) {
        const struct unwind_frame *f = &t->frames[i];
        const struct target_site *site =
            target_site_of(t->target, f->is_call ? f->address : f->address + 1);
        if (site->location.module == NULL || is_of_locks(&site->location))
            continue;
        if (f->is_call && decode_is_call(site->called))
            return f;
        if (first == NULL)
            first = f;
    }
    return first;
}

char *who_place_words(const struct who_thread *t, char text[WHO_TEXT])
{
    const struct unwind_frame *f = place_of(t);

    text[0] = '\0';
    return f != NULL ? who_frame_words(t->target, f, text) : text;
}
