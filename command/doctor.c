/* SPDX-License-Identifier: MIT */
#include "doctor.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "harness/machine.h"

static const char *const states[] = {
    [DOCTOR_NO] = "no", [DOCTOR_REFUSED] = "refused", [DOCTOR_YES] = "yes"};

static const char *follows(const struct doctor_question *q, const struct doctor_finding *f)
{
    return f->state == DOCTOR_YES ? q->there : q->missing;
}

static void print(const struct doctor_question *q, const struct doctor_finding *f)
{
    printf("%-21s %-8s %s%s%s\n", q->name, states[f->state], f->detail,
           f->detail[0] != '\0' ? ": " : "", follows(q, f));
}

static json_t *to_json(const struct doctor_question *q, const struct doctor_finding *f)
{
    return json_pack("{s:s s:s s:s s:s}", "name", q->name, "state", states[f->state], "detail",
                     f->detail, "follows", follows(q, f));
}

/* As text where `into` is NULL. */
static void ask(const struct doctor_question *all, size_t count, json_t *into)
{
    for (size_t i = 0; i < count; i++) {
        struct doctor_finding f = {.state = DOCTOR_NO};

        all[i].ask(&f);
        if (into != NULL)
            json_array_append_new(into, to_json(&all[i], &f));
        else
            print(&all[i], &f);
    }
}

static void show_json(const struct machine *m)
{
    json_t *findings = json_array(), *whole;

    ask(doctor_kernel, doctor_kernel_count, findings);
    ask(doctor_system, doctor_system_count, findings);
    ask(doctor_assist, doctor_assist_count, findings);
    ask(doctor_rt, doctor_rt_count, findings);
    whole = json_pack("{s:s s:{s:s s:s s:s s:i} s:o}", "format", "furwock-doctor-1", "machine",
                      "kernel", m->kernel, "libc", m->libc, "cpu", m->cpu, "cpus", (int)m->cpus,
                      "findings", findings);
    json_dumpf(whole, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
}

static void show_text(const struct machine *m)
{
    printf("%s, %s, %u CPU%s: %s\n\n", m->kernel, m->libc, m->cpus, m->cpus == 1 ? "" : "s",
           m->cpu);
    ask(doctor_kernel, doctor_kernel_count, NULL);
    ask(doctor_system, doctor_system_count, NULL);
    ask(doctor_assist, doctor_assist_count, NULL);
    ask(doctor_rt, doctor_rt_count, NULL);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bool *as_json = state->input;

    switch (key) {
    case 'j':
        *as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        command_refuse(COMMAND_USAGE, "takes no word such as \"%s\", only options", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print JSON", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .doc = "Say what this machine offers to locks, and what follows.\v"
           "A line for each thing: its name; yes, no, or refused, where this process may not use "
           "it; what was found; and what follows for which lock.  It is found out by trying, as "
           "the caller: in a container, or as another user, the answers may be others.  Nothing is "
           "changed.",
};

static int run(int argc, char **argv)
{
    struct machine machine;
    bool as_json = false;

    argp_parse(&command_line, argc, argv, 0, NULL, &as_json);
    machine_describe(&machine);
    if (as_json)
        show_json(&machine);
    else
        show_text(&machine);
    return COMMAND_GOOD;
}

const struct command command_doctor = {
    .name = "doctor",
    .about = "what this machine offers to locks, and what follows",
    .run = run,
};
