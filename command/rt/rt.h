/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RT_H
#define FW_COMMAND_RT_RT_H

#include "command/command.h"

/*
 * furwock rt: real-time locks (furwock/rt.h).  A table of verbs, as the program is one of
 * subcommands: a verb is a file NAME.c, or run/run.c, with a `struct command`, which rt.c lists.
 * Its `run` gets the words behind the verb, with argv[0] as messages name it ("furwock rt status"),
 * parses them with argp, and returns the exit status.
 */
extern const struct command rt_verb_analyze;
extern const struct command rt_verb_run;
extern const struct command rt_verb_start;
extern const struct command rt_verb_status;
extern const struct command rt_verb_stop;
extern const struct command rt_verb_trace;

#endif
