/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RUN_RUN_H
#define FW_COMMAND_RUN_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * furwock run: an existing program on furwock's locks, by a library that the loader puts before the
 * C library.  The exit status is the program's, or as with env(1):
 */
enum {
    RUN_FOUND = 123,    /* the program ended with 0, and --check has found something */
    RUN_FAILED = 125,   /* furwock run itself: its options, its library */
    RUN_CANNOT = 126,   /* the program is there, and cannot be run, or not so */
    RUN_NOT_FOUND = 127 /* there is no such program */
};

/* Which of the libraries. */
enum run_library { RUN_QUIET, RUN_COUNTING, RUN_CHECKING, RUN_OBSERVING };

/* Where it lies: beside this program, installed or in a build directory.  Refuses: RUN_FAILED. */
void run_library(enum run_library which, char path[PATH_MAX]);

/* The same without a word: false if it is not there, or the loader cannot be told its name. */
bool run_find_library(enum run_library which, char path[PATH_MAX]);

/* Is LD_LIBRARY_PATH to have its directory?  (A name with blanks cannot be in LD_PRELOAD.) */
bool run_needs_search(const char *path);

/* The file that execvp would take for the word.  Refuses: RUN_NOT_FOUND, RUN_CANNOT. */
void run_find(const char *word, char path[PATH_MAX]);

/* The same without a word: 0, or an errno value. */
int run_search(const char *word, char path[PATH_MAX]);

/*
 * Looks whether the loader will put `library` before the C library in this program, and whether
 * that one is fit for it; in the interpreter, where the program is a script.  Refuses: RUN_CANNOT.
 * Answers the runtime of a sanitizer that must come before all others, or "".
 */
void run_check(const char *program, char *const argv[], enum run_library which, const char *library,
               char runtime[NAME_MAX]);

/*
 * LD_PRELOAD, with those that are there already, LD_LIBRARY_PATH if it is needed, and
 * FURWOCK_POLICY (NULL: as it is).
 */
void run_environment(const char *library, const char *runtime, const char *policy);

/* Is that what --policy takes? */
bool run_is_policy(const char *text);

/* Does not return if all is well; else after one line, with the exit status. */
int run_execute(const char *program, char **argv);

#endif
