/* SPDX-License-Identifier: MIT */
/* The bounds of examples from the textbooks, and of some that are small enough to do by hand. */
#include "command/rt/analysis/analysis.h"

#include <stdio.h>
#include <string.h>

#include <furwock/rt.h>

#include "test/support/testing.h"

#define NONE ANALYSIS_NO_BOUND
#define START "{\"format\": \"furwock-taskset-1\", "

static const struct analysis_costs free_of_cost = {0};

static struct taskset *parse(const char *text)
{
    FILE *file = fmemopen((char *)text, strlen(text), "r");
    char why[TASKSET_WHY] = "";
    struct taskset *set = taskset_parse(file, why);

    fclose(file);
    if (set == NULL)
        fail_msg("%s", why);
    return set;
}

/* Expected bounds in microseconds; the lists end with the set's tasks. */
static void expect(const char *text, int protocol, const uint64_t *blocking,
                   const uint64_t *response)
{
    struct taskset *set = parse(text);
    struct analysis a;

    analysis_make(&a, set, protocol, free_of_cost);
    assert_string_equal(a.unfit, "");
    for (int i = 0; i < set->tasks; i++) {
        if (blocking != NULL)
            assert_int_equal(a.task[i].blocking, blocking[i] == NONE ? NONE : blocking[i] * 1000);
        if (response != NULL)
            assert_int_equal(a.task[i].response, response[i] == NONE ? NONE : response[i] * 1000);
    }
    taskset_free(set);
}

static void expect_unfit(const char *text, int protocol, const char *why)
{
    struct taskset *set = parse(text);
    struct analysis a;

    analysis_make(&a, set, protocol, free_of_cost);
    assert_non_null(strstr(a.unfit, why));
    assert_false(a.is_schedulable);
    taskset_free(set);
}

#define BUTTAZZO                                                                          \
    START "\"locks\": [\"a\", \"b\", \"c\"], \"tasks\": ["                                \
          "{\"name\": \"1\", \"cpu\": 0, \"priority\": 4, \"period_us\": 1000,"           \
          " \"execution_us\": 10,"                                                        \
          " \"sections\": [{\"lock\": \"a\", \"us\": 1}, {\"lock\": \"b\", \"us\": 2}]}," \
          "{\"name\": \"2\", \"cpu\": 0, \"priority\": 3, \"period_us\": 1000,"           \
          " \"execution_us\": 20,"                                                        \
          " \"sections\": [{\"lock\": \"b\", \"us\": 9}, {\"lock\": \"c\", \"us\": 3}]}," \
          "{\"name\": \"3\", \"cpu\": 0, \"priority\": 2, \"period_us\": 1000,"           \
          " \"execution_us\": 20,"                                                        \
          " \"sections\": [{\"lock\": \"a\", \"us\": 8}, {\"lock\": \"b\", \"us\": 7}]}," \
          "{\"name\": \"4\", \"cpu\": 0, \"priority\": 1, \"period_us\": 1000,"           \
          " \"execution_us\": 20,"                                                        \
          " \"sections\": [{\"lock\": \"a\", \"us\": 6}, {\"lock\": \"b\", \"us\": 5},"   \
          " {\"lock\": \"c\", \"us\": 4}]}]}"

/* Buttazzo, "Hard Real-Time Computing Systems", chapter 7: four tasks, three semaphores. */
static void test_buttazzo(void **state)
{
    static const uint64_t pip[] = {17, 14, 6, 0}, pcp[] = {9, 8, 6, 0};

    (void)state;
    expect(BUTTAZZO, FW_RT_PIP, pip, NULL);
    for (int protocol = FW_RT_IPCP; protocol <= FW_RT_PCP_DU_PF; protocol++)
        expect(BUTTAZZO, protocol, pcp, NULL);
}

#define ROW(n, priority, period, execution)                                                \
    "{\"name\": \"" n "\", \"cpu\": 0, \"priority\": " priority ", \"period_us\": " period \
    ", \"execution_us\": " execution
#define PLAIN(more)                                                                      \
    START "\"tasks\": [" ROW("1", "3", "7", "3") "}," ROW("2", "2", "12", "3") "}," ROW( \
        "3", "1", "20", "5") more "}]}"

