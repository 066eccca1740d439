/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_PRINT_RESULT_FILE_H
#define FW_COMMAND_PRINT_RESULT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/*
 * Where a subcommand that runs for a while writes its result in the end, as JSON.  It is opened
 * before, so that nobody waits for what cannot be written.  What the file had in it stays there
 * until there is room for the result.
 */
struct result_file {
    const char *path; /* "-": standard output */
    int fd;
    bool is_new;
};

/* False, and errno, where it cannot be written. */
bool result_file_open(struct result_file *f, const char *path);

/* Writes the result, and a newline, and closes the file: false, and errno, where it could not. */
bool result_file_write(struct result_file *f, const json_t *root, size_t flags);

/* There is no result: closes the file, which is as it was before. */
void result_file_leave(struct result_file *f);

#endif
