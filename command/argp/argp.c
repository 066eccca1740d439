/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak)) error_t argp_err_exit_status = 64; /* EX_USAGE */

static const struct argp_option always[] = {
    {"help", FW_ARGP_HELP, NULL, 0, "Give this help list", -1},
    {"usage", FW_ARGP_USAGE, NULL, 0, "Give a short usage message", -1},
    {"version", FW_ARGP_VERSION, NULL, 0, "Print program version", -1},
    {0},
};

static const struct argp always_argp = {.options = always};

enum { COLUMNS = 79 };

/* How far a command line has been read. */
struct reading {
    struct fw_argp all;
    struct argp_state state;
    char **words; /* those that are no options, for behind them */
    int count;
};

static void die_of_memory(const char *name)
{
    fprintf(stderr, "%s: out of memory\n", name);
    exit(argp_err_exit_status);
}

__attribute__((noreturn)) static void exit_try_help(const char *name)
{
    int size = fprintf(stderr, "Try `%s --help' or `%s --usage' for more", name, name);

    fprintf(stderr, "%cinformation.\n", size + 13 < COLUMNS ? ' ' : '\n');
    exit(argp_err_exit_status);
}

void argp_error(const struct argp_state *state, const char *format, ...)
{
    va_list list;

    fflush(stdout);
    fprintf(stderr, "%s: ", state->name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit_try_help(state->name);
}

/* --- What there is ---------------------------------------------------------------------------- */

static void add(struct fw_argp *a, const struct argp *argp, void *input)
{
    unsigned parser = a->parsers++;
    int group = 0;

    a->parser[parser].argp = argp;
    a->parser[parser].input = input;
    for (const struct argp_option *o = argp->options; o != NULL && (o->name || o->key); o++) {
        if (a->options == FW_ARGP_OPTIONS)
            abort();
        group = o->group != 0 ? o->group : group;
        a->option[a->options++] =
            (struct fw_argp_known){.option = o, .parser = parser, .group = group};
    }
    for (const struct argp_child *c = argp->children; c != NULL && c->argp != NULL; c++) {
        if (a->parsers == FW_ARGP_PARSERS)
            abort();
        add(a, c->argp, NULL);
    }
}

static error_t call(struct reading *r, unsigned parser, int key, char *arg)
{
    struct fw_argp_parser *p = &r->all.parser[parser];

    if (p->argp->parser == NULL)
        return ARGP_ERR_UNKNOWN;
    r->state.input = p->input;
    r->state.child_inputs = p->child_inputs;
    return p->argp->parser(key, arg, &r->state);
}

static error_t call_all(struct reading *r, int key)
{
    for (unsigned i = 0; i < r->all.parsers; i++) {
        error_t error = call(r, i, key, NULL);
        if (error != 0 && error != ARGP_ERR_UNKNOWN)
            return error;
    }
    return 0;
}

/* The parser says which inputs its children have: they follow it, and have none of their own. */
static error_t begin(struct reading *r)
{
    for (unsigned i = 0; i < r->all.parsers; i++) {
        struct fw_argp_parser *p = &r->all.parser[i];
        error_t error = call(r, i, ARGP_KEY_INIT, NULL);
        if (error != 0 && error != ARGP_ERR_UNKNOWN)
            return error;
        for (unsigned c = 0; p->argp->children != NULL && p->argp->children[c].argp != NULL; c++)
            for (unsigned j = i + 1; j < r->all.parsers; j++)
                if (r->all.parser[j].argp == p->argp->children[c].argp)
                    r->all.parser[j].input = p->child_inputs[c];
    }
    return 0;
}

/* --- Options ---------------------------------------------------------------------------------- */

static error_t take(struct reading *r, const struct fw_argp_known *k, char *arg)
{
    switch (k->option >= always && k->option < always + 3 ? k->option->key : 0) {
    case FW_ARGP_HELP:
        fw_argp_print_help(&r->all, r->state.name);
        exit(0);
    case FW_ARGP_USAGE:
        fw_argp_print_usage(&r->all, r->state.name);
        exit(0);
    case FW_ARGP_VERSION:
        puts(argp_program_version);
        exit(0);
    default:
        return call(r, k->parser, k->option->key, arg);
    }
}

/* The option of that name, or the only one that begins with it; NULL: none. */
static const struct fw_argp_known *find_long(const struct reading *r, const char *word, size_t size)
{
    const struct fw_argp_known *found = NULL;
    unsigned count = 0;

    for (unsigned i = 0; i < r->all.options; i++) {
        const struct fw_argp_known *k = &r->all.option[i];
        if (strncmp(k->option->name, word, size) != 0)
            continue;
        if (k->option->name[size] == '\0')
            return k;
        found = k;
        count++;
    }
    if (count < 2)
        return found;
    fprintf(stderr, "%s: option '--%s' is ambiguous; possibilities:", r->state.name, word);
    for (unsigned i = 0; i < r->all.options; i++)
        if (strncmp(r->all.option[i].option->name, word, size) == 0)
            fprintf(stderr, " '--%s'", r->all.option[i].option->name);
    fputc('\n', stderr);
    exit_try_help(r->state.name);
}

static error_t read_long(struct reading *r, char *word)
{
    size_t size = strcspn(word, "=");
    char *value = word[size] == '=' ? word + size + 1 : NULL;
    const struct fw_argp_known *k = find_long(r, word, size);

    if (k == NULL)
        argp_error(&r->state, "unrecognized option '--%s'", word);
    if (k->option->arg == NULL && value != NULL)
        argp_error(&r->state, "option '--%s' doesn't allow an argument", k->option->name);
    if (k->option->arg != NULL && value == NULL && !(k->option->flags & OPTION_ARG_OPTIONAL)) {
        if (r->state.next >= r->state.argc)
            argp_error(&r->state, "option '--%s' requires an argument", k->option->name);
        value = r->state.argv[r->state.next++];
    }
    return take(r, k, value);
}

static const struct fw_argp_known *find_short(const struct reading *r, char letter)
{
    for (unsigned i = 0; i < r->all.options; i++)
        if (fw_argp_is_short(r->all.option[i].option) && r->all.option[i].option->key == letter)
            return &r->all.option[i];
    return NULL;
}

/* The letters behind a dash: options, of which the last may have its argument behind it. */
static error_t read_short(struct reading *r, char *letters)
{
    error_t error = 0;

    while (error == 0 && *letters != '\0') {
        char letter = *letters++, *value = NULL;
        const struct fw_argp_known *k = find_short(r, letter);

        if (k == NULL)
            argp_error(&r->state, "invalid option -- '%c'", letter);
        if (k->option->arg != NULL) {
            if (*letters != '\0')
                value = letters;
            else if (!(k->option->flags & OPTION_ARG_OPTIONAL)) {
                if (r->state.next >= r->state.argc)
                    argp_error(&r->state, "option requires an argument -- '%c'", letter);
                value = r->state.argv[r->state.next++];
            }
            letters = "";
        }
        error = take(r, k, value);
    }
    return error;
}

/* --- Words ------------------------------------------------------------------------------------ */

static error_t take_word(struct reading *r, char *word)
{
    error_t error = ARGP_ERR_UNKNOWN;

    for (unsigned i = 0; i < r->all.parsers && error == ARGP_ERR_UNKNOWN; i++)
        error = call(r, i, ARGP_KEY_ARG, word);
    if (error == ARGP_ERR_UNKNOWN)
        argp_error(&r->state, "Too many arguments");
    r->state.arg_num++;
    return error;
}

/* Reads up to the end of the options.  Words are taken at once, or remembered for later. */
static error_t read_options(struct reading *r)
{
    struct argp_state *s = &r->state;
    error_t error = 0;

    while (error == 0 && s->next < s->argc) {
        char *word = s->argv[s->next++];

        if (strcmp(word, "--") == 0) {
            s->quoted = s->next;
            break;
        }
        if (word[0] == '-' && word[1] == '-')
            error = read_long(r, word + 2);
        else if (word[0] == '-' && word[1] != '\0')
            error = read_short(r, word + 1);
        else if (s->flags & ARGP_IN_ORDER)
            error = take_word(r, word);
        else
            r->words[r->count++] = word;
    }
    return error;
}

/* The remembered words, which are put behind the options, and then what follows. */
static error_t read_words(struct reading *r)
{
    struct argp_state *s = &r->state;
    error_t error = 0;
    int to = 1, word = 0;

    for (int from = 1; r->count > 0 && from < s->next; from++) {
        if (word < r->count && s->argv[from] == r->words[word])
            word++;
        else
            s->argv[to++] = s->argv[from];
    }
    for (int i = 0; i < r->count; i++)
        s->argv[to++] = r->words[i];
    s->next -= r->count;
    while (error == 0 && s->next < s->argc) {
        s->next++;
        error = take_word(r, s->argv[s->next - 1]);
    }
    return error;
}

error_t argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index,
                   void *input)
{
    struct reading r = {0};
    error_t error;

    r.state = (struct argp_state){.root_argp = argp,
                                  .argc = argc,
                                  .argv = argv,
                                  .next = argc > 0,
                                  .flags = flags,
                                  .name = argc > 0 ? argv[0] : (char *)"",
                                  .err_stream = stderr,
                                  .out_stream = stdout};
    r.words = malloc(((size_t)argc + 1) * sizeof *r.words);
    if (r.words == NULL)
        die_of_memory(r.state.name);
    add(&r.all, argp, input);
    add(&r.all, &always_argp, NULL);
    error = begin(&r);
    if (error == 0)
        error = read_options(&r);
    if (error == 0)
        error = read_words(&r);
    if (error == 0 && r.state.arg_num == 0)
        error = call_all(&r, ARGP_KEY_NO_ARGS);
    if (error == 0)
        error = call_all(&r, ARGP_KEY_END);
    if (index != NULL)
        *index = r.state.next;
    free(r.words);
    return error;
}
