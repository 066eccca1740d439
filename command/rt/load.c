/* SPDX-License-Identifier: MIT */
/* furwock rt start and stop: the scheduler of tier B comes and goes. */
#include <argp.h>
#include <errno.h>
#include <furwock/rt.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/sched/loader.h"
#include "command/command.h"
#include "command/cpus.h"
#include "rt.h"

enum { LINE = 512 }; /* bytes that the loader leaves */

/* --- Grants ----------------------------------------------------------------------------------- */

struct wanted {
    struct fw_rt_scx_grant grants[FW_RT_SCX_GRANTS];
    unsigned n;
};

/* A number that ends with one of `ends`, or with the text. */
static bool read_number(const char **text, const char *ends, unsigned long most, uint32_t *number)
{
    unsigned long value;
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    value = strtoul(*text, &end, 10);
    if (errno != 0 || value > most || (*end != '\0' && strchr(ends, *end) == NULL))
        return false;
    *number = (uint32_t)value;
    *text = end;
    return true;
}

static uint32_t read_user(const char *word)
{
    const struct passwd *user = getpwnam(word);
    const char *rest = word;
    uint32_t uid;

    if (user != NULL)
        return (uint32_t)user->pw_uid;
    if (!read_number(&rest, "", UINT32_MAX - 1, &uid))
        command_die(COMMAND_USAGE, "--user: there is no user \"%s\"", word);
    return uid;
}

/* "LOW-HIGH", or "HIGH" for 1 to it. */
static void read_priorities(const char *word, struct fw_rt_scx_grant *g)
{
    const char *at = word;
    bool good = read_number(&at, "-", FW_RT_PRIORITY_MAX, &g->highest);

    if (good && *at == '-') {
        at++;
        g->lowest = g->highest;
        good = read_number(&at, "", FW_RT_PRIORITY_MAX, &g->highest);
    }
    if (!good || g->lowest < 1 || g->highest < g->lowest)
        command_die(COMMAND_USAGE, "--user: \"%s\" is no priority, 1 to %d, nor two as in 1-20",
                    word, FW_RT_PRIORITY_MAX);
}

static void read_grant_cpus(const char *word, struct fw_rt_scx_grant *g)
{
    cpu_set_t set;

    if (!cpus_read(word, &set))
        command_die(COMMAND_USAGE, "--user: \"%s\" are no CPUs, as in 1,3-5", word);
    memset(g->cpus, 0, sizeof g->cpus);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        if (cpu >= FW_RT_CPUS)
            command_die(COMMAND_USAGE, "--user: CPU %u: at most %u CPUs are supported", cpu,
                        FW_RT_CPUS);
        g->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
    }
}

/* NAME[:PRIORITIES[:CPUS[:TASKS]]] */
static void read_grant(const char *text, struct wanted *w)
{
    struct fw_rt_scx_grant *g = &w->grants[w->n];
    char *copy = strdup(text), *rest = copy, *word[4];
    unsigned words = 0;

    if (copy == NULL)
        abort();
    if (w->n == FW_RT_SCX_GRANTS - 1)
        command_die(COMMAND_USAGE, "--user: at most %u users", FW_RT_SCX_GRANTS - 1);
    while (words < 4 && rest != NULL)
        word[words++] = strsep(&rest, ":");
    if (rest != NULL)
        command_die(COMMAND_USAGE, "--user: \"%s\": NAME[:PRIORITIES[:CPUS[:TASKS]]]", text);
    *g = (struct fw_rt_scx_grant){.lowest = 1, .highest = FW_RT_PRIORITY_MAX};
    memset(g->cpus, 0xff, sizeof g->cpus);
    g->uid = read_user(word[0]);
    if (words > 1)
        read_priorities(word[1], g);
    if (words > 2)
        read_grant_cpus(word[2], g);
    if (words > 3) {
        const char *at = word[3];
        if (!read_number(&at, "", FW_RT_TASKS, &g->tasks) || g->tasks == 0)
            command_die(COMMAND_USAGE, "--user: \"%s\" is no number of tasks, 1 to %u", word[3],
                        FW_RT_TASKS);
    }
    free(copy);
    w->n++;
}

/* --- start ------------------------------------------------------------------------------------ */

static error_t parse_start(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'u':
        read_grant(arg, state->input);
        return 0;
    case ARGP_KEY_ARG:
        command_die_of_word(arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option start_options[] = {
    {"user", 'u', "NAME[:PRIORITIES[:CPUS[:TASKS]]]", 0,
     "let this user have tasks, not only root: ada, ada:1-20, ada:1-20:2,3:8", 0},
    {0},
};

static const struct argp start_line = {
    .options = start_options,
    .parser = parse_start,
    .doc =
        "Start the scheduler for real-time tasks (tier B).\v"
        "It is loaded into the kernel (sched_ext, Linux 6.12 and later if configured), and stays "
        "there without a process of furwock's.  From then on it schedules all threads except "
        "those of SCHED_FIFO, SCHED_RR and SCHED_DEADLINE: real-time tasks first, by priority, "
        "and all others in the remaining time.  Only root may start it.  A user that is admitted "
        "may occupy a CPU that it is granted for as long as its tasks run.  All users share 64 "
        "tasks and 63 locks: each has its share of the locks, and of the tasks unless TASKS says "
        "how many.\n\n"
        "Exit status: 0 if it runs, also if it did before; 1 if that is not possible; 2 for a "
        "usage error.",
};

static int run_start(int argc, char **argv)
{
    struct wanted w = {.n = 0};
    struct fw_rt_scx_options options = {.grants = w.grants};
    char line[LINE] = "";
    fw_bpf_result outcome;

    argp_parse(&start_line, argc, argv, 0, NULL, &w);
    options.n = w.n;
    outcome = fw_rt_scx_start(&options, line, sizeof line);
    if (outcome == FW_BPF_NOTHING_TO_DO && w.n != 0)
        command_die(COMMAND_FAILED, "%s: furwock rt stop first, to let in others", line);
    if (outcome != FW_BPF_DONE && outcome != FW_BPF_NOTHING_TO_DO)
        command_die(outcome == FW_BPF_BAD_GRANT ? COMMAND_USAGE : COMMAND_FAILED, "%s", line);
    puts(line);
    return EXIT_SUCCESS;
}

const struct command rt_verb_start = {
    .name = "start",
    .about = "load the scheduler of tier B",
    .run = run_start,
};

/* --- stop ------------------------------------------------------------------------------------- */

static error_t parse_stop(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == ARGP_KEY_ARG)
        command_die_of_word(arg);
    return ARGP_ERR_UNKNOWN;
}

static const struct argp stop_line = {
    .parser = parse_stop,
    .doc =
        "Stop the scheduler for real-time tasks (tier B).\v"
        "Existing tasks go on under the kernel's usual scheduling: mutual exclusion holds and no "
        "task is lost, but priorities no longer apply.\n\n"
        "Exit status: 0 if it does not run, also if it did not before; 1 if that is not "
        "possible; 2 for a usage error.",
};

static int run_stop(int argc, char **argv)
{
    char line[LINE] = "";
    fw_bpf_result outcome;

    argp_parse(&stop_line, argc, argv, 0, NULL, NULL);
    outcome = fw_rt_scx_stop(line, sizeof line);
    if (outcome != FW_BPF_DONE && outcome != FW_BPF_NOTHING_TO_DO)
        command_die(COMMAND_FAILED, "%s", line);
    puts(line);
    return EXIT_SUCCESS;
}

const struct command rt_verb_stop = {
    .name = "stop",
    .about = "unload it",
    .run = run_stop,
};
