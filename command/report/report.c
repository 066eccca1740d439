/* SPDX-License-Identifier: MIT */
/* furwock report: what a recording of furwock record has, in many forms. */
#include "report.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/result_file.h"
#include "command/waits/recording.h"
#include "command/waits/table.h"

#define DEFAULT_FILE "furwock.waits"

struct options {
    const char *file; /* NULL: the default */
    const char *lock, *kinds;
    struct table_options table;
    enum waits_order order;
    bool as_json;
    const char *folded, *flame, *trace, *page; /* files; NULL: not asked for; "-": output */
    enum report_side side;
};

enum { LOCKS = 20, PLACES = 5, FRAMES = 8 };
enum { KEY_FOLDED = TABLE_KEYS_END, KEY_FLAME, KEY_TRACE, KEY_PAGE, KEY_SIDE, KEY_ONLY };

static enum report_side read_side(const char *text)
{
    static const char *const names[] = {
        [REPORT_WAITERS] = "waiters", [REPORT_WAKERS] = "wakers", [REPORT_BOTH] = "both"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum report_side)i;
    command_die(COMMAND_USAGE, "--stacks takes waiters, wakers or both, not \"%s\"", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_FOLDED:
        o->folded = arg;
        return 0;
    case KEY_FLAME:
        o->flame = arg;
        return 0;
    case KEY_TRACE:
        o->trace = arg;
        return 0;
    case KEY_PAGE:
        o->page = arg;
        return 0;
    case KEY_SIDE:
        o->side = read_side(arg);
        return 0;
    case KEY_ONLY:
        o->lock = arg;
        return 0;
    case 'j':
        o->as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file != NULL)
            command_die(COMMAND_USAGE, "takes one recording, not \"%s\" too", arg);
        o->file = arg;
        return 0;
    default:
        return table_option(key, arg, &o->table, &o->order) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"page", KEY_PAGE, "FILE", 0, "write an HTML page with tables and pictures", 0},
    {"flame", KEY_FLAME, "FILE", 0, "write a flame graph of the time waited (SVG)", 0},
    {"folded", KEY_FOLDED, "FILE", 0,
     "write folded stacks with microseconds, as flamegraph.pl, inferno and speedscope read them",
     0},
    {"trace", KEY_TRACE, "FILE", 0,
     "write single waits, with arrows from who ended them, for ui.perfetto.dev (JSON)", 0},
    {"stacks", KEY_SIDE, "WHOSE", 0,
     "of --flame and --folded: waiters, wakers (who made them wait) or both (waiters)", 0},
    {"lock", KEY_ONLY, "NAME", 0, "only locks whose name, address or kind has NAME in it", 0},
    {"locks", 'l', "N", 0, "at most N locks, and N other objects (20); 0: all", 0},
    {"places", TABLE_KEY_PLACES, "N", 0, "at most N places below each (5); 0: all", 0},
    {"frames", TABLE_KEY_FRAMES, "N", 0, "at most N functions of each stack (8); 0: all", 0},
    {"sort", TABLE_KEY_SORT, "ORDER", 0, "by time waited, by count of waits, or by max (time)", 0},
    {"json", 'j', NULL, 0, "print JSON", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[FILE]",
    .doc =
        "Show what furwock record has recorded.\v"
        "Without an option a table as furwock top has it, of the whole time, from FILE "
        "(" DEFAULT_FILE
        ").  With --page, --flame, --folded or --trace that is written instead; \"-\" is standard "
        "output.\n\n"
        "--stacks=wakers shows what made threads wait: the stack of the thread that ended a wait, "
        "which is where it let go of the lock.\n\n"
        "Exit status: 0; 1 if the recording cannot be read or the result not be written; 2 for a "
        "usage error.",
};

/* --- Actions ---------------------------------------------------------------------------------- */

static bool has_name(const struct waits_lock *l, const char *name)
{
    char text[256];

    return strstr(waits_lock_text(l, text, sizeof text), name) != NULL ||
           strstr(l->kind, name) != NULL;
}

