/* SPDX-License-Identifier: MIT */
/* Contract: stat.h.  Here is the run; what is shown of it is in table.c and others. */
#include "stat.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/check/check.h"
#include "command/command.h"
#include "command/print/result_file.h"
#include "command/run/run.h"
#include "descendants.h"
#include "directory.h"
#include "measure/clock.h"
#include "show.h"

enum { LIVE_NS = 1000000000 };

/* How long a wait for processes that the program has left is not announced. */
enum { QUIET_NS = 1000000000 };

struct watch {
    const struct run_stat_options *options;
    struct suppressions *suppressions;
    unsigned found; /* by the checks, at the last look */
    char **words;
    char directory[PATH_MAX];
    FILE *out; /* standard error; or `text`, until it is in the file */
    struct result_file file;
    char *text;
    size_t length;
    pid_t program;
    bool has_ended;    /* the program; what it has started may go on */
    bool is_alone;     /* nothing goes on */
    bool is_asked;     /* to come to an end */
    bool is_announced; /* that it waits for what goes on */
    int status;        /* as waitpid has it */
    int error;         /* the first one in writing */
    uint64_t began, shown_at, ended_at;
    struct run_children inherited; /* children of this process that are none of the program's */
    struct stat_reading before;    /* at the last second */
};

/* --- Showing ---------------------------------------------------------------------------------- */

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What cannot be written stays in `text`, with all that comes then. */
static void put_into_file(struct watch *w)
{
    if (w->error == 0 && !result_file_put(&w->file, w->text, w->length))
        w->error = errno;
    if (w->error == 0)
        rewind(w->out);
}

static void show(struct watch *w, const struct stat_reading *r, struct stat_about *about)
{
    struct printer p = print_begin(w->options->as_json, "furwock-stat-1");

    p.out = w->out;
    p.layout = JSON_REAL_PRECISION(6) | (w->options->is_live ? JSON_COMPACT : JSON_INDENT(1));
    about->words = w->words;
    errno = 0;
    if (w->options->counts || w->options->as_json)
        stat_print(&p, r, about);
    if (w->options->checks && !about->is_brief)
        w->found = check_print(&p, r, w->suppressions);
    print_end(&p);
    if ((fflush(w->out) != 0 || ferror(w->out)) && w->error == 0)
        w->error = errno != 0 ? errno : EIO;
    if (w->options->file != NULL)
        put_into_file(w);
}

static void show_all(struct watch *w, bool is_over)
{
    unsigned going_on = is_over && !w->is_alone ? run_descendants(&w->inherited) : 0;
    struct stat_about about = {.began = w->began,
                               .is_over = is_over,
                               .shows_waiting = !is_over || WIFSIGNALED(w->status) || going_on != 0,
                               .going_on = going_on,
                               .status = is_over ? exit_status(w->status) : 0};
    struct stat_reading r;

    stat_read(w->directory, &r);
    show(w, &r, &about);
    stat_free(&r);
}

/* What has come since the last second. */
static void show_second(struct watch *w)
{
    struct stat_about about = {.began = w->shown_at, .is_brief = true, .shows_waiting = false};
    struct stat_reading now, shown;

    stat_read(w->directory, &now);
    stat_read(w->directory, &shown);
    stat_subtract(&shown, &w->before);
    show(w, &shown, &about);
    w->shown_at = now.at;
    stat_free(&shown);
    stat_free(&w->before);
    w->before = now;
}

/* --- Waiting for the program ------------------------------------------------------------------ */

/* So that a shell sees it, and may go on with both. */
static void stop_with_program(const struct watch *w)
{
    raise(SIGSTOP);
    kill(w->program, SIGCONT);
}

/* Of those that the program has left, too, ends are seen here: this process is their parent now. */
static void look_after(struct watch *w)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        bool is_program = pid == w->program && !w->has_ended; /* else its number may be another's */

        if (is_program && WIFSTOPPED(status)) {
            stop_with_program(w);
        } else if (is_program) {
            w->has_ended = true;
            w->status = status;
            w->ended_at = clock_ns();
        }
    }
    w->is_alone =
        pid < 0 || (w->has_ended && w->inherited.count != 0 && run_descendants(&w->inherited) == 0);
}

static bool is_over(const struct watch *w)
{
    return w->has_ended && (w->is_alone || w->is_asked || w->options->is_impatient);
}

/* --- Signals ---------------------------------------------------------------------------------- */

