/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_PRINT_RESULT_FILE_H
#define FW_COMMAND_PRINT_RESULT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <jansson.h>

/*
 * Where a subcommand writes its result in the end, or a piece of it now and then.  It is opened
 * before, so that nobody waits for what cannot be written.  What the file had in it stays there
 * until there is room for the result.
 */
struct result_file {
    const char *path; /* "-": standard output */
    int fd;
    bool is_new, is_regular;
    off_t length; /* of what has been written */
};

/* False, and errno, where it cannot be written. */
bool result_file_open(struct result_file *f, const char *path);

/* Writes these bytes behind those of the calls before: false, and errno, where it could not. */
bool result_file_put(struct result_file *f, const void *bytes, size_t n);

/* Closes the file: false, and errno, if what was written has not arrived. */
bool result_file_close(struct result_file *f);

/* Writes the result and closes the file: false, and errno, where it could not. */
bool result_file_end(struct result_file *f, const void *bytes, size_t n);

/* The same with a JSON text, and a newline. */
bool result_file_write(struct result_file *f, const json_t *root, size_t flags);

/* Nothing was written: closes the file, which is as it was before. */
void result_file_leave(struct result_file *f);

#endif
