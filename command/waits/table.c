/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "kind.h"
#include "wanted.h"

enum { TEXT = 512 };

struct row {
    const struct waits_lock *lock;
    char name[64], process[40], holder[48], address[24];
    const char *kind, *variable, *process_name, *program, *class;
    uint32_t waiters;
    int pid;
    double rate, waited;
    uint64_t waits, p50, p99, longest, late, oldest, total, by_other;
};

struct context {
    const struct waits_view *view;
    const struct table_options *options;
};

/* --- One lock --------------------------------------------------------------------------------- */

/* Times from nanoseconds to minutes in five columns. */
static void format_time(const void *value, char *text, size_t size)
{
    double us = (double)*(const uint64_t *)value / 1e3;

    if (*(const uint64_t *)value == 0)
        snprintf(text, size, "-");
    else if (us < 999.5)
        snprintf(text, size, "%.*fus", us < 9.95, us);
    else if (us < 999.5e3)
        snprintf(text, size, "%.*fms", us < 9.95e3, us / 1e3);
    else
        snprintf(text, size, "%.*fs", us < 99.5e6, us / 1e6);
}

static void describe_holder(const struct waits_lock *l, char *text, size_t size)
{
    if (l->owner != 0)
        snprintf(text, size, "%d %s", (int)l->owner, l->owner_name);
    else
        snprintf(text, size, "%s", l->owner_is_known ? "free" : "");
}

static void make_row(struct row *r, const struct waits_lock *l, double seconds)
{
    *r = (struct row){
        .lock = l,
        .kind = l->kind,
        .variable = l->name,
        .class = l->class == WAITS_LOCK ? "lock" : "other",
        .process_name = l->process->name,
        .program = l->process->program,
        .pid = (int)l->process->pid,
        .waiters = l->waiters,
        .oldest = l->oldest,
        .waits = l->waits,
        .rate = (double)l->waits / seconds,
        .waited = (double)l->total / 1e9 / seconds,
        .p50 = waits_quantile(l, 0.5),
        .p99 = waits_quantile(l, 0.99),
        .longest = l->longest,
        .late = l->waits != 0 ? l->late / l->waits : 0,
        .total = l->total,
        .by_other = l->by_other,
    };
    waits_lock_text(l, r->name, sizeof r->name);
    if (l->address != 0)
        snprintf(r->address, sizeof r->address, "0x%" PRIx64, l->address);
    else if (l->name == NULL)
        snprintf(r->name, sizeof r->name, "(all of them)");
    snprintf(r->process, sizeof r->process, "%s[%d]", l->process->name, r->pid);
    describe_holder(l, r->holder, sizeof r->holder);
}

/* --- Places ----------------------------------------------------------------------------------- */

static void stack_text(const struct waits_stack *s, unsigned most, char *text, size_t size)
{
    size_t used = 0;
    unsigned shown = 0;

    text[0] = '\0';
    for (unsigned i = s->first; i < s->last && (most == 0 || shown < most); i++, shown++) {
        char frame[TEXT];
        int n = snprintf(text + used, size - used, "%s%s", shown > 0 ? " < " : "",
                         waits_frame_text(s->frames[i], frame, sizeof frame));
        used += (size_t)n;
        if (used >= size)
            return;
    }
}

/* A stack and what it stands for, summed over what stands on the other side. */
struct part {
    const struct waits_stack *stack;
    double ns;
};