/* One of these asks for an end; but not where whoever started us had it ignored. */
static bool asks_for_end(int number)
{
    static const int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    struct sigaction action;
    bool is_one = false;

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        is_one |= number == all[i];
    return is_one && sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

/*
 * What comes from the terminal, or from the kernel, the program gets by itself; what another
 * process sends to us was meant for it.
 */
static void pass_on(const struct watch *w, const siginfo_t *info)
{
    if (info->si_code <= 0 && info->si_pid != w->program)
        kill(w->program, info->si_signo);
}

static void receive(struct watch *w, const siginfo_t *info)
{
    if (info->si_signo == SIGCHLD) {
        look_after(w);
        return;
    }
    if (info->si_signo == SIGUSR1) {
        show_all(w, false);
        return;
    }
    w->is_asked |= asks_for_end(info->si_signo);
    if (!w->has_ended)
        pass_on(w, info);
    else if (info->si_signo == SIGTSTP)
        raise(SIGSTOP);
}

static void announce(struct watch *w)
{
    w->is_announced = true;
    command_warn("%s has ended, and what it started goes on: the figures come when that has "
                 "ended, too, or at once by SIGINT (--no-wait does not wait)",
                 w->words[0]);
}

/* When something is to be done, if nothing happens before. */
static uint64_t next_due(const struct watch *w)
{
    uint64_t due = UINT64_MAX;

    if (w->options->is_live)
        due = w->shown_at + LIVE_NS;
    if (w->has_ended && !w->is_announced && w->ended_at + QUIET_NS < due)
        due = w->ended_at + QUIET_NS;
    return due;
}

static void do_what_is_due(struct watch *w, uint64_t now)
{
    if (w->options->is_live && now >= w->shown_at + LIVE_NS)
        show_second(w);
    if (w->has_ended && !w->is_announced && now >= w->ended_at + QUIET_NS)
        announce(w);
}

static void wait_for_end(struct watch *w, const sigset_t *signals)
{
    while (!is_over(w)) {
        uint64_t now = clock_ns(), due = next_due(w), left = due > now ? due - now : 0;
        struct timespec time = {.tv_sec = (time_t)(left / 1000000000),
                                .tv_nsec = (long)(left % 1000000000)};
        siginfo_t info;

        if (left == 0)
            do_what_is_due(w, now);
        else if (sigtimedwait(signals, &info, due == UINT64_MAX ? NULL : &time) > 0)
            receive(w, &info);
    }
}

/* All except those that say that this process itself failed, and those that cannot be caught. */
static sigset_t all_signals(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all;

    sigfillset(&all);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    return all;
}

static pid_t start(const struct watch *w, const sigset_t *before)
{
    void (*chld)(int) = signal(SIGCHLD, SIG_DFL); /* ignored, there would be no status */
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        signal(SIGCHLD, chld);
        sigprocmask(SIG_SETMASK, before, NULL);
        _exit(run_execute(w->options->program, w->words));
    }
    return pid;
}

/* --- The file --------------------------------------------------------------------------------- */

static void open_file(struct watch *w)
{
    if (!result_file_open(&w->file, w->options->file))
        command_die(RUN_FAILED, "cannot write %s: %s", w->options->file, strerror(errno));
    w->out = open_memstream(&w->text, &w->length);
    if (w->out == NULL)
        command_die(RUN_FAILED, "no memory");
}

/* What is not in it goes to standard error: the program may have run for days. */
static void close_file(struct watch *w)
{
    if (w->error == 0 && !result_file_close(&w->file))
        w->error = errno;
    fclose(w->out);
    if (w->error != 0)
        fwrite(w->text, 1, w->length, stderr);
    if (w->error != 0 && w->file.length == 0)
        result_file_leave(&w->file);
    free(w->text);
}

int run_stat_(const struct run_stat_options *o, char **argv)
{
    struct watch w = {.options = o,
                      .suppressions = suppressions_read(o->suppressions),
                      .words = argv,
                      .out = stderr};
    sigset_t signals = all_signals(), before;

    if (o->file != NULL)
        open_file(&w);
    if (!run_stat_make_directory(w.directory) || setenv("FURWOCK_STAT", w.directory, 1) != 0)
        command_die(RUN_FAILED, "no directory for the figures: %s", strerror(errno));
    run_adopt(&w.inherited);
    w.began = w.shown_at = clock_ns();
    sigprocmask(SIG_BLOCK, &signals, &before);
    w.program = start(&w, &before);
    if (w.program < 0) {
        run_stat_remove_directory(w.directory);
        command_die(RUN_FAILED, "cannot start another process: %s", strerror(errno));
    }
    wait_for_end(&w, &signals);
    show_all(&w, true);
    stat_free(&w.before);
    suppressions_free(w.suppressions);
    run_stat_remove_directory(w.directory);
    if (o->file != NULL)
        close_file(&w);
    if (w.error != 0)
        command_die(RUN_FAILED, "cannot write %s: %s", o->file != NULL ? o->file : "the figures",
                    strerror(w.error));
    return w.found != 0 && exit_status(w.status) == 0 ? RUN_FOUND : exit_status(w.status);
}
