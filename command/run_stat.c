/* SPDX-License-Identifier: MIT */
/* Contract: run_stat.h.  Here is the run; what is shown of it is in run_stat_table.c and others. */
#include "run_stat.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "harness/clock.h"
#include "run.h"
#include "run_stat_show.h"

enum { LIVE_NS = 1000000000 };

struct watch {
    const struct run_stat_options *options;
    char **words;
    char directory[PATH_MAX];
    FILE *out;
    pid_t program;
    int status; /* as waitpid has it */
    int error;  /* the first one in writing to `out` */
    uint64_t began, shown_at;
    struct stat_reading before; /* at the last second */
};

/* --- The directory ---------------------------------------------------------------------------- */

/* In memory, if possible: what is written there costs nothing more than the writing. */
static bool make_directory(struct watch *w)
{
    const char *const own = getenv("TMPDIR");
    const char *const parents[] = {"/dev/shm", own != NULL && own[0] == '/' ? own : "/tmp", "/tmp"};

    for (unsigned i = 0; i < sizeof parents / sizeof *parents; i++) {
        snprintf(w->directory, sizeof w->directory, "%s/furwock-stat-XXXXXX", parents[i]);
        if (mkdtemp(w->directory) != NULL)
            return true;
    }
    return false;
}

/* --- Showing ---------------------------------------------------------------------------------- */

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void print_json(const struct watch *w, json_t *whole)
{
    size_t flags = w->options->is_live ? JSON_COMPACT : JSON_INDENT(1);

    json_dumpf(whole, w->out, flags | JSON_REAL_PRECISION(6));
    fputc('\n', w->out);
    json_decref(whole);
}

static void show(struct watch *w, const struct stat_reading *r, struct stat_about *about)
{
    about->words = w->words;
    errno = 0;
    if (w->options->as_json)
        print_json(w, stat_json(r, about));
    else
        stat_print(r, about, w->out);
    if ((fflush(w->out) != 0 || ferror(w->out)) && w->error == 0)
        w->error = errno != 0 ? errno : EIO;
}

static void show_all(struct watch *w, bool is_over)
{
    struct stat_about about = {.began = w->began,
                               .is_over = is_over,
                               .shows_waiting = !is_over || WIFSIGNALED(w->status),
                               .going_on = is_over ? stat_going_on(w->directory) : 0,
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

/* --- Signals ---------------------------------------------------------------------------------- */

/*
 * What comes from the terminal, or from the kernel, the program gets by itself; what another
 * process sends to us was meant for it.
 */
static void pass_on(const struct watch *w, const siginfo_t *info)
{
    if (info->si_code <= 0 && info->si_pid != w->program)
        kill(w->program, info->si_signo);
}

/* True: the program has ended. */
static bool look_after(struct watch *w)
{
    int status;
    pid_t pid = waitpid(w->program, &status, WNOHANG | WUNTRACED);

    if (pid != w->program)
        return false;
    if (WIFSTOPPED(status)) { /* so that a shell sees it, and may go on with both */
        raise(SIGSTOP);
        kill(w->program, SIGCONT);
        return false;
    }
    w->status = status;
    return true;
}

static void wait_for_end(struct watch *w, const sigset_t *signals)
{
    for (;;) {
        uint64_t now = clock_ns(), due = w->shown_at + LIVE_NS;
        struct timespec left = {.tv_sec = 3600};
        siginfo_t info;
        int number;

        if (w->options->is_live && now >= due) {
            show_second(w);
            continue;
        }
        if (w->options->is_live)
            left = (struct timespec){(time_t)((due - now) / 1000000000),
                                     (long)((due - now) % 1000000000)};
        number = sigtimedwait(signals, &info, &left);
        if (number == SIGCHLD && look_after(w))
            return;
        if (number == SIGUSR1)
            show_all(w, false);
        else if (number > 0 && number != SIGCHLD)
            pass_on(w, &info);
    }
}

/* All but those that say that this process itself went wrong, and those that cannot be had. */
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

int run_stat_(const struct run_stat_options *o, char **argv)
{
    struct watch w = {.options = o, .words = argv, .out = stderr};
    sigset_t signals = all_signals(), before;

    if (o->file != NULL && (w.out = fopen(o->file, "we")) == NULL)
        command_refuse(RUN_FAILED, "cannot write %s: %s", o->file, strerror(errno));
    if (!make_directory(&w) || setenv("FURWOCK_STAT", w.directory, 1) != 0)
        command_refuse(RUN_FAILED, "no directory for the figures: %s", strerror(errno));
    w.began = w.shown_at = clock_ns();
    sigprocmask(SIG_BLOCK, &signals, &before);
    w.program = start(&w, &before);
    if (w.program < 0) {
        stat_remove(w.directory);
        command_refuse(RUN_FAILED, "cannot start another process: %s", strerror(errno));
    }
    wait_for_end(&w, &signals);
    show_all(&w, true);
    stat_free(&w.before);
    stat_remove(w.directory);
    if (w.out != stderr && fclose(w.out) != 0 && w.error == 0)
        w.error = errno;
    if (w.error != 0)
        command_refuse(RUN_FAILED, "cannot write %s: %s", o->file != NULL ? o->file : "the figures",
                       strerror(w.error));
    return exit_status(w.status);
}
