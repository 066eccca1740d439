/* SPDX-License-Identifier: MIT */
#include "doctor.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/command.h"
#include "command/print/machine.h"

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
    ask(doctor_processes, doctor_processes_count);
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

/* A finding as it is shown. */
struct row {
    const char *name, *state, *detail, *follows, *weight, *remedy;
};

static void end_row(const struct printer *p, const void *record, const void *context)
{
    const struct row *row = record;

    (void)context;
    print_words(p, " %s%s%s\n", row->detail, row->detail[0] != '\0' ? ": " : "", row->follows);
}

static const struct print_field fields[] = {
    {PRINT_FIELD("name", NULL, PRINT_TEXT, row, name), .width = -21, .before = ""},
    {PRINT_FIELD("state", NULL, PRINT_TEXT, row, state), .width = -8, .before = " "},
    {PRINT_FIELD("detail", NULL, PRINT_TEXT, row, detail)},
    {PRINT_FIELD("follows", NULL, PRINT_TEXT, row, follows)},
    {PRINT_FIELD("weight", NULL, PRINT_TEXT, row, weight)},
    {PRINT_FIELD("remedy", NULL, PRINT_TEXT, row, remedy)},
};
static const struct print_record findings = PRINT_RECORD(fields, end_row);

static void show_findings(const struct printer *p)
{
    struct row rows[ANSWERS];

    for (size_t i = 0; i < answers.count; i++) {
        const struct answer *a = &answers.all[i];
        rows[i] = (struct row){a->question->name, states[a->finding.state],     a->finding.detail,
                               follows(a),        weights[a->question->weight], remedy(a)};
    }
    print_list(p, "findings", &findings, rows, answers.count, sizeof *rows, NULL);
}

static void print_remedies(const struct printer *p, enum doctor_weight weight)
{
    for (size_t i = 0; i < answers.count; i++)
        if (answers.all[i].question->weight == weight && remedy(&answers.all[i]) != NULL)
            print_words(p, "  %-19s %s\n", answers.all[i].question->name, remedy(&answers.all[i]));
}

static void show(bool as_json, const struct machine *m, int status)
{
    struct printer p = print_begin(as_json, "furwock-doctor-1");

    print_member(&p, "summary", json_string(summary()));
    print_member(&p, "status", json_integer(status));
    print_machine(&p, m);
    print_words(&p, "%s\n", summary());
    print_remedies(&p, DOCTOR_NEEDED);
    print_remedies(&p, DOCTOR_FASTER);
    print_words(&p, "\n%s, %s, %u CPU%s: %s\n\n", m->kernel, m->libc, m->cpus,
                print_plural(m->cpus), m->cpu);
    show_findings(&p);
    print_end(&p);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bool *as_json = state->input;

    switch (key) {
    case 'j':
        *as_json = true;
        return 0;
    case ARGP_KEY_ARG:
        command_die_of_word(arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .doc =
        "List the kernel and libc features that locks can use here, and what each enables.\v"
        "First come the problems, if any: features that the library needs and lacks, or that would "
        "make locks faster, each with its remedy.  Then there is a line for each feature: its "
        "name; yes, no, or refused if this process may not use it; what was found; and what it "
        "enables.  Features are tested by use, as the caller: in a container, "
        "or as another user, the results may differ.  Nothing is changed.\n\n"
        "Exit status: 0 if all that the library needs is there, even if locks could be faster; 3 "
        "if something that it needs is missing; 1 if the result cannot be written; 2 for a usage "
        "error.",
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
    show(as_json, &machine, status);
    return status;
}

const struct command command_doctor = {
    .name = "doctor",
    .about = "the kernel and libc features that locks can use here",
    .run = run,
};
