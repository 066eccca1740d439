/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "command.h"

const struct command *command_find(const struct command_table *t, const char *wanted)
{
    char known[256] = "";

    for (size_t i = 0; i < t->count; i++) {
        size_t used = strlen(known);
        if (strcmp(t->commands[i]->name, wanted) == 0)
            return t->commands[i];
        snprintf(known + used, sizeof known - used, " %s", t->commands[i]->name);
    }
    command_die(COMMAND_USAGE, "no %s \"%s\"; there are:%s%s", t->kind, wanted,
                t->has_help ? " help" : "", known);
}

size_t command_action(const char *const *words, const char *given)
{
    char known[128] = "", choice[128] = "";

    for (size_t i = 0; words[i] != NULL; i++) {
        size_t used = strlen(known), chosen = strlen(choice);
        const char *before = i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ";
        if (given != NULL && strcmp(words[i], given) == 0)
            return i;
        snprintf(known + used, sizeof known - used, " %s", words[i]);
        snprintf(choice + chosen, sizeof choice - chosen, "%s%s", before, words[i]);
    }
    if (given == NULL)
        command_die(COMMAND_USAGE, "%s?", choice);
    command_die(COMMAND_USAGE, "no action \"%s\"; there are:%s", given, known);
}

char *command_list(const struct command_table *t, int key, const char *text, const char *title)
{
    char *list = NULL;
    size_t size;
    FILE *out;

    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    out = open_memstream(&list, &size);
    if (out == NULL)
        return (char *)text;
    fprintf(out, "%s:\n\n", title);
    for (size_t i = 0; i < t->count; i++)
        fprintf(out, "  %-12s %s\n", t->commands[i]->name, t->commands[i]->about);
    if (t->has_help)
        fprintf(out, "  %-12s %s\n", "help CMD", "the manual of a subcommand");
    fclose(out);
    return list;
}

int command_first_word(struct argp_state *state)
{
    int first = state->next - 1;

    state->next = state->argc;
    return first;
}

error_t command_parse_first(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    *(int *)state->input = command_first_word(state);
    return 0;
}

void command_die_of_word(const char *word)
{
    command_die(COMMAND_USAGE, "takes no word such as \"%s\", only options", word);
}

const struct argp_option command_target_options[] = {
    COMMAND_JSON_OPTION,
    {0},
};

error_t command_parse_target(int key, char *arg, struct argp_state *state)
{
    struct command_target *t = state->input;

    switch (key) {
    case 'j':
        t->as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (t->name != NULL)
            command_die(COMMAND_USAGE, "takes one %s, not \"%s\" too", t->kind, arg);
        t->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
