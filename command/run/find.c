/* SPDX-License-Identifier: MIT */
/* Where the program lies, and where our library does. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "run.h"

/* --- The program ------------------------------------------------------------------------------ */

static const char *const where_else = "/bin:/usr/bin"; /* as execvp, where there is no PATH */

static int may_run(const char *path)
{
    struct stat s;

    if (stat(path, &s) != 0)
        return errno;
    if (!S_ISREG(s.st_mode))
        return EACCES;
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* Goes on where there is none, or none that may be run: there may be another one. */
static int search(const char *word, const char *folders, char path[PATH_MAX])
{
    int error, worst = ENOENT;

    for (;;) {
        int length = (int)strcspn(folders, ":");
        int n = length == 0 ? snprintf(path, PATH_MAX, "./%s", word)
                            : snprintf(path, PATH_MAX, "%.*s/%s", length, folders, word);
        error = n < PATH_MAX ? may_run(path) : ENAMETOOLONG;
        if (error == 0)
            return 0;
        if (error == EACCES)
            worst = EACCES;
        if (folders[length] == '\0')
            return worst;
        folders += length + 1;
    }
}

int run_search(const char *word, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");

    if (word[0] == '\0')
        return ENOENT;
    if (strchr(word, '/') == NULL)
        return search(word, folders != NULL ? folders : where_else, path);
    return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX ? may_run(path) : ENAMETOOLONG;
}

void run_find(const char *word, char path[PATH_MAX])
{
    int error = run_search(word, path);

    if (error != 0)
        command_die(error == ENOENT || error == ENOTDIR ? RUN_NOT_FOUND : RUN_CANNOT, "%s: %s",
                    word, strerror(error));
}

/* --- The library ------------------------------------------------------------------------------ */

static const char *const names[] = {
    [RUN_QUIET] = "libfurwock-pthread.so",
    [RUN_COUNTING] = "libfurwock-pthread-stat.so",
    [RUN_CHECKING] = "libfurwock-pthread-check.so",
    [RUN_OBSERVING] = "libfurwock-pthread-observe.so",
};

/* From where this program lies: as installed, and in a build directory. */
static const char *const folders[] = {FW_COMMAND_LIBRARY_DIR, "../posix"};

enum { FOLDERS = sizeof folders / sizeof *folders };

/*
 * The loader takes a blank or a colon for the end of a name in LD_PRELOAD, and a colon or a
 * semicolon for the end of one in LD_LIBRARY_PATH, and there is no way to quote them.
 */
bool run_needs_search(const char *path)
{
    return strpbrk(path, " \t\n:") != NULL;
}

static bool can_be_named(const char *path)
{
    return !run_needs_search(path) || strpbrk(path, ":;") == NULL;
}

/* The folder of this program, without symbolic links; or "". */
static void own_folder(char folder[PATH_MAX])
{
    if (realpath("/proc/self/exe", folder) == NULL)
        folder[0] = '\0';
    else
        *strrchr(folder, '/') = '\0';
}

static bool find_library(enum run_library which, char path[PATH_MAX])
{
    char own[PATH_MAX], wanted[2 * PATH_MAX];

    own_folder(own);
    for (int i = 0; i < FOLDERS && own[0] != '\0'; i++) {
        bool is_absolute = folders[i][0] == '/';
        snprintf(wanted, sizeof wanted, "%s%s%s/%s", is_absolute ? "" : own, is_absolute ? "" : "/",
                 folders[i], names[which]);
        if (realpath(wanted, path) != NULL && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool run_find_library(enum run_library which, char path[PATH_MAX])
{
    return find_library(which, path) && can_be_named(path);
}

void run_library(enum run_library which, char path[PATH_MAX])
{
    char own[PATH_MAX];

    own_folder(own);
    if (!FW_COMMAND_HAS_DROP_IN)
        command_die(RUN_FAILED, "this furwock was built without the drop-in, which takes the place "
                                "of glibc's locks on x86-64 and AArch64");
    if (!find_library(which, path))
        command_die(RUN_FAILED, "%s is not in %s%s%s: it was not installed with this program",
                    names[which], folders[0][0] == '/' ? "" : own, folders[0][0] == '/' ? "" : "/",
                    folders[0]);
    if (!can_be_named(path))
        command_die(RUN_FAILED,
                    "%s: neither LD_PRELOAD nor LD_LIBRARY_PATH can name it: install "
                    "it where no directory has a colon in its name",
                    path);
}
