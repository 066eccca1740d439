/* SPDX-License-Identifier: MIT */
/* The bounds of examples from the textbooks, and of some that are small enough to do by hand. */
#include "command/rt/analysis/analysis.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/rt.h>

#include "test/support/unit.h"

enum { TASKS = 4, US = 1000 };
#define NONE ANALYSIS_NO_BOUND

/*
 * Task sets, a task behind each semicolon: name, CPU, priority, period, execution; <deadline, ~time
 * asleep/number of parts; and its sections, each a lock's letter and the length, with those inside
 * of it in parentheses.  Times are microseconds.
 */
#define BUTTAZZO \
    "1 0 4 1000 10 a1 b2; 2 0 3 1000 20 b9 c3; 3 0 2 1000 20 a8 b7; 4 0 1 1000 20 a6 b5 c4"
#define PLAIN "1 0 3 7 3; 2 0 2 12 3; 3 0 1 20 5"
#define NESTED "high 0 4 1000 10 ~2/2 b1; middle 0 3 1000 20 b9(a4); low 0 2 1000 60 a50"
#define CIRCLE "1 0 4 100 10 b2(a1); 2 0 3 100 20 a9(b4)"
#define TWO_CPUS \
    "A 0 30 1000 50 q10; B 0 10 5000 100 r20; X 1 20 2000 60 q15; Y 1 5 10000 200 r30 q25"
#define EXTREMES                                                                 \
    "1 0 9 0.002 0.001 q0.001; 2 1 8 0.001 0.001 q0.001; 3 1 7 3600000000 1 q1;" \
    "4 0 6 3600000000 3600000000 q3600000000"
#define DISPATCHES "h 0 2 1000 450; l 0 1 2000 1000"
#define LONG(more) "h 0 2 100000 10000; l 0 1 2000000 " more
#define TICK 4000000

