/* SPDX-License-Identifier: MIT */
/* Contract: wanted.h. */
#include "wanted.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "measure/clock.h"
#include "processes.h"

#define POLL_NS UINT64_C(100000000)
#define SECONDS_MOST 1e6
enum { SAMPLES = 100, SAMPLES_MOST = 100000 };

/* --- The command line ------------------------------------------------------------------------- */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

unsigned wanted_number(const char *option, const char *text, unsigned least)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || number > INT_MAX || number < least)
        command_die(COMMAND_USAGE, "%s takes a number from %u on, not \"%s\"", option, least, text);
    return (unsigned)number;
}

double wanted_seconds(const char *option, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds >= 0.01 && seconds <= SECONDS_MOST))
        command_die(COMMAND_USAGE, "%s takes seconds, from 0.01 on, not \"%s\"", option, text);
    return seconds;
}

static void add_pids(struct wanted *w, char *list)
{
    char *rest = NULL;

    for (char *one = strtok_r(list, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest)) {
        unsigned pid = wanted_number("--pid", one, 1);
        w->pids = must(realloc(w->pids, (w->watch.pid_count + 1) * sizeof *w->pids));
        w->pids[w->watch.pid_count++] = (pid_t)pid;
    }
}

static void add_name(struct wanted *w, const char *name)
{
    if (*name == '\0')
        command_die(COMMAND_USAGE, "--comm takes the name of a program");
    w->names = must(realloc(w->names, (w->watch.name_count + 1) * sizeof *w->names));
    w->names[w->watch.name_count++] = name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct wanted *w = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        w->watch.samples = SAMPLES;
        return 0;
    case 'p':
        add_pids(w, arg);
        return 0;
    case 'c':
        add_name(w, arg);
        return 0;
    case 'a':
        w->watch.all = true;
        return 0;
    case 's':
        w->watch.samples = wanted_number("--samples", arg, 0);
        if (w->watch.samples > SAMPLES_MOST)
            command_die(COMMAND_USAGE, "--samples takes at most %d a second; 0: all", SAMPLES_MOST);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"pid", 'p', "PID", 0, "watch this process; several: PID,PID or repeated", 0},
    {"comm", 'c', "NAME", 0, "watch the processes of this name, also those that start later", 0},
    {"all", 'a', NULL, 0, "watch all processes", 0},
    {"samples", 's', "N", 0,
     "take the stacks of about N waits a second for each lock (100); 0: of all", 0},
    {0},
};

const struct argp wanted_argp = {.options = options, .parser = parse};

void wanted_check(const struct wanted *w)
{
    const struct watch_options *o = &w->watch;

    if (!o->all && o->pid_count == 0 && o->name_count == 0)
        command_die(COMMAND_USAGE, "which process? -p PID, --comm NAME, or -a for all");
    if (o->all && (o->pid_count > 0 || o->name_count > 0))
        command_die(COMMAND_USAGE, "--all is all: without --pid and --comm");
    for (unsigned i = 0; i < o->pid_count; i++) {
        char path[32];
        struct stat s;
        snprintf(path, sizeof path, "/proc/%d", (int)w->pids[i]);
        if (stat(path, &s) != 0)
            command_die(COMMAND_FAILED, "there is no process %d", (int)w->pids[i]);
    }
}

void wanted_free(struct wanted *w)
{
    free(w->pids);
    free(w->names);
}

/* --- Until when ------------------------------------------------------------------------------- */

static volatile sig_atomic_t was_interrupted;

static void interrupt(int number)
{
    (void)number;
    was_interrupted = 1;
}

bool wanted_interrupted(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    static bool is_ready;
    struct sigaction action = {.sa_handler = interrupt}, old;

    for (size_t i = 0; !is_ready && i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    is_ready = true;
    return was_interrupted != 0;
}

void wanted_watch_until(struct watch *w, uint64_t until)
{
    uint64_t now;

    while (!wanted_interrupted() && !watch_is_over(w) && (now = clock_ns()) < until) {
        uint64_t left = until - now;
        struct timespec pause = {.tv_nsec = (long)(left < POLL_NS ? left : POLL_NS)};
        nanosleep(&pause, NULL); /* which a signal ends */
        watch_poll(w);
    }
}
