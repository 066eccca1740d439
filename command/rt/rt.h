/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RT_H
#define FW_COMMAND_RT_RT_H

/*
 * furwock rt: real-time locks (furwock/rt.h).  A table of verbs, as the program is one of
 * subcommands: a verb is a file NAME.c, or run/run.c, with a `struct rt_verb`, which rt.c lists.
 * Its `run` gets the words behind the verb, with argv[0] as messages name it ("furwock rt status"),
 * parses them with argp, and returns the exit status.
 */
struct rt_verb {
    const char *name;
    const char *about; /* half a line, for the list of them */
    int (*run)(int argc, char **argv);
};

extern const struct rt_verb rt_verb_analyze;
extern const struct rt_verb rt_verb_run;
extern const struct rt_verb rt_verb_start;
extern const struct rt_verb rt_verb_status;
extern const struct rt_verb rt_verb_stop;
extern const struct rt_verb rt_verb_trace;

#endif