static const struct example {
    const char *set, *checked; /* b: blocking, r: responses, s: schedulable, n: not */
    int first, last;           /* protocols */
    uint64_t blocking[TASKS], response[TASKS];
    struct analysis_costs costs;
    const char *unfit;
} examples[] = {
    /* Buttazzo, "Hard Real-Time Computing Systems", chapter 7: four tasks, three semaphores. */
    {BUTTAZZO, "b", FW_RT_PIP, FW_RT_PIP, {17, 14, 6, 0}, {0}, {0}, ""},
    {BUTTAZZO, "b", FW_RT_IPCP, FW_RT_PCP_DU_PF, {9, 8, 6, 0}, {0}, {0}, ""},
    /* Burns and Wellings, "Real-Time Systems and Programming Languages": responses 3, 6, 20. */
    {PLAIN, "brs", FW_RT_PCP, FW_RT_PCP, {0}, {3, 6, 20}, {0}, ""},
    {PLAIN " <19", "n", FW_RT_PCP, FW_RT_PCP, {0}, {0}, {0}, ""},
    /* A sleeper's own time counts as execution; others may execute late: 5 + 1 + 3 (3) + 2 (3). */
    {PLAIN " ~1", "r", FW_RT_PCP, FW_RT_PCP, {0}, {3, 6, 21}, {0}, ""},
    {"1 0 3 7 7; 2 0 2 12 3", "r", FW_RT_PCP, FW_RT_PCP, {0}, {7, NONE}, {0}, ""},
    /*
     * Under PIP the high task waits for the low one's section, too: it waits for the middle one,
     * which waits for that.  Under ceilings it does not.  Each sleep is one more opportunity.
     */
    {NESTED, "b", FW_RT_PIP, FW_RT_PIP, {3 * 59, 50, 0}, {0}, {0}, ""},
    {NESTED, "b", FW_RT_PCP_DU, FW_RT_PCP_DU, {3 * 9, 50, 0}, {0}, {0}, ""},
    {NESTED, "n", FW_RT_MPCP, FW_RT_MPCP, {0}, {0}, {0}, "no sections inside"},
    {NESTED, "n", FW_RT_FMLP_DU, FW_RT_FMLP_DU, {0}, {0}, {0}, "no sections inside"},
    {NESTED, "n", 0, 0, {0}, {0}, {0}, "no such protocol"},
    {CIRCLE, "n", FW_RT_PIP, FW_RT_PIP, {0}, {0}, {0}, "circle"},
    {CIRCLE, "b", FW_RT_PCP, FW_RT_PCP, {9, 0}, {0}, {0}, ""},
    /*
     * By hand.  MPCP: the ceilings for CPU 0 are q 20, r 5, for CPU 1 q 30, r 10.  H: A.q 10, B.r
     * 30, X.q 40, Y.r 45, Y.q 40.  Waits: A 40; B 45; X 40 + 10; Y 30 and 10 + 40.
     */
    {TWO_CPUS,
     "br",
     FW_RT_MPCP,
     FW_RT_MPCP_DU,
     {40 + 2 * 20, 45, 50 + 2 * 30, 80},
     {130, 195, 170, 340},
     {0},
     ""},
    /* Waits: A 15 + 30; B 15 + 30; X 10 + 20 + 30; Y 10 + 20 and 10 + 20 + 15. */
    {TWO_CPUS, "b", FW_RT_FMLP, FW_RT_FMLP_DU, {45 + 2 * 20, 45, 60 + 2 * 30, 75}, {0}, {0}, ""},
    {TWO_CPUS, "n", FW_RT_PIP, FW_RT_IPCP, {0}, {0}, {0}, "more than one CPU"},
    /* A section costs 1 us more, those inside of it count; a wake-up 5: three stretches. */
    {NESTED,
     "b",
     FW_RT_PCP,
     FW_RT_PCP,
     {3 * (9 + 2 + 5), 50 + 1 + 5, 5},
     {0},
     {.section = US, .wake = 5 * US},
     ""},
    /* Numbers that are as far apart as a file allows: no overflow, and an end. */
    {EXTREMES, "n", FW_RT_MPCP, FW_RT_FMLP_DU, {0}, {0}, {0}, ""},
    /*
     * 450 of 1000 and 1000 of 2000 us fit with 100 to spare.  With 30 us for each dispatch the two
     * jobs of the more urgent one take 60 each, and the less urgent one waits 30: 50 too many.
     */
    {DISPATCHES, "rs", FW_RT_PCP, FW_RT_PCP, {0}, {450, 1900}, {0}, ""},
    {DISPATCHES,
     "rs",
     FW_RT_PCP,
     FW_RT_PCP,
     {0},
     {450 + 10, 1900 + 10 + 2 * 20},
     {.wake = 10 * US},
     ""},
    {DISPATCHES, "n", FW_RT_PCP, FW_RT_PCP, {0}, {0}, {.wake = 30 * US}, ""},
    /* In tier B, if nobody waits for 250 ms, or has the CPU for 1 s: as in tier A. */
    {LONG("100000 a1"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {10000, 120000}, {0}, ""},
    {LONG("100000 a1"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {10000, 120000}, {.tick = TICK}, ""},
    {LONG("300000"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {10000, 340000}, {0}, ""},
    {LONG("300000"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {10000, 340000}, {.tick = TICK}, ""},
    /* L may wait for its lock for longer: turns of 1 ms and a tick, two of them in 350 ms. */
    {LONG("300000 a1"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {10000, 340000}, {0}, ""},
    {LONG("300000 a1"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {15000, 350000}, {.tick = TICK}, ""},
    /* L and H have the CPU for more than 1 s: slices of 2 ms and a tick, two of them. */
    {LONG("900000"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {10000, 1000000}, {0}, ""},
    {LONG("900000"), "r", FW_RT_PCP, FW_RT_PCP, {0}, {16000, 1022000}, {.tick = TICK}, ""},
};

static double number(const char **text)
{
    char *end;
    double value = strtod(*text, &end);

    *text = end;
    return value;
}

static void write_sections(FILE *out, const char **text)
{
    fputs(", \"sections\": [", out);
    for (const char *comma = ""; isalpha((unsigned char)**text); comma = ", ") {
        char lock = *(*text)++;

        fprintf(out, "%s{\"lock\": \"%c\", \"us\": %.3f", comma, lock, number(text));
        if (**text == '(') {
            ++*text;
            write_sections(out, text);
            ++*text;
        }
        fputc('}', out);
        *text += strspn(*text, " ");
    }
    fputc(']', out);
}

static void write_task(FILE *out, const char **text)
{
    static const char *const keys[] = {"cpu", "priority", "period_us", "execution_us"};
    int name = (int)strcspn(*text, " ");

    fprintf(out, "{\"name\": \"%.*s\"", name, *text);
    *text += name;
    for (int i = 0; i < 4; i++)
        fprintf(out, i < 2 ? ", \"%s\": %.0f" : ", \"%s\": %.3f", keys[i], number(text));
    *text += strspn(*text, " ");
    if (**text == '<' || **text == '~') {
        bool is_deadline = *(*text)++ == '<';

        fprintf(out, ", \"%s\": %.3f", is_deadline ? "deadline_us" : "suspension_us", number(text));
        if (**text == '/') {
            ++*text;
            fprintf(out, ", \"suspensions\": %.0f", number(text));
        }
        *text += strspn(*text, " ");
    }
    write_sections(out, text);
    fputc('}', out);
}

static struct taskset *parse(const char *text)
{
    char why[TASKSET_WHY] = "", *json;
    struct taskset *set;
    size_t size;
    FILE *file = open_memstream(&json, &size);

    fputs("{\"format\": \"furwock-taskset-1\", \"locks\": [\"a\", \"b\", \"c\", \"q\", \"r\"], "
          "\"tasks\": [",
          file);
    for (const char *comma = ""; *text != '\0'; comma = ", ", text += strspn(text, "; ")) {
        fputs(comma, file);
        write_task(file, &text);
    }
    fputs("]}", file);
    fclose(file);
    file = fmemopen(json, size, "r");
    set = taskset_parse(file, why);
    fclose(file);
    free(json);
    if (set == NULL)
        fail_msg("%s", why);
    return set;
}

static void check_bounds(const char *what, const struct example *e, const uint64_t *expected, int i,
                         uint64_t found)
{
    uint64_t wanted = expected[i] == NONE ? NONE : expected[i] * US;

    if (found != wanted)
        fail_msg("%s: %s of task %d: %llu ns, not %llu", e->set, what, i, (unsigned long long)found,
                 (unsigned long long)wanted);
}

static void check(const struct example *e, int protocol)
{
    struct taskset *set = parse(e->set);
    struct analysis a;

    analysis_make(&a, set, protocol, e->costs);
    if (*e->unfit == '\0' ? *a.unfit != '\0' : strstr(a.unfit, e->unfit) == NULL)
        fail_msg("%s: \"%s\", not \"%s\"", e->set, a.unfit, e->unfit);
    for (int i = 0; i < set->tasks; i++) {
        if (strchr(e->checked, 'b') != NULL)
            check_bounds("blocking", e, e->blocking, i, a.task[i].blocking);
        if (strchr(e->checked, 'r') != NULL)
            check_bounds("response", e, e->response, i, a.task[i].response);
    }
    if (strchr(e->checked, 's') != NULL)
        assert_true(a.is_schedulable);
    if (strchr(e->checked, 'n') != NULL)
        assert_false(a.is_schedulable);
    taskset_free(set);
}

TEST(test_examples)
{
    for (const struct example *e = examples; e < examples + sizeof examples / sizeof *examples; e++)
        for (int protocol = e->first; protocol <= e->last; protocol++)
            check(e, protocol);
}

UNIT_MAIN(NULL, NULL)