static int compare_parts(const void *a, const void *b)
{
    double x = ((const struct part *)a)->ns, y = ((const struct part *)b)->ns;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* The waiters' stacks; or, of one of these, the wakers'. */
static unsigned gather(const struct waits_lock *l, const struct waits_stack *waiter,
                       struct part *parts)
{
    unsigned count = 0, i;

    for (unsigned s = 0; s < l->site_count; s++) {
        const struct waits_site *site = &l->sites[s];
        const struct waits_stack *stack = waiter == NULL ? site->waiter : site->waker;
        if ((waiter != NULL && site->waiter != waiter) || stack == NULL)
            continue;
        for (i = 0; i < count && parts[i].stack != stack; i++)
            ;
        if (i == count)
            parts[count++] = (struct part){stack, 0};
        parts[i].ns += site->ns;
    }
    qsort(parts, count, sizeof *parts, compare_parts);
    return count;
}

static void show_places(const struct printer *p, const struct waits_lock *l,
                        const struct table_options *o)
{
    const char *hint = kind_hint(l->kind);
    struct part *places = calloc(2 * (size_t)l->site_count + 1, sizeof *places);
    struct part *wakers = places != NULL ? places + l->site_count : NULL;
    unsigned count = places != NULL ? gather(l, NULL, places) : 0;
    char text[2048];

    for (unsigned i = 0; i < count && (o->places == 0 || i < o->places); i++) {
        stack_text(places[i].stack, o->frames, text, sizeof text);
        if (l->total > 0)
            print_words(p, "    %3.0f %%  %s\n", 100 * places[i].ns / (double)l->total, text);
        else
            print_words(p, "           %s\n", text);
        if (gather(l, places[i].stack, wakers) > 0) {
            stack_text(wakers[0].stack, o->frames, text, sizeof text);
            print_words(p, "           woken by %s", text);
            if (places[i].ns > 0 && wakers[0].ns < 0.995 * places[i].ns)
                print_words(p, " (%.0f %%)", 100 * wakers[0].ns / places[i].ns);
            print_words(p, "\n");
        }
    }
    if (hint != NULL)
        print_words(p, "           (%s)\n", hint);
    free(places);
}

static json_t *frame_json(const struct waits_frame *f)
{
    char text[TEXT], offset[24];

    snprintf(offset, sizeof offset, "0x%" PRIx64, f->offset != 0 ? f->offset : f->address);
    json_t *object = json_pack("{s:s, s:s?, s:s, s:s?}", "text",
                               waits_frame_text(f, text, sizeof text), "module", f->module,
                               f->offset != 0 ? "offset" : "address", offset, "called", f->called);
    return object;
}

static json_t *stack_json(const struct waits_stack *s)
{
    json_t *list = json_array();

    if (s == NULL)
        return json_null();
    for (unsigned i = 0; i < s->count; i++)
        json_array_append_new(list, frame_json(s->frames[i]));
    return list;
}

static void add_places(const struct printer *p, const struct waits_lock *l,
                       const struct table_options *o)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < l->site_count && (o->places == 0 || i < o->places); i++) {
        const struct waits_site *s = &l->sites[i];
        json_t *place = json_object();

        json_object_set_new(place, "waits", json_real(s->waits));
        json_object_set_new(place, "waited_us", json_real(s->ns / 1e3));
        json_object_set_new(place, "max_us", json_real((double)s->longest / 1e3));
        json_object_set_new(place, "samples", json_integer(s->samples));
        json_object_set_new(place, "first", json_integer(s->waiter != NULL ? s->waiter->first : 0));
        json_object_set_new(place, "waiter", stack_json(s->waiter));
        json_object_set_new(place, "waker", stack_json(s->waker));
        json_array_append_new(list, place);
    }
    print_member(p, "places", list);
}

static void more(const struct printer *p, const void *record, const void *context)
{
    const struct row *r = record;
    const struct waits_lock *l = r->lock;
    const struct context *c = context;

    print_words(p, "\n");
    if (p->json == NULL) {
        show_places(p, l, c->options);
        return;
    }
    print_member(p, "address", print_text_json(r->address[0] != '\0' ? r->address : NULL));
    print_member(p, "holder",
                 l->owner != 0
                     ? json_pack("{s:i, s:s}", "tid", (int)l->owner, "name", l->owner_name)
                     : json_null());
    print_member(p, "holder_known", json_boolean(l->owner_is_known));
    add_places(p, l, c->options);
}

/* --- The table -------------------------------------------------------------------------------- */

#define FIELD(k, t, type, member) PRINT_FIELD(k, t, type, row, member)

