/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "command/print/result_file.h"
#include "command/run/run.h"
#include "rt.h"

struct options {
    const char *file;
    bool no_kernel;
    int first; /* of the program's words; 0: none */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'o':
        o->file = arg;
        return 0;
    case 'n':
        o->no_kernel = true;
        return 0;
    case ARGP_KEY_ARG: /* and what follows is the program's */
        o->first = command_first_word(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "where the trace goes; -: standard output (rt-trace.json)", 0},
    {"no-switches", 'n', NULL, 0, "only what the tasks record, not when each was on a CPU", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc =
        "Record what the real-time tasks of a program and of its children do: releases, "
        "requests, waits, sections, whose priority is inherited, and when each was on a CPU.\v"
        "The trace is JSON; tools/report FILE draws it.  The kernel tells when tasks were on a "
        "CPU (a tracefs instance, for root); if that is not available, a message says so, and it "
        "is left out.\n\n"
        "The exit status is the program's; 127 if there is no such program, 126 if it cannot be "
        "run, 125 if furwock rt trace itself fails.",
};

/* In memory, if possible: writing to a disk would hold tasks up. */
static void make_folder(char folder[PATH_MAX])
{
    const char *wanted = getenv("TMPDIR");

    snprintf(folder, PATH_MAX, "/dev/shm/furwock-rt-XXXXXX");
    if (mkdtemp(folder) != NULL)
        return;
    snprintf(folder, PATH_MAX, "%s/furwock-rt-XXXXXX", wanted != NULL ? wanted : "/tmp");
    if (mkdtemp(folder) == NULL)
        command_die(RUN_FAILED, "%s: %s", folder, strerror(errno));
}

static void remove_folder(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d != NULL && (e = readdir(d)) != NULL)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d != NULL)
        closedir(d);
    rmdir(folder);
}

static volatile pid_t child;

static void hand_on(int number)
{
    if (child > 0)
        kill(child, number);
}

/* Interrupts from the terminal reach the program as well, and what ends this one is handed on to
 * it; this one stays to write the trace. */
static int run_it(const char *folder, char **words)
{
    static const int ends[] = {SIGTERM, SIGHUP};
    void (*old)(int) = signal(SIGINT, SIG_IGN);
    sigset_t both, before;
    int status = 0;

    sigemptyset(&both);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&both, ends[i]);
    sigprocmask(SIG_BLOCK, &both, &before);
    fflush(NULL);
    child = fork();
    if (child < 0) {
        command_warn("cannot start a process: %s", strerror(errno));
        return RUN_FAILED;
    }
    if (child == 0) {
        signal(SIGINT, old);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (setenv("FURWOCK_RT_TRACE", folder, 1) != 0)
            _exit(RUN_FAILED);
        _exit(run_execute(words[0], words));
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], hand_on) == SIG_IGN)
            signal(ends[i], SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    signal(SIGINT, old);
    if (WIFSIGNALED(status)) {
        command_warn("%s was ended by signal %d", words[0], WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

static json_t *words_json(char **words)
{
    json_t *list = json_array();

    for (; *words != NULL; words++)
        json_array_append_new(list, json_string_nocheck(*words));
    return list;
}

static bool write_trace(const json_t *trace, struct result_file *file)
{
    if (result_file_write(file, trace, JSON_COMPACT))
        return true;
    command_warn("cannot write %s: %s", strcmp(file->path, "-") == 0 ? "the trace" : file->path,
                 strerror(errno));
    return false;
}

static int run(int argc, char **argv)
{
    struct options o = {.file = "rt-trace.json"};
    struct rt_trace_kernel kernel = {.why = ""};
    char folder[PATH_MAX];
    struct result_file file;
    json_t *trace;
    int status;

    argp_err_exit_status = command_write_failed = RUN_FAILED;
    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &o);
    if (o.first == 0)
        command_die(RUN_FAILED, "a program is missing");
    if (!result_file_open(&file, o.file))
        command_die(RUN_FAILED, "cannot write %s: %s", o.file, strerror(errno));
    make_folder(folder);
    if (!o.no_kernel)
        rt_trace_kernel_begin(&kernel);
    status = run_it(folder, argv + o.first);
    rt_trace_kernel_stop(&kernel);
    trace = rt_trace_read(folder, &kernel);
    remove_folder(folder);
    rt_trace_kernel_end(&kernel);
    if (trace == NULL) {
        result_file_leave(&file);
        command_warn("%s: no real-time task began", argv[o.first]);
        return status != 0 ? status : RUN_FAILED;
    }
    if (kernel.why[0] != '\0')
        command_warn("%s", kernel.why);
    json_object_set_new(trace, "format", json_string(RT_TRACE_FORMAT));
    json_object_set_new(trace, "command", words_json(argv + o.first));
    json_object_set_new(trace, "status", json_integer(status));
    json_object_set_new(trace, "missing", json_string(kernel.why));
    if (!write_trace(trace, &file))
        status = RUN_FAILED;
    json_decref(trace);
    return status;
}

const struct command rt_verb_trace = {
    .name = "trace",
    .about = "record what the tasks of a program do, and when",
    .run = run,
};
