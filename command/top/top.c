/* SPDX-License-Identifier: MIT */
/* furwock top: the locks that running programs wait for, now. */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "command/command.h"
#include "command/waits/table.h"
#include "command/waits/wanted.h"
#include "measure/clock.h"

struct options {
    struct wanted wanted;
    struct table_options table;
    double interval;
    unsigned count; /* 0: no end */
    bool as_json;
};

enum { LOCKS = 10, PLACES = 3, FRAMES = 4 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->wanted;
        return 0;
    case 'i':
        o->interval = wanted_seconds("--interval", arg);
        return 0;
    case 'n':
        o->count = wanted_number("--count", arg, 1);
        return 0;
    case '1':
        o->count = 1;
        return 0;
    case 'j':
        o->as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        command_die_of_word(arg);
    default:
        return table_option(key, arg, &o->table, &o->wanted.watch.order) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"interval", 'i', "SECONDS", 0, "a table each SECONDS (2)", 1},
    {"count", 'n', "N", 0, "end after N tables", 1},
    {"once", '1', NULL, 0, "the same as --count=1", 1},
    {"locks", 'l', "N", 0, "at most N locks, and N other objects (10); 0: all", 1},
    {"places", TABLE_KEY_PLACES, "N", 0, "at most N places below each (3); 0: all", 1},
    {"frames", TABLE_KEY_FRAMES, "N", 0, "at most N functions of each stack (4); 0: all", 1},
    {"sort", TABLE_KEY_SORT, "ORDER", 0, "by time waited, by count of waits, or by max (time)", 1},
    {"json", 'j', NULL, 0, "print JSON, one object a line for each table", 1},
    {0},
};

static const struct argp_child children[] = {{&wanted_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Show the locks that running programs wait for, and where.\v"
        "Any program is seen as it runs: nothing is put into it, nothing is restarted or stopped. "
        "A program in the kernel times each sleep in a futex call, which is how locks of "
        "glibc, musl, C++, Rust, Python, Java and Go wait, and furwock's own.  Spinning is not "
        "seen, nor locks that are taken without a wait.\n\n"
        "WAITING: threads that wait at this moment.  WAITS/s: waits that ended.  WAITED: seconds "
        "of waiting in each second, by all threads together.  P50, P99, MAX: how long waits took; "
        "TO CPU: how much of it, on average, passed between the wake-up and running, which is the "
        "scheduler's part.  OLDEST: how long the first of those that wait now has waited.  HELD "
        "BY: the thread that holds it at this moment, if the lock says so.\n\n"
        "Below each lock are the places where threads waited, with their share of the time "
        "waited, and the place that ended most of these waits: the unlock, so what held it.  "
        "These, and TO CPU, are estimated from samples; the other figures are exact.\n\n"
        "Needs root, or CAP_BPF and CAP_PERFMON, with CAP_SYS_PTRACE for other users' programs.  "
        "Nothing stays in the kernel when it ends, however it ends.\n\n"
        "Exit status: 0 when it was interrupted, had printed all tables, or the last process "
        "ended; 1 if watching is not possible; 2 for a usage error.",
};

static void show(const struct options *o, const struct waits_view *v)
{
    struct printer p = print_begin(o->as_json, "furwock-top-1");
    struct timespec now;
    char clock[16];
    struct tm parts;

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    strftime(clock, sizeof clock, "%H:%M:%S", &parts);
    p.layout = JSON_COMPACT;
    print_member(&p, "time",
                 json_real((double)now.tv_sec + round((double)now.tv_nsec / 1e6) / 1e3));
    if (!o->as_json && o->count != 1 && isatty(STDOUT_FILENO))
        print_words(&p, "\033[H\033[J");
    print_words(&p, "furwock top: %s, %.1f s\n", clock, v->seconds);
    table_show(&p, v, &o->table);
    if (o->count != 1)
        print_words(&p, "\n");
    print_end(&p);
    fflush(stdout);
}

static int run(int argc, char **argv)
{
    struct options o = {.interval = 2,
                        .table = {.locks = LOCKS, .places = PLACES, .frames = FRAMES}};
    bool has_warned = false;
    struct watch *w;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    wanted_check(&o.wanted);
    o.wanted.watch.pids = o.wanted.pids;
    o.wanted.watch.names = o.wanted.names;
    w = watch_open(&o.wanted.watch);
    uint64_t until = clock_ns();
    for (unsigned i = 0; (o.count == 0 || i < o.count) && !wanted_interrupted(); i++) {
        until += (uint64_t)(o.interval * 1e9);
        wanted_watch_until(w, until);
        show(&o, watch_view(w));
        if (!has_warned && watch_warning(w) != NULL)
            command_warn("no names of functions: %s", watch_warning(w));
        has_warned = has_warned || watch_warning(w) != NULL;
        if (watch_is_over(w) && (o.count == 0 || i + 1 < o.count)) {
            command_warn("the process has ended");
            break;
        }
        if (ferror(stdout))
            break;
    }
    watch_close(w);
    wanted_free(&o.wanted);
    return EXIT_SUCCESS;
}

const struct command command_top = {
    .name = "top",
    .about = "the locks that running programs wait for, now",
    .run = run,
};
