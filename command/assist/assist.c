/* SPDX-License-Identifier: MIT */
#include "assist.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command/command.h"
#include "sys/running_page.h"

/* What was asked for. */
struct wanted {
    const char *action; /* NULL: none yet */
    bool as_json;
    const char *readers; /* the option that says who; NULL: none */
    bool is_all;
    struct fw_assist_options options;
};

/* --- Signals ---------------------------------------------------------------------------------- */

/*
 * An interrupt of a start or a stop must not leave it half done: these wait until the end of it.  A
 * start that was to be ended is undone.
 */
static const int interrupting[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void hold_signals(sigset_t *held)
{
    struct sigaction now;

    sigemptyset(held); /* not those that are ignored: held, they would come */
    for (size_t i = 0; i < sizeof interrupting / sizeof *interrupting; i++)
        if (sigaction(interrupting[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(held, interrupting[i]);
    sigprocmask(SIG_BLOCK, held, NULL);
}

/* The one that came meanwhile, or 0. */
static int held_signal(const sigset_t *held)
{
    static const struct timespec at_once = {0};
    int number = sigtimedwait(held, NULL, &at_once);

    return number > 0 ? number : 0;
}

/* Ends by the signal, as if it had never been held. */
static void obey(int number)
{
    sigset_t one;

    raise(number);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    command_die(COMMAND_FAILED, "interrupted: %s", strsignal(number));
}

/* --- Actions ---------------------------------------------------------------------------------- */

/* What runs already may be something else than what was asked for: what does it lack? */
static void compare(const struct wanted *w)
{
    struct fw_assist_status now = {.running = false};
    char line[ASSIST_LINE], readers[ASSIST_READERS];

    if (fw_assist_status(&now, line, sizeof line) != FW_BPF_DONE || !now.running)
        return;
    assist_readers_text(now.readers, now.group, readers);
    if (w->readers != NULL &&
        (now.readers != w->options.readers ||
         (now.readers == FW_ASSIST_READ_BY_GROUP && now.group != w->options.group)))
        command_die(COMMAND_FAILED, "runs already, readable by %s: furwock assist stop first",
                    readers);
    if (w->is_all && now.registration != FW_ASSIST_ALL)
        command_die(COMMAND_FAILED, "runs already, and not for every process: furwock assist "
                                    "stop first");
}

static int start(const struct wanted *w)
{
    char line[ASSIST_LINE] = "";
    sigset_t held;
    fw_bpf_result result;
    int signal_number;

    hold_signals(&held);
    result = fw_assist_start(&w->options, line, sizeof line);
    signal_number = held_signal(&held);
    if (signal_number != 0) {
        if (result == FW_BPF_DONE && fw_assist_stop(line, sizeof line) != FW_BPF_DONE)
            command_warn("%s", line);
        obey(signal_number);
    }
    if (result == FW_BPF_NOTHING_TO_DO)
        compare(w);
    else if (result != FW_BPF_DONE)
        command_die(COMMAND_FAILED, "%s", line);
    assist_show(w->as_json, result == FW_BPF_DONE ? "started" : "runs already");
    return EXIT_SUCCESS;
}

static int stop(const struct wanted *w)
{
    char line[ASSIST_LINE] = "";
    sigset_t held;
    fw_bpf_result result;
    int signal_number;

    hold_signals(&held);
    result = fw_assist_stop(line, sizeof line);
    signal_number = held_signal(&held);
    if (result != FW_BPF_DONE && result != FW_BPF_NOTHING_TO_DO)
        command_die(COMMAND_FAILED, "%s", line);
    if (signal_number != 0)
        obey(signal_number);
    assist_show(w->as_json, result == FW_BPF_DONE ? "stopped" : "did not run");
    return EXIT_SUCCESS;
}

static int status(const struct wanted *w)
{
    return assist_show(w->as_json, NULL);
}

static const char *const actions[] = {"start", "stop", "status", NULL};
static int (*const calls[])(const struct wanted *w) = {start, stop, status};

/* --- The command line ------------------------------------------------------------------------- */

enum { KEY_ANYBODY = 0x100 };

static void choose_readers(struct wanted *w, const char *option)
{
    if (w->readers != NULL)
        command_die(COMMAND_USAGE, "%s and %s: name the readers once", w->readers, option);
    w->readers = option;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct wanted *w = state->input;

    switch (key) {
    case 'g':
        choose_readers(w, "--group");
        w->options.readers = FW_ASSIST_READ_BY_GROUP;
        w->options.group = assist_find_group(arg);
        return 0;
    case KEY_ANYBODY:
        choose_readers(w, "--anybody");
        w->options.readers = FW_ASSIST_READ_BY_ANYBODY;
        return 0;
    case 'a':
        w->is_all = true;
        w->options.registration = FW_ASSIST_ALL;
        return 0;
    case 'j':
        w->as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (w->action != NULL)
            command_die(COMMAND_USAGE, "\"%s\" after \"%s\": one thing at a time", arg, w->action);
        w->action = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"group", 'g', "NAME", 0, "start: let this group's users read, not only root", 0},
    {"anybody", KEY_ANYBODY, NULL, 0, "start: let all users read", 0},
    {"all", 'a', NULL, 0, "start: publish the threads of every process", 0},
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "start|stop|status",
    .doc =
        "Let the kernel tell threads that wait for a lock whether its owner is on a CPU.\v"
        "start loads a program into the kernel, which then maintains a page of memory that says "
        "which threads run; no process stays behind.  stop unloads it.  status says whether it "
        "runs.  Programs that use furwock's locks find the page by themselves, even if it "
        "appears or disappears while they run.\n\n"
        "Only root may start and stop it.  The page is readable by root alone, or by the users "
        "that the options name; without --all it only covers programs that have asked for it.\n\n"
        "Exit status of start and stop: 0 on success, also if there was nothing to do; 1 if that "
        "is not possible; 2 for a usage error.  Of status: 0 if it runs, 3 if it does not, 4 if "
        "that cannot be determined.",
};

static int run(int argc, char **argv)
{
    struct wanted w = {.action = NULL};
    int (*call)(const struct wanted *w);

    argp_parse(&command_line, argc, argv, 0, NULL, &w);
    call = calls[command_action(actions, w.action)];
    if (call != start && (w.readers != NULL || w.is_all))
        command_die(COMMAND_USAGE, "%s goes with start only", w.is_all ? "--all" : w.readers);
    return call(&w);
}

const struct command command_assist = {
    .name = "assist",
    .about = "let the kernel tell waiters whether the owner of a lock runs",
    .run = run,
};
