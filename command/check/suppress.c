/* SPDX-License-Identifier: MIT */
/* Findings that are known, and not to be shown.  Contract: check.h. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "command/command.h"
#include "command/run/run.h"

enum { PATTERNS = 8 };

struct line {
    char *text;
    char *kind; /* in the text, as the patterns */
    char *patterns[PATTERNS];
    unsigned count;
};

struct suppressions {
    struct line *lines;
    unsigned count;
};

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static bool is_kind(const char *word)
{
    for (unsigned i = 0; check_kind_name(i) != NULL; i++)
        if (strcmp(word, check_kind_name(i)) == 0)
            return true;
    return strcmp(word, "*") == 0;
}

static void read_line(struct suppressions *s, const char *path, unsigned number, const char *text)
{
    struct line line = {.text = must(strdup(text))};
    char *rest = NULL, *word;

    line.text[strcspn(line.text, "#\n")] = '\0';
    line.kind = strtok_r(line.text, " \t", &rest);
    if (line.kind == NULL) {
        free(line.text);
        return;
    }
    if (!is_kind(line.kind))
        command_die(RUN_FAILED, "%s:%u: there is no kind of finding \"%s\"", path, number,
                    line.kind);
    while ((word = strtok_r(NULL, " \t", &rest)) != NULL) {
        if (line.count == PATTERNS)
            command_die(RUN_FAILED, "%s:%u: more than %d patterns", path, number, PATTERNS);
        line.patterns[line.count++] = word;
    }
    s->lines = must(realloc(s->lines, (s->count + 1) * sizeof *s->lines));
    s->lines[s->count++] = line;
}

struct suppressions *suppressions_read(const char *path)
{
    struct suppressions *s;
    FILE *in;
    char *text = NULL;
    size_t size = 0;

    if (path == NULL)
        return NULL;
    in = fopen(path, "re");
    if (in == NULL)
        command_die(RUN_FAILED, "cannot read %s: %s", path, strerror(errno));
    s = must(calloc(1, sizeof *s));
    for (unsigned number = 1; getline(&text, &size, in) > 0; number++)
        read_line(s, path, number, text);
    if (ferror(in))
        command_die(RUN_FAILED, "cannot read %s: %s", path, strerror(errno));
    free(text);
    fclose(in);
    return s;
}

void suppressions_free(struct suppressions *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; i < s->count; i++)
        free(s->lines[i].text);
    free(s->lines);
    free(s);
}

static bool is_among(const char *pattern, char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (fnmatch(pattern, names[i], 0) == 0)
            return true;
    return false;
}

static bool covers(const struct line *line, const char *kind, char *const *names, unsigned count)
{
    if (strcmp(line->kind, "*") != 0 && strcmp(line->kind, kind) != 0)
        return false;
    for (unsigned i = 0; i < line->count; i++)
        if (!is_among(line->patterns[i], names, count))
            return false;
    return true;
}

bool suppressions_cover(struct suppressions *s, const char *kind, char *const *names,
                        unsigned count)
{
    for (unsigned i = 0; s != NULL && i < s->count; i++)
        if (covers(&s->lines[i], kind, names, count))
            return true;
    return false;
}
