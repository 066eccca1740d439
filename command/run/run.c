/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/wait.h>

#include "command/command.h"
#include "command/stat/stat.h"

struct options {
    struct run_stat_options stat;
    bool is_stat, is_print, is_observed;
    const char *policy, *hold;
    int first; /* of the program's words; 0: none */
};

enum {
    KEY_STAT = 's',
    KEY_LIVE = 'l',
    KEY_JSON = 'j',
    KEY_POLICY = 'p',
    KEY_PRINT = 'e',
    KEY_CHECK = 'c',
    KEY_OBSERVE = 'o',
    KEY_NO_WAIT = 256,
    KEY_SUPPRESS,
    KEY_HOLD
};

/* --- --policy --------------------------------------------------------------------------------- */

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(text, word, length) == 0;
}

static bool is_spin(const char *text, size_t length)
{
    static const char spin[] = "spin=";
    size_t prefix = sizeof spin - 1;
    unsigned long long us = 0;

    if (length <= prefix || strncmp(text, spin, prefix) != 0)
        return false;
    for (size_t i = prefix; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        us = us * 10 + (unsigned)(text[i] - '0');
        if (us > FW_WAIT_SPIN_MAX_NS / 1000)
            return false;
    }
    return true;
}

/* What the library will understand (posix/settings.h). */
bool run_is_policy(const char *text)
{
    for (;;) {
        size_t length = strcspn(text, ",");

        if (!is_word(text, length, "fair") && !is_word(text, length, "greedy") &&
            !is_spin(text, length))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* What the library will understand, as it is. */
static const char *milliseconds(const char *text)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 9 ||
        atol(text) == 0)
        command_die(RUN_FAILED, "--hold takes a number of milliseconds, from 1; not \"%s\"", text);
    return text;
}

/* --- The command line ------------------------------------------------------------------------- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_CHECK:
        o->is_stat = o->stat.checks = true;
        if (arg != NULL)
            o->stat.file = arg;
        return 0;
    case KEY_SUPPRESS:
        o->is_stat = o->stat.checks = true;
        o->stat.suppressions = arg;
        return 0;
    case KEY_HOLD:
        o->is_stat = o->stat.checks = true;
        o->hold = milliseconds(arg);
        return 0;
    case KEY_OBSERVE:
        o->is_observed = o->is_stat = o->stat.counts = true;
        if (arg != NULL)
            o->stat.file = arg;
        return 0;
    case KEY_STAT:
        o->is_stat = o->stat.counts = true;
        o->stat.file = arg;
        return 0;
    case KEY_LIVE:
        o->is_stat = o->stat.counts = o->stat.is_live = true;
        return 0;
    case KEY_JSON:
        o->is_stat = o->stat.as_json = true;
        if (arg != NULL)
            o->stat.file = arg;
        return 0;
    case KEY_NO_WAIT:
        o->is_stat = o->stat.is_impatient = true;
        return 0;
    case KEY_POLICY:
        if (!run_is_policy(arg))
            command_die(RUN_FAILED,
                        "--policy takes greedy, fair, or spin=US with at most %u us; not \"%s\"",
                        (unsigned)(FW_WAIT_SPIN_MAX_NS / 1000), arg);
        o->policy = arg;
        return 0;
    case KEY_PRINT:
        o->is_print = true;
        return 0;
    case ARGP_KEY_ARG: /* and what follows is the program's */
        o->first = command_first_word(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"policy", KEY_POLICY, "POLICY", 0,
     "greedy: a released mutex goes to whoever is quickest (default); fair: to the longest waiter; "
     "spin=US: spin for that long before sleeping, whether or not the owner runs, 0: never; "
     "several with commas",
     1},
    {"stat", KEY_STAT, "FILE", OPTION_ARG_OPTIONAL,
     "count who waits for which lock, and print it at the end, to FILE or standard error", 2},
    {"live", KEY_LIVE, NULL, 0, "--stat, and every second what was added in that second", 3},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "--stat, and all figures as JSON, to FILE, to that of --stat, or to standard error", 4},
    {"no-wait", KEY_NO_WAIT, NULL, 0,
     "--stat, without waiting for processes that go on when the program has ended", 5},
    {"check", KEY_CHECK, "FILE", OPTION_ARG_OPTIONAL,
     "check how locks are used: their order, whether a thread ends or forks with one, and so on; "
     "what is found is printed at the end, to FILE or standard error, and the exit status is 123",
     6},
    {"suppress", KEY_SUPPRESS, "FILE", 0,
     "--check, without the findings that FILE names: in each line a kind and patterns for names of "
     "functions or locks, as the findings end with",
     7},
    {"hold", KEY_HOLD, "MS", 0,
     "--check, and calls that sleep or do I/O for that many milliseconds while a lock is held", 8},
    {"observe", KEY_OBSERVE, "FILE", OPTION_ARG_OPTIONAL,
     "as --stat, but the program keeps the C library's locks: what it waits for without furwock",
     9},
    {"environment", KEY_PRINT, NULL, 0,
     "run nothing; print the environment variables, for a service or a script", 10},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc =
        "Run a program with furwock's locks in place of the C library's.\v"
        "The program needs no change: a library that is loaded before the C library (LD_PRELOAD) "
        "has the pthread_*, sem_*, mtx_* and cnd_* functions of locks, also for the programs "
        "that it starts.  Without --stat, no process stays in between.  With it, the figures are "
        "printed when the program and all processes that it started have ended; SIGINT, SIGTERM, "
        "SIGHUP or SIGQUIT print them as soon as the program itself has ended, SIGUSR1 at any "
        "time.\n\n"
        "Programs that ignore a preloaded library are refused, with the reason: those that are "
        "linked statically, that gain privileges by setuid, setgid or capabilities, that are for "
        "another machine or C library, and scripts with such an interpreter.\n\n"
        "The exit status is the program's; 123 if that is 0 and --check has found something; 127 "
        "if there is no such program, 126 if it cannot be "
        "run in this way, 125 if furwock run itself fails.",
};

