/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RUN_PROGRAM_H
#define FW_TEST_RUN_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Runs words[0] with the words up to NULL as this user (0: as the caller is), until it ends, and
 * keeps what it prints, on both ways, in `said`.  Its exit status; 128: a signal ended it; 127: it
 * could not be run; -1: there is no process to be had.  Needs no shell.
 */
int run_program(uid_t user, const char *const *words, char *said, size_t size);

/* The same of a program with the words of a line, which are parted by single blanks. */
int run_line(uid_t user, const char *program, const char *line, char *said, size_t size);

#endif