static const struct print_field fields[] = {
    {FIELD(NULL, "LOCK", PRINT_ARRAY, name), .width = -24},
    {FIELD("kind", "KIND", PRINT_TEXT, kind), .width = -13},
    {FIELD(NULL, "PROCESS", PRINT_ARRAY, process), .width = -18},
    {FIELD("waiters", "WAITING", PRINT_UNSIGNED, waiters), .width = 7},
    {FIELD("waits_per_second", "WAITS/s", PRINT_REAL, rate), .width = 9},
    {FIELD("waited_per_second", "WAITED", PRINT_REAL, waited), .width = 7, .digits = 3},
    {FIELD("p50_us", "P50", PRINT_US, p50), .width = 6, .format = format_time},
    {FIELD("p99_us", "P99", PRINT_US, p99), .width = 6, .format = format_time},
    {FIELD("max_us", "MAX", PRINT_US, longest), .width = 6, .format = format_time},
    {FIELD("late_us", "TO CPU", PRINT_US, late), .width = 6, .format = format_time},
    {FIELD("oldest_us", "OLDEST", PRINT_US, oldest), .width = 6, .format = format_time},
    {FIELD(NULL, "HELD BY", PRINT_ARRAY, holder), .width = -1},
    {FIELD("variable", NULL, PRINT_TEXT, variable)},
    {FIELD("class", NULL, PRINT_TEXT, class)},
    {FIELD("pid", NULL, PRINT_INT, pid)},
    {FIELD("process", NULL, PRINT_TEXT, process_name)},
    {FIELD("program", NULL, PRINT_TEXT, program)},
    {FIELD("waits", NULL, PRINT_U64, waits)},
    {FIELD("waited_us", NULL, PRINT_US, total)},
    {FIELD("not_woken_by_futex", NULL, PRINT_U64, by_other)},
};

static const struct print_record record = PRINT_RECORD(fields, more);

static void show_class(const struct printer *p, const struct context *c, enum waits_class class,
                       const char *title)
{
    const struct waits_view *v = c->view;
    unsigned shown = 0, all = 0;

    for (unsigned i = 0; i < v->count; i++) {
        struct row r;

        if (v->locks[i]->class != class ||
            (all++, c->options->locks != 0 && shown >= c->options->locks))
            continue;
        if (shown++ == 0 && p->json == NULL) {
            print_words(p, "\n%s\n", title);
            print_header(p, &record);
        }
        make_row(&r, v->locks[i], v->seconds);
        print_append(p, "locks", &record, &r, c);
    }
    if (all > shown)
        print_words(p, "... and %u more\n", all - shown);
}

static void show_losses(const struct printer *p, const struct waits_lost *lost)
{
    if (lost->waits > 0)
        print_words(p, "%" PRIu64 " wait%s not counted: the tables in the kernel were full\n",
                    lost->waits, print_plural(lost->waits));
    if (lost->samples > 0)
        print_words(p,
                    "%" PRIu64 " sample%s lost: the buffer was full; shares of places are less "
                    "exact\n",
                    lost->samples, print_plural(lost->samples));
    print_member(p, "lost",
                 json_pack("{s:I, s:I}", "waits", (json_int_t)lost->waits, "samples",
                           (json_int_t)lost->samples));
}

void table_show(const struct printer *p, const struct waits_view *v, const struct table_options *o)
{
    struct context c = {v, o};

    print_member(p, "seconds", json_real(v->seconds));
    show_losses(p, &v->lost);
    print_member(p, "locks", json_array());
    show_class(p, &c, WAITS_LOCK, "Locks");
    show_class(p, &c, WAITS_OTHER,
               "Other waits: conditions, semaphores, ends of threads, idle ones");
    if (v->count == 0)
        print_words(p, "\nNobody waited in a futex call.\n");
}

static enum waits_order read_order(const char *text)
{
    static const char *const texts[] = {
        [WAITS_BY_TIME] = "time", [WAITS_BY_COUNT] = "count", [WAITS_BY_LONGEST] = "max"};

    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(text, texts[i]) == 0)
            return (enum waits_order)i;
    command_die(COMMAND_USAGE, "--sort takes time, count or max, not \"%s\"", text);
}

bool table_option(int key, const char *arg, struct table_options *o, enum waits_order *order)
{
    switch (key) {
    case 'l':
        o->locks = wanted_number("--locks", arg, 0);
        return true;
    case TABLE_KEY_PLACES:
        o->places = wanted_number("--places", arg, 0);
        return true;
    case TABLE_KEY_FRAMES:
        o->frames = wanted_number("--frames", arg, 0);
        return true;
    case TABLE_KEY_SORT:
        *order = read_order(arg);
        return true;
    default:
        return false;
    }
}