/* Burns and Wellings, "Real-Time Systems and Programming Languages": responses 3, 6, 20. */
static void test_response(void **state)
{
    static const uint64_t none[] = {0, 0, 0}, response[] = {3, 6, 20};
    struct taskset *set = parse(PLAIN(""));
    struct analysis a;

    (void)state;
    expect(PLAIN(""), FW_RT_PCP, none, response);
    analysis_make(&a, set, FW_RT_PCP, free_of_cost);
    assert_true(a.is_schedulable);
    taskset_free(set);

    set = parse(PLAIN(", \"deadline_us\": 19"));
    analysis_make(&a, set, FW_RT_PCP, free_of_cost);
    assert_false(a.is_schedulable);
    taskset_free(set);
}

/* A sleeper's own time counts as execution; others may execute late: 5 + 1 + 3 (3) + 2 (3). */
static void test_sleep(void **state)
{
    static const uint64_t response[] = {3, 6, 21};

    (void)state;
    expect(PLAIN(", \"suspension_us\": 1"), FW_RT_PCP, NULL, response);
}

static void test_overload(void **state)
{
    static const uint64_t response[] = {7, NONE};

    (void)state;
    expect(START "\"tasks\": ["
                 "{\"name\": \"1\", \"cpu\": 0, \"priority\": 3, \"period_us\": 7,"
                 " \"execution_us\": 7},"
                 "{\"name\": \"2\", \"cpu\": 0, \"priority\": 2, \"period_us\": 12,"
                 " \"execution_us\": 3}]}",
           FW_RT_PCP, NULL, response);
}

#define NESTED                                                                       \
    START "\"locks\": [\"a\", \"b\"], \"tasks\": ["                                  \
          "{\"name\": \"high\", \"cpu\": 0, \"priority\": 4, \"period_us\": 1000,"   \
          " \"execution_us\": 10, \"suspension_us\": 2, \"suspensions\": 2,"         \
          " \"sections\": [{\"lock\": \"b\", \"us\": 1}]},"                          \
          "{\"name\": \"middle\", \"cpu\": 0, \"priority\": 3, \"period_us\": 1000," \
          " \"execution_us\": 20,"                                                   \
          " \"sections\": [{\"lock\": \"b\", \"us\": 9,"                             \
          " \"sections\": [{\"lock\": \"a\", \"us\": 4}]}]},"                        \
          "{\"name\": \"low\", \"cpu\": 0, \"priority\": 2, \"period_us\": 1000,"    \
          " \"execution_us\": 60, \"sections\": [{\"lock\": \"a\", \"us\": 50, \"count\": 1}]}]}"

/*
 * Under PIP the high task waits for the low one's section, too: it waits for the middle one, which
 * waits for that.  Under ceilings it does not.  Each sleep is one more opportunity.
 */
static void test_nested(void **state)
{
    static const uint64_t pip[] = {3 * 59, 50, 0}, pcp[] = {3 * 9, 50, 0};

    (void)state;
    expect(NESTED, FW_RT_PIP, pip, NULL);
    expect(NESTED, FW_RT_PCP_DU, pcp, NULL);
    expect_unfit(NESTED, FW_RT_MPCP, "no sections inside");
    expect_unfit(NESTED, FW_RT_FMLP_DU, "no sections inside");
    expect_unfit(NESTED, 0, "no such protocol");
}

static void test_circle(void **state)
{
    static const char text[] =
        START "\"locks\": [\"a\", \"b\"], \"tasks\": ["
              "{\"name\": \"1\", \"cpu\": 0, \"priority\": 4, \"period_us\": 100,"
              " \"execution_us\": 10, \"sections\": [{\"lock\": \"b\", \"us\": 2,"
              " \"sections\": [{\"lock\": \"a\", \"us\": 1}]}]},"
              "{\"name\": \"2\", \"cpu\": 0, \"priority\": 3, \"period_us\": 100,"
              " \"execution_us\": 20, \"sections\": [{\"lock\": \"a\", \"us\": 9,"
              " \"sections\": [{\"lock\": \"b\", \"us\": 4}]}]}]}";
    static const uint64_t pcp[] = {9, 0};

    (void)state;
    expect_unfit(text, FW_RT_PIP, "circle");
    expect(text, FW_RT_PCP, pcp, NULL);
}

