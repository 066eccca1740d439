/* SPDX-License-Identifier: MIT */
#include "doctor.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/command.h"
#include "command/print/json.h"
#include "measure/machine.h"

enum { ANSWERS = 64 };

struct answer {
    const struct doctor_question *question;
    struct doctor_finding finding;
};

static struct {
    struct answer all[ANSWERS];
    size_t count;
} answers;

static const char *const states[] = {
    [DOCTOR_NO] = "no", [DOCTOR_REFUSED] = "refused", [DOCTOR_YES] = "yes"};

static const char *const weights[] = {
    [DOCTOR_EXTRA] = "extra", [DOCTOR_FASTER] = "faster", [DOCTOR_NEEDED] = "needed"};

/* --- Asking ----------------------------------------------------------------------------------- */

static void ask(const struct doctor_question *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct answer *a = &answers.all[answers.count++];

        if (answers.count > ANSWERS)
            abort();
        a->question = &all[i];
        a->finding.state = DOCTOR_NO;
        all[i].ask(&a->finding);
    }
}

static void ask_all(void)
{
    ask(doctor_kernel, doctor_kernel_count);
    ask(doctor_system, doctor_system_count);
    ask(doctor_assist, doctor_assist_count);
    ask(doctor_rt, doctor_rt_count);
}

static const char *follows(const struct answer *a)
{
    return a->finding.state == DOCTOR_YES ? a->question->there : a->question->missing;
}

/* NULL: nothing has to be done about it. */
static const char *remedy(const struct answer *a)
{
    const struct doctor_question *q = a->question;

    if (a->finding.state == DOCTOR_YES || q->weight == DOCTOR_EXTRA)
        return NULL;
    if (a->finding.state == DOCTOR_REFUSED)
        return q->allow != NULL ? q->allow : DOCTOR_ALLOW;
    return q->remedy;
}

/* How many are not there, of those of that weight. */
static unsigned missing(enum doctor_weight weight)
{
    unsigned n = 0;

    for (size_t i = 0; i < answers.count; i++)
        n +=
            answers.all[i].question->weight == weight && answers.all[i].finding.state != DOCTOR_YES;
    return n;
}

static const char *summary(void)
{
    if (missing(DOCTOR_NEEDED) != 0)
        return "Not all is well: some calls of the library fail here, unless this is mended:";
    if (missing(DOCTOR_FASTER) != 0)
        return "All is well, nothing has to be done. Some locks would be faster with:";
    return "All is well: all locks work, and nothing has to be done.";
}

/* --- Showing ---------------------------------------------------------------------------------- */

static json_t *to_json(const struct answer *a)
{
    const char *what = remedy(a);

    return json_pack("{s:s s:s s:s s:s s:s s:o}", "name", a->question->name, "state",
                     states[a->finding.state], "detail", a->finding.detail, "follows", follows(a),
                     "weight", weights[a->question->weight], "remedy",
                     what != NULL ? json_string(what) : json_null());
}

static void show_json(const struct machine *m, int status)
{
    json_t *findings = json_array(), *whole;

    for (size_t i = 0; i < answers.count; i++)
        json_array_append_new(findings, to_json(&answers.all[i]));
    whole = json_pack("{s:s s:s s:i s:{s:s s:s s:s s:i} s:o}", "format", "furwock-doctor-1",
                      "summary", summary(), "status", status, "machine", "kernel", m->kernel,
                      "libc", m->libc, "cpu", m->cpu, "cpus", (int)m->cpus, "findings", findings);
    command_print_json(whole);
}

static void print(const struct answer *a)
{
    const char *detail = a->finding.detail;

    printf("%-21s %-8s %s%s%s\n", a->question->name, states[a->finding.state], detail,
           detail[0] != '\0' ? ": " : "", follows(a));
}

static void print_remedies(enum doctor_weight weight)
{
    for (size_t i = 0; i < answers.count; i++)
        if (answers.all[i].question->weight == weight && remedy(&answers.all[i]) != NULL)
            printf("  %-19s %s\n", answers.all[i].question->name, remedy(&answers.all[i]));
}

static void show_text(const struct machine *m)
{
    puts(summary());
    print_remedies(DOCTOR_NEEDED);
    print_remedies(DOCTOR_FASTER);
    printf("\n%s, %s, %u CPU%s: %s\n\n", m->kernel, m->libc, m->cpus, m->cpus == 1 ? "" : "s",
           m->cpu);
    for (size_t i = 0; i < answers.count; i++)
        print(&answers.all[i]);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bool *as_json = state->input;

    switch (key) {
    case 'j':
        *as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        command_die(COMMAND_USAGE, "takes no word such as \"%s\", only options", arg);
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
           "First what has to be done, if anything: of what is missing, what a call of the library "
           "cannot do without, or what would make locks faster, and how it is had.  Then "
           "a line for each thing: its name; yes, no, or refused, where this process may not use "
           "it; what was found; and what follows for which lock.  It is found out by trying, as "
           "the caller: in a container, or as another user, the answers may be others.  Nothing is "
           "changed.\n\n"
           "Exit status: 0 where nothing has to be done, also where locks could be faster; 3 where "
           "something is missing that the library needs; 1 where the result cannot be written; 2 "
           "for a command line that makes no sense.",
};

static int run(int argc, char **argv)
{
    struct machine machine;
    bool as_json = false;
    int status;

    argp_parse(&command_line, argc, argv, 0, NULL, &as_json);
    machine_describe(&machine);
    ask_all();
    status = missing(DOCTOR_NEEDED) != 0 ? DOCTOR_ILL : EXIT_SUCCESS;
    if (as_json)
        show_json(&machine, status);
    else
        show_text(&machine);
    return status;
}

const struct command command_doctor = {
    .name = "doctor",
    .about = "what this machine offers to locks, and what follows",
    .run = run,
};