/* As the shell and systemd's Environment= take it. */
static void print_one(const char *name)
{
    const char *value = getenv(name);
    const char *quote = value != NULL && strpbrk(value, " \t") != NULL ? "\"" : "";

    if (value != NULL)
        printf("%s%s=%s%s\n", quote, name, value, quote);
}

static int run(int argc, char **argv)
{
    struct options o = {0};
    char library[PATH_MAX], program[PATH_MAX], runtime[NAME_MAX] = "";
    enum run_library which;
    char **words;

    argp_err_exit_status = command_write_failed = RUN_FAILED;
    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &o);
    words = argv + o.first;
    if (o.first == 0 && !o.is_print)
        command_die(RUN_FAILED, "a program is missing");
    if (o.is_print && o.is_stat)
        command_die(RUN_FAILED, "--environment goes without --stat, --check, --live, --json and "
                                "--no-wait: it is furwock run that collects the figures");
    o.stat.counts |= !o.stat.checks;
    if (o.is_observed && (o.stat.checks || o.policy != NULL))
        command_die(RUN_FAILED, "--observe leaves the C library's locks where they are: it goes "
                                "without --check and --policy");
    which = o.is_observed   ? RUN_OBSERVING
            : o.stat.checks ? RUN_CHECKING
            : o.is_stat     ? RUN_COUNTING
                            : RUN_QUIET;
    run_library(which, library);
    if (o.first != 0) {
        run_find(words[0], program);
        run_check(program, words, which, library, runtime);
    }
    run_environment(library, runtime, o.policy);
    if (o.is_print) {
        print_one("LD_PRELOAD");
        if (run_needs_search(library))
            print_one("LD_LIBRARY_PATH");
        print_one("FURWOCK_POLICY");
        return EXIT_SUCCESS;
    }
    if (o.hold != NULL && setenv("FURWOCK_CHECK_HOLD", o.hold, 1) != 0)
        command_die(RUN_FAILED, "%s", strerror(errno));
    o.stat.program = program;
    return o.is_stat ? run_stat_(&o.stat, words) : run_execute(program, words);
}

const struct command command_run = {
    .name = "run",
    .about = "run a program with furwock's locks",
    .run = run,
};