#define TWO_CPUS                                                                    \
    START "\"locks\": [\"q\", \"r\"], \"tasks\": ["                                 \
          "{\"name\": \"A\", \"cpu\": 0, \"priority\": 30, \"period_us\": 1000,"    \
          " \"execution_us\": 50, \"sections\": [{\"lock\": \"q\", \"us\": 10}]},"  \
          "{\"name\": \"B\", \"cpu\": 0, \"priority\": 10, \"period_us\": 5000,"    \
          " \"execution_us\": 100, \"sections\": [{\"lock\": \"r\", \"us\": 20}]}," \
          "{\"name\": \"X\", \"cpu\": 1, \"priority\": 20, \"period_us\": 2000,"    \
          " \"execution_us\": 60, \"sections\": [{\"lock\": \"q\", \"us\": 15}]},"  \
          "{\"name\": \"Y\", \"cpu\": 1, \"priority\": 5, \"period_us\": 10000,"    \
          " \"execution_us\": 200, \"sections\": [{\"lock\": \"r\", \"us\": 30},"   \
          " {\"lock\": \"q\", \"us\": 25}]}]}"

/*
 * By hand.  MPCP: the ceilings for CPU 0 are q 20, r 5, for CPU 1 q 30, r 10.  H: A.q 10, B.r 30,
 * X.q 40, Y.r 45, Y.q 40.  Waits: A 40; B 45; X 40 + 10; Y 30 and 10 + 40.
 */
static void test_mpcp(void **state)
{
    static const uint64_t blocking[] = {40 + 2 * 20, 45, 50 + 2 * 30, 80};
    static const uint64_t response[] = {130, 195, 170, 340};

    (void)state;
    expect(TWO_CPUS, FW_RT_MPCP, blocking, response);
    expect(TWO_CPUS, FW_RT_MPCP_DU, blocking, response);
    expect_unfit(TWO_CPUS, FW_RT_PIP, "more than one CPU");
    expect_unfit(TWO_CPUS, FW_RT_IPCP, "more than one CPU");
}

/* Waits: A 15 + 30; B 15 + 30; X 10 + 20 + 30; Y 10 + 20 and 10 + 20 + 15. */
static void test_fmlp(void **state)
{
    static const uint64_t blocking[] = {45 + 2 * 20, 45, 60 + 2 * 30, 75};

    (void)state;
    expect(TWO_CPUS, FW_RT_FMLP, blocking, NULL);
    expect(TWO_CPUS, FW_RT_FMLP_DU, blocking, NULL);
}

/* A section costs 1 us more, those inside of it count; a wake-up 5: three stretches. */
static void test_costs(void **state)
{
    struct taskset *set = parse(NESTED);
    struct analysis a;

    (void)state;
    analysis_make(&a, set, FW_RT_PCP, (struct analysis_costs){.section = 1000, .wake = 5000});
    assert_int_equal(a.task[0].blocking, 3 * (9 + 2 + 5) * 1000);
    assert_int_equal(a.task[1].blocking, (50 + 1 + 5) * 1000);
    assert_int_equal(a.task[2].blocking, 5 * 1000);
    taskset_free(set);
}

/* Numbers that are as far apart as a file allows: no overflow, and an end. */
static void test_extremes(void **state)
{
    static const char text[] =
        START "\"locks\": [\"q\"], \"tasks\": ["
              "{\"name\": \"1\", \"cpu\": 0, \"priority\": 9, \"period_us\": 0.002,"
              " \"execution_us\": 0.001, \"sections\": [{\"lock\": \"q\", \"us\": 0.001}]},"
              "{\"name\": \"2\", \"cpu\": 1, \"priority\": 8, \"period_us\": 0.001,"
              " \"execution_us\": 0.001, \"sections\": [{\"lock\": \"q\", \"us\": 0.001}]},"
              "{\"name\": \"3\", \"cpu\": 1, \"priority\": 7, \"period_us\": 3600000000,"
              " \"execution_us\": 1, \"sections\": [{\"lock\": \"q\", \"us\": 1}]},"
              "{\"name\": \"4\", \"cpu\": 0, \"priority\": 6, \"period_us\": 3600000000,"
              " \"execution_us\": 3600000000,"
              " \"sections\": [{\"lock\": \"q\", \"us\": 3600000000}]}]}";
    struct taskset *set = parse(text);
    struct analysis a;

    (void)state;
    for (int protocol = FW_RT_MPCP; protocol <= FW_RT_FMLP_DU; protocol++) {
        analysis_make(&a, set, protocol, free_of_cost);
        assert_string_equal(a.unfit, "");
        assert_false(a.is_schedulable);
    }
    taskset_free(set);
}

