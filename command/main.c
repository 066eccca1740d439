/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock/version.h>

#include "command.h"
#include "command/print/visible.h"

static const struct command *const commands[] = {
    &command_assist, &command_calibrate, &command_compare, &command_doctor, &command_kernel,
    &command_record, &command_regions,   &command_report,  &command_rt,     &command_run,
    &command_show,   &command_top,       &command_who};

static const struct command_table table = {
    .kind = "subcommand",
    .has_help = true,
    .count = sizeof commands / sizeof *commands,
    .commands = commands,
};

static const char *name = "furwock"; /* in messages */

const char *argp_program_version = "furwock " FURWOCK_VERSION_STRING;

void command_named(const char *whole)
{
    name = whole;
}

/* One line, whatever the names in it have. */
static void warn_list(const char *format, va_list list)
{
    char *line;

    if (vasprintf(&line, format, list) < 0)
        abort();
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", name, visible(line));
    free(line);
}

void command_warn(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    warn_list(format, list);
    va_end(list);
}

int command_write_failed = COMMAND_FAILED;

/*
 * Of everything that ends by exit, --help included: what was printed has arrived, or that is said.
 * Not by fclose, since handlers that come later may print.
 */
static void see_to_output(void)
{
    bool is_known = fflush(stdout) != 0;

    if (!is_known && !ferror(stdout))
        return;
    fprintf(stderr, "%s: cannot write the result%s%s\n", name, is_known ? ": " : "",
            is_known ? strerror(errno) : "");
    _exit(command_write_failed);
}

void command_die(int status, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    warn_list(format, list);
    va_end(list);
    exit(status);
}

static int run(const struct command *c, int argc, char **argv)
{
    static char whole[64];

    snprintf(whole, sizeof whole, "furwock %s", c->name);
    name = argv[0] = whole;
    return c->run(argc, argv);
}

static char *list_commands(int key, const char *text, void *input)
{
    (void)input;
    return command_list(&table, key, text, "Subcommands");
}

static const struct argp command_line = {
    .parser = command_parse_first,
    .args_doc = "SUBCOMMAND [OPTION...]",
    .doc = "Tools for programs that use furwock's locks, and for running others on them.\v",
    .help_filter = list_commands,
};

/* furwock help is furwock --help; furwock help CMD is furwock CMD --help. */
static int help(int words, char **word)
{
    char own[] = "furwock", option[] = "--help", *argv[] = {own, option, NULL};

    if (words > 1)
        command_die(COMMAND_USAGE, "help takes the name of one subcommand");
    if (words == 1)
        return run(command_find(&table, word[0]), 2, argv);
    return argp_parse(&command_line, 2, argv, 0, NULL, NULL);
}

/* What is opened later shall not be taken for a standard stream that is closed.  Writing to such a
 * one fails as before. */
static void fill_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    static char own[] = "furwock";
    int first = 0;

    fill_standard_streams();
    atexit(see_to_output);
    argp_err_exit_status = COMMAND_USAGE;
    if (argc > 0)
        argv[0] = own;
    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &first);
    if (first == 0)
        command_die(COMMAND_USAGE, "a subcommand is missing; furwock --help lists them");
    if (strcmp(argv[first], "help") == 0)
        return help(argc - first - 1, argv + first + 1);
    return run(command_find(&table, argv[first]), argc - first, argv + first);
}