/* Leaves only the locks that were asked for, and their samples. */
static void choose(struct waits_view *v, const char *name)
{
    unsigned *at = calloc(v->count + 1, sizeof *at), kept = 0;
    size_t samples = 0;

    if (at == NULL)
        abort();
    for (unsigned i = 0; i < v->count; i++) {
        if (!has_name(v->locks[i], name))
            continue;
        at[i] = kept + 1;
        v->locks[kept++] = v->locks[i];
    }
    for (size_t i = 0; i < v->sample_count; i++) {
        if (at[v->samples[i].lock] == 0)
            continue;
        v->samples[samples] = v->samples[i];
        v->samples[samples++].lock = at[v->samples[i].lock] - 1;
    }
    v->count = kept;
    v->sample_count = samples;
    free(at);
    if (kept == 0)
        command_die(COMMAND_FAILED, "no lock has \"%s\" in its name, address or kind", name);
}

/* One of the files: it is there whole in the end, or is as it was before. */
struct output {
    struct result_file file;
    FILE *out;
    char *text;
    size_t length;
};

static FILE *open_output(struct output *o, const char *path)
{
    if (!result_file_open(&o->file, path))
        command_die(COMMAND_FAILED, "cannot write %s: %s", path, strerror(errno));
    o->out = open_memstream(&o->text, &o->length);
    if (o->out == NULL)
        command_die(COMMAND_FAILED, "no memory");
    return o->out;
}

static void close_output(struct output *o)
{
    bool is_whole = !ferror(o->out);

    if (fclose(o->out) != 0 || !is_whole) {
        result_file_leave(&o->file);
        command_die(COMMAND_FAILED, "no memory");
    }
    if (!result_file_end(&o->file, o->text, o->length))
        command_die(COMMAND_FAILED, "cannot write %s: %s", o->file.path, strerror(errno));
    free(o->text);
}

static void write_files(const struct options *o, const struct waits_view *v, const char *name)
{
    static const char *const titles[] = {
        [REPORT_WAITERS] = "time waited, by the waiting threads' stacks",
        [REPORT_WAKERS] = "time waited, by the stacks of those that ended it",
        [REPORT_BOTH] = "time waited, by waiters, and above them those that ended it"};
    struct output to;

    if (o->folded != NULL) {
        report_folded(open_output(&to, o->folded), v, o->side);
        close_output(&to);
    }
    if (o->flame != NULL) {
        report_flame(open_output(&to, o->flame), v, o->side, titles[o->side]);
        close_output(&to);
    }
    if (o->trace != NULL) {
        report_trace(open_output(&to, o->trace), v);
        close_output(&to);
    }
    if (o->page != NULL) {
        report_page(open_output(&to, o->page), v, name);
        close_output(&to);
    }
}

static int run(int argc, char **argv)
{
    struct options o = {.table = {.locks = LOCKS, .places = PLACES, .frames = FRAMES}};
    struct waits_view view;
    json_error_t error;
    json_t *root;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    if (o.file == NULL)
        o.file = DEFAULT_FILE;
    root = json_load_file(o.file, 0, &error);
    if (root == NULL)
        command_die(COMMAND_FAILED, "cannot read %s: %s", o.file, error.text);
    view = *recording_load(root, o.file);
    if (o.lock != NULL)
        choose(&view, o.lock);
    waits_sort_with_samples(&view, o.order);
    if (o.folded == NULL && o.flame == NULL && o.trace == NULL && o.page == NULL) {
        struct printer p = print_begin(o.as_json, "furwock-report-1");
        print_words(&p, "furwock report: %s, %.1f s\n", o.file, view.seconds);
        table_show(&p, &view, &o.table);
        print_end(&p);
    } else {
        write_files(&o, &view, o.file);
    }
    json_decref(root);
    return EXIT_SUCCESS;
}

const struct command command_report = {
    .name = "report",
    .about = "tables, flame graphs and traces of what record has recorded",
    .run = run,
};
