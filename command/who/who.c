/* SPDX-License-Identifier: MIT */
#include "who.h"

#include <argp.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "core.h"

enum { STATUS_STUCK = 3 };

struct options {
    struct who who;
    const char *core, *program;
    bool as_json, is_brief;
    pid_t *pids;
    size_t pid_count;
};

static pid_t parse_pid(const char *word)
{
    char *end;
    long pid;

    errno = 0;
    pid = strtol(word, &end, 10);
    if (errno != 0 || end == word || *end != '\0' || pid < 1 || pid > INT32_MAX)
        command_die(COMMAND_USAGE, "--pid takes the id of a process, not \"%s\"", word);
    return (pid_t)pid;
}

static void add_pid(struct options *o, const char *word)
{
    pid_t pid = parse_pid(word);

    for (size_t i = 0; i < o->pid_count; i++)
        if (o->pids[i] == pid)
            return;
    o->pids = realloc(o->pids, (o->pid_count + 1) * sizeof *o->pids);
    if (o->pids == NULL)
        abort();
    o->pids[o->pid_count++] = pid;
}

enum { KEY_CORE = 256, KEY_STOP };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'j':
        o->as_json = true;
        return 0;
    case 'p':
        add_pid(o, arg);
        return 0;
    case 'b':
        o->is_brief = true;
        return 0;
    case KEY_CORE:
        if (o->core != NULL)
            command_die(COMMAND_USAGE, "--core can be given once");
        o->core = arg;
        return 0;
    case KEY_STOP:
        o->who.stops = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->core == NULL)
            command_die(COMMAND_USAGE,
                        "takes a word only behind --core=FILE: the program, not "
                        "\"%s\"; processes are given with -p",
                        arg);
        if (o->program != NULL)
            command_die(COMMAND_USAGE, "takes one program, not \"%s\" too", arg);
        o->program = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"pid", 'p', "PID", 0, "a process; may be given several times", 0},
    {"core", KEY_CORE, "FILE", 0, "a core file in place of processes", 0},
    {"stop", KEY_STOP, NULL, 0, "stop threads that are on a CPU for a moment, to see their stacks",
     0},
    {"brief", 'b', NULL, 0, "no stacks", 0},
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "{-p PID...|--core=FILE [PROGRAM]}",
    .doc =
        "Say what the threads of a process wait for, who holds it, and which of them wait for one "
        "another.\v"
        "Of each thread: its stack, the lock that it waits for, and the lock's owner; first come "
        "deadlocks, in words.  Known are the C library's mutexes, read-write locks, condition "
        "variables, semaphores, barriers, and waits for the end of a thread; furwock's own locks "
        "and regions; Rust's and musl's as far as their words tell.  Processes that share a lock "
        "with the given ones, or a region, are looked at, too.\n\n"
        "The process needs no preparation and no debug information, and is neither stopped nor "
        "changed: this reads /proc, for which it needs the right to ptrace.  With --stop, "
        "threads that are on a CPU are stopped for some microseconds each.  A deadlock is reported "
        "only if all its threads have slept from one look to the "
        "next.\n\n"
        "Exit status: 0 if nothing is stuck; 3 if there is a deadlock, or a thread waits for a "
        "lock whose owner has ended; 1 if a process or core cannot be read; 2 for a usage error.",
};

static void open_core(struct options *o)
{
    struct target *t = calloc(1, sizeof *t);
    char why[256];

    if (t == NULL)
        abort();
    if (!core_open(t, o->core, o->program, why, sizeof why))
        command_die(COMMAND_FAILED, "%s: %s", o->core, why);
    o->who.targets = malloc(sizeof *o->who.targets);
    if (o->who.targets == NULL)
        abort();
    o->who.targets[o->who.target_count++] = t;
    if (core_note(t->core) != NULL)
        who_note(&o->who, "%s", core_note(t->core));
    if (o->who.stops)
        command_die(COMMAND_USAGE, "--stop and --core cannot be combined");
}

static void open_all(struct options *o)
{
    char why[256];

    if (o->core != NULL && o->pid_count != 0)
        command_die(COMMAND_USAGE, "--pid and --core cannot be combined");
    if (o->core == NULL && o->pid_count == 0)
        command_die(COMMAND_USAGE, "a process is missing: -p PID, or --core=FILE");
    if (o->core != NULL)
        open_core(o);
    for (size_t i = 0; i < o->pid_count; i++)
        if (!who_add(&o->who, o->pids[i], why, sizeof why))
            command_die(COMMAND_FAILED, "process %d: %s", (int)o->pids[i], why);
    if (unwind_missing != NULL)
        who_note(&o->who, "%s", unwind_missing);
}

static void note_machines(struct who *w)
{
    for (size_t i = 0; i < w->target_count; i++) {
        const struct target *t = w->targets[i];
        if (t->machine == EM_386)
            command_die(COMMAND_FAILED, "process %d: a 32-bit program, which is not supported",
                        (int)t->pid);
        if (t->runtime != NULL && strcmp(t->runtime, "Java") == 0)
            who_note(w,
                     "process %d is a Java virtual machine: for its monitors run "
                     "\"jcmd %d Thread.print -l\"",
                     (int)t->pid, (int)t->pid);
        if (t->runtime != NULL && strcmp(t->runtime, "Go") == 0)
            who_note(w,
                     "process %d is a Go program: goroutines that wait for its locks are no "
                     "threads; its stacks are those of SIGQUIT or net/http/pprof",
                     (int)t->pid);
    }
}

static bool is_stuck(const struct who *w)
{
    bool is_lost = false;

    for (size_t i = 0; i < w->thread_count; i++)
        is_lost |= who_is_lost(&w->threads[i]);
    return w->cycle_count != 0 || is_lost;
}

static int run(int argc, char **argv)
{
    static struct options o;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    open_all(&o);
    note_machines(&o.who);
    who_examine(&o.who);
    if (o.who.thread_count == 0)
        command_die(COMMAND_FAILED, "the process has ended");
    who_print(&o.who, o.as_json, !o.is_brief);
    return is_stuck(&o.who) ? STATUS_STUCK : EXIT_SUCCESS;
}

const struct command command_who = {
    .name = "who",
    .about = "what the threads of a process wait for, and who holds it",
    .run = run,
};
