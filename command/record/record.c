/* SPDX-License-Identifier: MIT */
/* furwock record: the waits of running programs, into a file for furwock report. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "command/print/result_file.h"
#include "command/waits/recording.h"
#include "command/waits/wanted.h"
#include "measure/clock.h"

struct options {
    struct wanted wanted;
    const char *file;
    double seconds; /* 0: until it is interrupted */
    char **program; /* NULL: none is started */
    pid_t child;
    int start; /* to write to: the program may start */
};

#define DEFAULT_FILE "furwock.waits"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->wanted;
        return 0;
    case 'o':
        o->file = arg;
        return 0;
    case 't':
        o->seconds = wanted_seconds("--seconds", arg);
        return 0;
    case ARGP_KEY_ARG:
        o->program = &state->argv[command_first_word(state)];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the recording to FILE (" DEFAULT_FILE ")", 1},
    {"seconds", 't', "N", 0, "end after N seconds (at an interrupt, or with the program)", 1},
    {0},
};

static const struct argp_child children[] = {{&wanted_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "[-- PROGRAM [ARGUMENT...]]",
    .doc =
        "Record what programs wait for, for furwock report.\v"
        "Watches as furwock top does, which says what is seen and which rights it needs, until it "
        "is interrupted (SIGINT, SIGTERM), the seconds are over, or the processes that were asked "
        "for by number have ended; then writes the file.  A PROGRAM is started, and watched from "
        "its beginning to its end; processes that it starts are watched by --comm or --all "
        "only.\n\n"
        "The figures of each lock count all waits.  Stacks, and the single waits of a trace, are "
        "those of the samples: --samples=0 has all of them, at a higher cost.\n\n"
        "The recording has all names in it, so that it can be read anywhere.  It is written when "
        "all is known, first as FILE.part: what was in FILE stays if that fails.\n\n"
        "Exit status: 0; 1 if watching or writing is not possible; 2 for a usage error.  With a "
        "PROGRAM: its own, or 128 and the number of the signal that ended it.",
};

/* --- The program ------------------------------------------------------------------------------ */

/* It waits until it is watched, and starts then. */
static void fork_program(struct options *o)
{
    int ends[2];
    char go;

    if (pipe2(ends, O_CLOEXEC) != 0)
        command_die(COMMAND_FAILED, "cannot start %s: %s", o->program[0], strerror(errno));
    o->child = fork();
    if (o->child < 0)
        command_die(COMMAND_FAILED, "cannot start %s: %s", o->program[0], strerror(errno));
    if (o->child == 0) {
        close(ends[1]);
        if (read(ends[0], &go, 1) != 1)
            _exit(COMMAND_FAILED); /* it will not be watched */
        execvp(o->program[0], o->program);
        fprintf(stderr, "furwock record: cannot start %s: %s\n", o->program[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    close(ends[0]);
    o->start = ends[1];
    o->wanted.pids = malloc(sizeof *o->wanted.pids);
    if (o->wanted.pids == NULL)
        abort();
    o->wanted.pids[0] = o->child;
    o->wanted.watch.pid_count = 1;
}

static int status_of(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return COMMAND_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Has it ended?  It is still there to be looked at. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

/* --- The recording ---------------------------------------------------------------------------- */

enum { LAYOUT = JSON_COMPACT | JSON_REAL_PRECISION(9) };

/* It may have taken days: where there is room for it, if not where it was to go. */
static bool write_elsewhere(const json_t *root, char path[PATH_MAX])
{
    const char *folder;

    for (unsigned i = 0; (folder = command_folder(i)) != NULL; i++) {
        bool is_good;
        int fd;

        if (snprintf(path, PATH_MAX, "%s/furwock-waits-XXXXXX", folder) >= PATH_MAX)
            continue;
        fd = mkostemp(path, O_CLOEXEC);
        if (fd < 0)
            continue;
        is_good = json_dumpfd(root, fd, LAYOUT) == 0;
        if (close(fd) == 0 && is_good)
            return true;
        unlink(path);
    }
    return false;
}

static void write_file(struct result_file *file, const struct waits_view *v)
{
    json_t *root = recording_save(v);
    char path[PATH_MAX];
    int error;

    if (!result_file_write(file, root, LAYOUT)) {
        error = errno;
        if (write_elsewhere(root, path))
            command_die(COMMAND_FAILED, "cannot write %s: %s; the recording is in %s", file->path,
                        strerror(error), path);
        command_die(COMMAND_FAILED, "cannot write %s: %s", file->path, strerror(error));
    }
    json_decref(root);
}

static void say(const struct options *o, const struct waits_view *v)
{
    uint64_t waits = 0;

    for (unsigned i = 0; i < v->count; i++)
        waits += v->locks[i]->waits;
    fprintf(stderr,
            "furwock record: %.1f s, %" PRIu64 " waits for %u objects, %zu of them with stacks: "
            "%s\n",
            v->seconds, waits, v->count, v->sample_count, o->file);
    if (v->lost.waits > 0 || v->lost.samples > 0)
        command_warn("%" PRIu64 " waits and %" PRIu64 " samples were lost: tables or buffer full",
                     v->lost.waits, v->lost.samples);
}

static void watch_all(const struct options *o, struct watch *w)
{
    uint64_t end = o->seconds > 0 ? clock_ns() + (uint64_t)(o->seconds * 1e9) : UINT64_MAX;

    while (!wanted_interrupted() && !watch_is_over(w) && clock_ns() < end &&
           (o->child == 0 || !has_ended(o->child))) {
        uint64_t next = clock_ns() + UINT64_C(100000000);
        wanted_watch_until(w, next < end ? next : end);
        watch_look(w);
    }
}

static int run(int argc, char **argv)
{
    struct options o = {.file = DEFAULT_FILE};
    struct result_file file;
    const struct waits_view *v;
    struct watch *w;

    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &o);
    if (o.program != NULL && (o.wanted.watch.pid_count > 0))
        command_die(COMMAND_USAGE, "--pid and a program to start: one of them");
    if (o.program != NULL)
        fork_program(&o);
    else
        wanted_check(&o.wanted);
    if (o.wanted.watch.all)
        o.wanted.watch.pid_count = 0;
    o.wanted.watch.pids = o.wanted.pids;
    o.wanted.watch.names = o.wanted.names;
    o.wanted.watch.keep = true;
    w = watch_open(&o.wanted.watch);
    if (!result_file_open(&file, o.file))
        command_die(COMMAND_FAILED, "cannot write %s: %s", o.file, strerror(errno));
    wanted_interrupted();
    if (o.child != 0 && (write(o.start, "", 1) != 1 || close(o.start) != 0))
        command_die(COMMAND_FAILED, "cannot start %s: %s", o.program[0], strerror(errno));
    watch_all(&o, w);
    v = watch_view(w);
    if (watch_warning(w) != NULL)
        command_warn("no names of functions: %s", watch_warning(w));
    write_file(&file, v);
    say(&o, v);
    watch_close(w);
    wanted_free(&o.wanted);
    return o.child != 0 ? status_of(o.child) : EXIT_SUCCESS;
}

const struct command command_record = {
    .name = "record",
    .about = "what programs wait for, into a file for report",
    .run = run,
};
