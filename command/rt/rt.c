/* SPDX-License-Identifier: MIT */
#include "rt.h"

#include <argp.h>
#include <stdio.h>

#include "command/command.h"

static const struct command *const verbs[] = {&rt_verb_analyze, &rt_verb_run,  &rt_verb_start,
                                              &rt_verb_status,  &rt_verb_stop, &rt_verb_trace};

static const struct command_table table = {
    .kind = "verb",
    .count = sizeof verbs / sizeof *verbs,
    .commands = verbs,
};

static char *list_verbs(int key, const char *text, void *input)
{
    (void)input;
    return command_list(&table, key, text, "Verbs, each of which has its own --help");
}

static const struct argp command_line = {
    .parser = command_parse_first,
    .args_doc = "VERB [OPTION...]",
    .doc = "Real-time locks: which tasks may run, which are held back, and for how long.\v",
    .help_filter = list_verbs,
};

static int run(int argc, char **argv)
{
    static char whole[64];
    const struct command *verb;
    int first = 0;

    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &first);
    if (first == 0)
        command_die(COMMAND_USAGE, "a verb is missing; furwock rt --help lists them");
    verb = command_find(&table, argv[first]);
    snprintf(whole, sizeof whole, "%s %s", argv[0], verb->name);
    argv[first] = whole;
    command_named(whole);
    return verb->run(argc - first, argv + first);
}

const struct command command_rt = {
    .name = "rt",
    .about = "real-time locks: their scheduler, tasks, traces and bounds",
    .run = run,
};
