/* SPDX-License-Identifier: MIT */
#include "rt.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"

static const struct rt_verb *const verbs[] = {&rt_verb_analyze, &rt_verb_run,  &rt_verb_start,
                                              &rt_verb_status,  &rt_verb_stop, &rt_verb_trace};

enum { VERBS = sizeof verbs / sizeof *verbs };

static const struct rt_verb *find(const char *wanted)
{
    char known[128] = "";

    for (int i = 0; i < VERBS; i++) {
        size_t used = strlen(known);
        if (strcmp(verbs[i]->name, wanted) == 0)
            return verbs[i];
        snprintf(known + used, sizeof known - used, " %s", verbs[i]->name);
    }
    command_die(COMMAND_USAGE, "no verb \"%s\"; there are:%s", wanted, known);
}

static char *list_verbs(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    FILE *out;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    out = open_memstream(&list, &size);
    if (out == NULL)
        return (char *)text;
    fputs("Verbs, each of which has its own --help:\n\n", out);
    for (int i = 0; i < VERBS; i++)
        fprintf(out, "  %-12s %s\n", verbs[i]->name, verbs[i]->about);
    fclose(out);
    return list;
}

static const struct argp command_line = {
    .parser = command_parse_first,
    .args_doc = "VERB [OPTION...]",
    .doc = "Real-time locks: who may run, who is held back, and for how long.\v",
    .help_filter = list_verbs,
};

static int run(int argc, char **argv)
{
    static char whole[64];
    const struct rt_verb *verb;
    int first = 0;

    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &first);
    if (first == 0)
        command_die(COMMAND_USAGE, "a verb is missing; furwock rt --help lists them");
    verb = find(argv[first]);
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