/*
 * 450 of 1000 and 1000 of 2000 us fit with 100 to spare.  With 30 us for each dispatch the two jobs
 * of the more urgent one take 60 each, and the less urgent one waits 30 itself: 50 too many.
 */
static void test_dispatches_of_others(void **state)
{
    static const char text[] =
        START "\"locks\": [], \"tasks\": ["
              "{\"name\": \"h\", \"cpu\": 0, \"priority\": 2, \"period_us\": 1000,"
              " \"execution_us\": 450, \"sections\": []},"
              "{\"name\": \"l\", \"cpu\": 0, \"priority\": 1, \"period_us\": 2000,"
              " \"execution_us\": 1000, \"sections\": []}]}";
    struct taskset *set = parse(text);
    struct analysis a;

    (void)state;
    analysis_make(&a, set, FW_RT_PCP, free_of_cost);
    assert_true(a.is_schedulable);
    assert_int_equal(a.task[1].response, 1900 * 1000);
    analysis_make(&a, set, FW_RT_PCP, (struct analysis_costs){.wake = 10000});
    assert_true(a.is_schedulable);
    assert_int_equal(a.task[1].response, (1900 + 10 + 2 * 20) * 1000);
    analysis_make(&a, set, FW_RT_PCP, (struct analysis_costs){.wake = 30000});
    assert_false(a.is_schedulable);
    taskset_free(set);
}

/* In tier B, with a tick of 4 ms: responses in ms. */
static void expect_tier_b(const char *text, const uint64_t *plain, const uint64_t *response)
{
    struct taskset *set = parse(text);
    struct analysis a;

    for (int b = 0; b <= 1; b++) {
        analysis_make(&a, set, FW_RT_PCP, (struct analysis_costs){.tick = b ? 4000000 : 0});
        for (int i = 0; i < set->tasks; i++)
            assert_int_equal(a.task[i].response, (b ? response : plain)[i] * 1000000);
    }
    taskset_free(set);
}

#define TIER_B(execution, with_sections)                                           \
    START "\"locks\": [\"a\"], \"tasks\": ["                                       \
          "{\"name\": \"h\", \"cpu\": 0, \"priority\": 2, \"period_us\": 100000,"  \
          " \"execution_us\": 10000},"                                             \
          "{\"name\": \"l\", \"cpu\": 0, \"priority\": 1, \"period_us\": 2000000," \
          " \"execution_us\": " execution with_sections "}]}"
#define WITH_SECTION ", \"sections\": [{\"lock\": \"a\", \"us\": 1}]"

/* Nobody waits for 250 ms, or has the CPU for 1 s: as in tier A. */
static void test_tier_b_is_quiet(void **state)
{
    (void)state;
    expect_tier_b(TIER_B("100000", WITH_SECTION), (uint64_t[]){10, 120}, (uint64_t[]){10, 120});
    expect_tier_b(TIER_B("300000", ""), (uint64_t[]){10, 340}, (uint64_t[]){10, 340});
}

/* L may wait for its lock for longer than that: turns of 1 ms and a tick, two of them in 350 ms. */
static void test_turns(void **state)
{
    (void)state;
    expect_tier_b(TIER_B("300000", WITH_SECTION), (uint64_t[]){10, 340}, (uint64_t[]){15, 350});
}

/* L and H have the CPU for more than 1 s: slices of 2 ms and a tick, two of them. */
static void test_slices(void **state)
{
    (void)state;
    expect_tier_b(TIER_B("900000", ""), (uint64_t[]){10, 1000}, (uint64_t[]){16, 1022});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buttazzo),
        cmocka_unit_test(test_response),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_overload),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_mpcp),
        cmocka_unit_test(test_fmlp),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_dispatches_of_others),
        cmocka_unit_test(test_tier_b_is_quiet),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_slices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
