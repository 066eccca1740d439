/* SPDX-License-Identifier: MIT */
/* What the program finds in its environment, and its start. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "run.h"

static const char separators[] = " :"; /* the loader's, in LD_PRELOAD */

static bool is_ours(const char *path, size_t length)
{
    static const char stem[] = "libfurwock-pthread";
    const char *last = path;

    for (size_t i = 0; i < length; i++)
        if (path[i] == '/')
            last = path + i + 1;
    return strncmp(last, stem, sizeof stem - 1) == 0;
}

static void append(FILE *out, const char *name, size_t length, bool *is_first)
{
    if (!*is_first)
        fputc(':', out);
    *is_first = false;
    fwrite(name, 1, length, out);
}

/*
 * The runtime of a sanitizer comes first, or it aborts the program.  Ours comes last: those that
 * are there already may wrap the functions of whoever follows, and we ask nobody behind us.
 */
static void join(FILE *out, const char *before, const char *library, const char *runtime)
{
    bool is_first = true;

    if (runtime[0] != '\0' && strstr(before, runtime) == NULL)
        append(out, runtime, strlen(runtime), &is_first);
    while (*(before += strspn(before, separators)) != '\0') {
        size_t length = strcspn(before, separators);
        if (!is_ours(before, length))
            append(out, before, length, &is_first);
        before += length;
    }
    append(out, library, strlen(library), &is_first);
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        command_die(RUN_FAILED, "%s", strerror(errno));
}

/* The directory is to be searched first; what is searched already follows. */
static void search(const char *directory, size_t length)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    bool is_empty = before == NULL || before[0] == '\0';
    char *path;

    if (!is_empty && strncmp(before, directory, length) == 0 &&
        strchr(":;", before[length]) != NULL) /* or it is the only one: '\0' */
        return;
    if (asprintf(&path, "%.*s%s%s", (int)length, directory, is_empty ? "" : ":",
                 is_empty ? "" : before) < 0)
        command_die(RUN_FAILED, "%s", strerror(errno));
    set("LD_LIBRARY_PATH", path);
    free(path);
}

void run_environment(const char *library, const char *runtime, const char *policy)
{
    const char *before = getenv("LD_PRELOAD");
    char *list;
    size_t size;
    FILE *out = open_memstream(&list, &size);

    if (out == NULL)
        command_die(RUN_FAILED, "%s", strerror(errno));
    if (run_needs_search(library)) {
        const char *name = strrchr(library, '/') + 1;
        search(library, (size_t)(name - 1 - library));
        library = name;
    }
    join(out, before != NULL ? before : "", library, runtime);
    if (fclose(out) != 0)
        command_die(RUN_FAILED, "%s", strerror(errno));
    set("LD_PRELOAD", list);
    free(list);
    if (policy != NULL)
        set("FURWOCK_POLICY", policy);
}

/* execvp, of a name with a slash, gives a script without a first line to the shell. */
int run_execute(const char *program, char **argv)
{
    int error;

    fflush(stdout);
    execvp(program, argv);
    error = errno;
    command_warn("%s: %s", argv[0], strerror(error));
    return error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT;
}
