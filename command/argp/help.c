/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* Columns: where lines end, and where long options, what is said of them, and further lines of
 * the usage begin. */
enum { COLUMNS = 79, LONG_COLUMN = 6, DOC_COLUMN = 29, USAGE_COLUMN = 12 };

/* --- Order: groups 0, 1, 2 ... and then -1; in a group by letter ------------------------------ */

static int letter_of(const struct argp_option *o)
{
    return fw_argp_is_short(o) ? o->key : o->name[0];
}

static int order(const struct fw_argp_known *a, const struct fw_argp_known *b)
{
    const struct argp_option *x = a->option, *y = b->option;

    if (a->group != b->group)
        return (a->group < 0) != (b->group < 0) ? b->group - a->group : a->group - b->group;
    if (!fw_argp_is_short(x) && !fw_argp_is_short(y))
        return strcasecmp(x->name, y->name);
    if (tolower(letter_of(x)) != tolower(letter_of(y)))
        return tolower(letter_of(x)) - tolower(letter_of(y));
    return letter_of(y) - letter_of(x);
}

/* Returns how many there are.  Equal ones stay as they are. */
static unsigned sort(const struct fw_argp *a, const struct fw_argp_known *sorted[FW_ARGP_OPTIONS])
{
    for (unsigned i = 0; i < a->options; i++) {
        unsigned at = i;
        for (; at > 0 && order(sorted[at - 1], &a->option[i]) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &a->option[i];
    }
    return a->options;
}

/* --- Text in lines ---------------------------------------------------------------------------- */

/* Words of the text from column `at` on, in lines that begin at `margin`.  Line ends and more than
 * one space stay, but at the end of a line.  (As with GNU's, the last line of a paragraph is one
 * column shorter.)  Returns the column. */
static int fill(const char *text, int at, int margin)
{
    while (*text != '\0') {
        int blank = (int)strspn(text, " ");
        int word = (int)strcspn(text + blank, " \n");

        int end = margin == 0 && strchr("\n", text[blank + word]) != NULL ? COLUMNS - 1 : COLUMNS;

        if (word > 0 && at > margin && at + blank + word > end)
            printf("\n%*s%.*s", margin, "", word, text + blank), at = margin + word;
        else
            printf("%*s%.*s", blank, "", word, text + blank), at += blank + word;
        text += blank + word;
        if (*text == '\n') {
            text++;
            putchar('\n');
            at = 0;
            if (*text != '\n' && *text != '\0')
                at = printf("%*s", margin, "");
        }
    }
    return at;
}

/* A part of the usage, which is not broken, with `more` behind it.  Returns the column. */
__attribute__((format(printf, 3, 4))) static int part(int at, int more, const char *format, ...)
{
    char text[256];
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (at + 1 + size + more > COLUMNS)
        at = printf("\n%*s%s", USAGE_COLUMN, "", text) - 1;
    else
        at += printf(" %s", text);
    return at;
}

static const char *args_of(const struct fw_argp *a)
{
    const char *text = a->parser[0].argp->args_doc;

    return text != NULL ? text : "";
}

void fw_argp_print_usage(const struct fw_argp *a, const char *name)
{
    const struct fw_argp_known *sorted[FW_ARGP_OPTIONS];
    unsigned count = sort(a, sorted), letters = 0;
    char flags[FW_ARGP_OPTIONS + 1];
    int at = printf("Usage: %s", name);

    for (unsigned i = 0; i < count; i++)
        if (fw_argp_is_short(sorted[i]->option) && sorted[i]->option->arg == NULL)
            flags[letters++] = (char)sorted[i]->option->key;
    flags[letters] = '\0';
    at = part(at, 0, "[-%s]", flags);
    for (unsigned i = 0; i < count; i++) {
        const struct argp_option *o = sorted[i]->option;
        if (fw_argp_is_short(o) && o->arg != NULL)
            at = part(at, 0, o->flags & OPTION_ARG_OPTIONAL ? "[-%c[%s]]" : "[-%c %s]", o->key,
                      o->arg);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct argp_option *o = sorted[i]->option;
        if (o->arg == NULL)
            at = part(at, 0, "[--%s]", o->name);
        else
            at = part(at, 0, o->flags & OPTION_ARG_OPTIONAL ? "[--%s[=%s]]" : "[--%s=%s]", o->name,
                      o->arg);
    }
    if (*args_of(a) != '\0')
        part(at, 1, "%s", args_of(a));
    putchar('\n');
}

static void print_option(const struct argp_option *o)
{
    int at = fw_argp_is_short(o) ? printf("  -%c, ", o->key) : printf("%*s", LONG_COLUMN, "");

    at += printf("--%s", o->name);
    if (o->arg != NULL)
        at += printf(o->flags & OPTION_ARG_OPTIONAL ? "[=%s]" : "=%s", o->arg);
    if (at > DOC_COLUMN + 3)
        putchar('\n'), at = 0;
    if (at >= DOC_COLUMN)
        at += printf("   ");
    else
        at += printf("%*s", DOC_COLUMN - at, "");
    fill(o->doc, at, DOC_COLUMN);
    putchar('\n');
}

/* A part of the text around the options: which the program may have another one for. */
static void print_doc(const struct fw_argp *a, int key, const char *text, const char *before)
{
    const struct argp *argp = a->parser[0].argp;
    const char *shown = text;

    if (argp->help_filter != NULL)
        shown = argp->help_filter(key, text, a->parser[0].input);
    if (shown == NULL)
        return;
    if (*shown != '\0') {
        fputs(before, stdout);
        if (fill(shown, 0, 0) > 0)
            putchar('\n');
    }
    if (shown != text)
        free((char *)shown);
}

void fw_argp_print_help(const struct fw_argp *a, const char *name)
{
    const struct fw_argp_known *sorted[FW_ARGP_OPTIONS];
    unsigned count = sort(a, sorted), with_argument = 0;
    const char *doc = a->parser[0].argp->doc != NULL ? a->parser[0].argp->doc : "";
    size_t size = strcspn(doc, "\v");
    char *first = strndup(doc, size);
    int at = part(printf("Usage: %s", name), 0, "[OPTION...]");

    if (*args_of(a) != '\0')
        part(at, 1, "%s", args_of(a));
    putchar('\n');
    if (first != NULL)
        print_doc(a, ARGP_KEY_HELP_PRE_DOC, first, "");
    free(first);
    putchar('\n');
    for (unsigned i = 0; i < count; i++) {
        print_option(sorted[i]->option);
        with_argument += sorted[i]->option->arg != NULL;
    }
    if (with_argument > 0)
        puts("\nMandatory or optional arguments to long options are also mandatory or optional\n"
             "for any corresponding short options.");
    if (doc[size] != '\0')
        print_doc(a, ARGP_KEY_HELP_POST_DOC, doc + size + 1, "\n");
}
