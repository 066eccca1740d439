/* SPDX-License-Identifier: MIT */
/* What a task set says, and a line for each thing that can be wrong with one. */
#include "command/rt/taskset.h"

#include <stdio.h>
#include <string.h>

#include <furwock/rt.h>

#include "test/support/unit.h"

#define START "{\"format\": \"furwock-taskset-1\", "
/* One task with these keys, and locks a and b. */
#define TASK(keys) START "\"locks\": [\"a\", \"b\"], \"tasks\": [{" keys "}]}"
#define WHO "\"name\": \"t\", \"cpu\": 0, \"priority\": 1"
#define TIMES ", \"period_us\": 100, \"execution_us\": 10"
#define SECTIONS(list) TASK(WHO TIMES ", \"sections\": " list)

static struct taskset *parse(const char *text, char *why)
{
    FILE *file = fmemopen((char *)text, strlen(text), "r");
    struct taskset *set = taskset_parse(file, why);

    fclose(file);
    return set;
}

TEST(test_good)
{
    static const char text[] =
        START "\"protocol\": \"mpcp-du\", \"locks\": [\"a\", \"b\"], \"tasks\": ["
              "{\"name\": \"one\", \"cpu\": 3, \"priority\": 20, \"period_us\": 1000,"
              " \"deadline_us\": 800.5, \"execution_us\": 100, \"suspension_us\": 30,"
              " \"suspensions\": 3, \"sections\": [{\"lock\": \"b\", \"us\": 12.25, \"count\": 2,"
              " \"sections\": [{\"lock\": \"a\", \"us\": 3}]}, {\"lock\": \"a\", \"us\": 1}]},"
              "{\"name\": \"two\", \"cpu\": 3, \"priority\": 19, \"period_us\": 10,"
              " \"execution_us\": 1}]}";
    static const int locks[] = {1, 0, 1, 0, 0}, outer[] = {-1, 0, -1, 2, -1};
    static const uint64_t length[] = {12250, 3000, 12250, 3000, 1000};
    char why[TASKSET_WHY] = "";
    struct taskset *set = parse(text, why);
    const struct taskset_task *t;

    assert_string_equal(why, "");
    assert_non_null(set);
    t = &set->task[0];
    assert_int_equal(set->protocol, FW_RT_MPCP_DU);
    assert_int_equal(set->tasks, 2);
    assert_int_equal(t->deadline, 800500);
    assert_int_equal(t->suspensions, 3);
    assert_int_equal(t->sections, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(t->section[i].lock, locks[i]);
        assert_int_equal(t->section[i].outer, outer[i]);
        assert_int_equal(t->section[i].length, length[i]);
    }
    assert_true(taskset_is_nested(set));
    assert_int_equal(set->task[1].deadline, 10000);
    assert_int_equal(set->task[1].suspensions, 0);
    taskset_free(set);
}

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "line 1, column 0"},
    {"{\"format\": ", "line 1"},
    {"{\"format\": 1, \"format\": 1}", "duplicate"},
    {"[]", "a task set has to be an object"},
    {"{}", "\"format\" has to be \"furwock-taskset-1\""},
    {"{\"format\": \"furwock-taskset-2\"}", "\"format\""},
    {START "\"task\": []}", "a task set has no key \"task\""},
    {START "\"tasks\": []}", "\"tasks\" has to be a list of tasks"},
    {START "\"tasks\": {}}", "\"tasks\" has to be a list of tasks"},
    {START "\"tasks\": [1]}", "tasks[0]: a task has to be an object"},
    {START "\"protocol\": \"PCQ\", \"tasks\": []}", "\"protocol\" is none"},
    {START "\"protocol\": 3, \"tasks\": []}", "\"protocol\" is none"},
    {START "\"locks\": \"a\", \"tasks\": []}", "\"locks\" has to be a list"},
    {START "\"locks\": [1], \"tasks\": []}", "has to be a text"},
    {START "\"locks\": [\"\"], \"tasks\": []}", "1 to 31 bytes"},
    {START "\"locks\": [\"12345678901234567890123456789012\"], \"tasks\": []}", "1 to 31 bytes"},
    {START "\"locks\": [\"a\", \"a\"], \"tasks\": []}", "a lock \"a\" already"},
    {TASK(""), "\"name\" is missing"},
    {TASK("\"name\": \"t\""), "\"cpu\" is missing"},
    {TASK("\"name\": \"t\", \"cpu\": 0"), "\"priority\" is missing"},
    {TASK("\"name\": \"t\", \"cpu\": 256"), "\"cpu\" has to be a whole number from 0 to 255"},
    {TASK("\"name\": \"t\", \"cpu\": -1"), "\"cpu\" has to be"},
    {TASK("\"name\": \"t\", \"cpu\": 1.5"), "\"cpu\" has to be"},
    {TASK("\"name\": \"t\", \"cpu\": 0, \"priority\": 50"), "from 1 to 49"},
    {TASK(WHO ", \"prio\": 1"), "a task has no key \"prio\""},
    {TASK(WHO), "\"period_us\" is missing"},
    {TASK(WHO ", \"period_us\": 100"), "\"execution_us\" is missing"},
    {TASK(WHO ", \"period_us\": 0"), "\"period_us\" has to be from"},
    {TASK(WHO ", \"period_us\": -5"), "\"period_us\" has to be from"},
    {TASK(WHO ", \"period_us\": 1e300"), "\"period_us\" has to be from"},
    {TASK(WHO ", \"period_us\": \"1\""), "a number of microseconds"},
    {TASK(WHO TIMES ", \"deadline_us\": 101"), "behind the period"},
    {TASK(WHO TIMES ", \"deadline_us\": 9"), "longer than the deadline"},
    {TASK(WHO TIMES ", \"suspension_us\": 91"), "longer than the deadline"},
    {TASK(WHO TIMES ", \"suspensions\": 2"), "without \"suspension_us\""},
    {TASK(WHO TIMES ", \"suspension_us\": 0.001, \"suspensions\": 2"), "less than a nanosecond"},
    {SECTIONS("1"), "\"sections\" has to be a list"},
    {SECTIONS("[1]"), "tasks[0]: sections[0]: a section has to be an object"},
    {SECTIONS("[{}]"), "\"lock\" is missing"},
    {SECTIONS("[{\"lock\": \"a\"}]"), "\"us\" is missing"},
    {SECTIONS("[{\"lock\": \"c\", \"us\": 1}]"), "no lock \"c\""},
    {SECTIONS("[{\"lock\": \"a\", \"us\": 1, \"length\": 1}]"), "no key \"length\""},
    {SECTIONS("[{\"lock\": \"a\", \"us\": 1, \"count\": 0}]"), "\"count\" has to be"},
    {SECTIONS("[{\"lock\": \"a\", \"us\": 6, \"count\": 2}]"), "take 12.000 us in all"},
    {SECTIONS("[{\"lock\": \"a\", \"us\": 0.001, \"count\": 200},"
              " {\"lock\": \"a\", \"us\": 0.001, \"count\": 200}]"),
     "at most 256 sections"},
    {SECTIONS("[{\"lock\": \"a\", \"us\": 2, \"sections\": [{\"lock\": \"b\", \"us\": 3}]}]"),
     "sections[0]: the sections take 3.000 us"},
    {SECTIONS("[{\"lock\": \"a\", \"us\": 2, \"sections\": [{\"lock\": \"a\", \"us\": 1}]}]"),
     "sections[0]: sections[0]: lock \"a\" is held there already"},
    {START "\"tasks\": [{" WHO TIMES "}, {" WHO TIMES "}]}", "a task \"t\" already"},
    {START "\"tasks\": [{" WHO TIMES "}, {\"name\": \"u\", \"cpu\": 0, \"priority\": 1" TIMES "}]}",
     "\"t\" and \"u\" have the same priority on CPU 0"},
};

TEST(test_bad)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char why[TASKSET_WHY] = "";
        struct taskset *set = parse(bad[i].text, why);
        if (set != NULL || strstr(why, bad[i].why) == NULL || strchr(why, '\n') != NULL)
            fail_msg("%s\n  expected \"%s\", and got \"%s\"", bad[i].text, bad[i].why, why);
    }
}

/* Sections in sections in sections, and a message that does not outgrow its line. */
TEST(test_deep)
{
    char text[4096] = START "\"locks\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\","
                            " \"i\"], \"tasks\": [{" WHO TIMES;
    char why[TASKSET_WHY] = "";

    for (int i = 0; i < 9; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 ", \"sections\": [{\"lock\": \"%c\", \"us\": 1", 'a' + i);
    for (int i = 0; i < 9; i++)
        strcat(text, "}]");
    strcat(text, "}]}");
    assert_null(parse(text, why));
    assert_non_null(strstr(why, "at most 8 deep"));
}

/* A set that fits what is promised of one, or one sentence. */
static void look(const char *text, size_t size)
{
    char why[TASKSET_WHY] = "";
    FILE *file = fmemopen((char *)text, size, "r");
    struct taskset *set = taskset_parse(file, why);

    fclose(file);
    if (set == NULL) {
        assert_in_range(strlen(why), 1, TASKSET_WHY - 1);
        return;
    }
    assert_in_range(set->tasks, 1, TASKSET_TASKS);
    assert_in_range(set->locks, 0, TASKSET_LOCKS);
    for (int i = 0; i < set->tasks; i++) {
        const struct taskset_task *t = &set->task[i];
        assert_in_range(t->cpu, 0, TASKSET_CPUS - 1);
        assert_in_range(t->priority, 1, TASKSET_PRIORITIES);
        assert_in_range(t->sections, 0, TASKSET_SECTIONS);
        assert_true(t->execution > 0 && t->execution <= t->deadline && t->deadline <= t->period);
        for (int s = 0; s < t->sections; s++)
            assert_in_range(t->section[s].lock, 0, set->locks - 1);
    }
    taskset_free(set);
}

/* A set that is cut off anywhere, or has another byte or word anywhere. */
TEST(test_spoilt)
{
    static const char good[] =
        SECTIONS("[{\"lock\": \"a\", \"us\": 2, \"count\": 2, \"sections\": [{\"lock\": \"b\", "
                 "\"us\": 1}]}], \"suspension_us\": 5, \"deadline_us\": 50.5");
    static const char bytes[] = "\0\x1b\xff\x80\xc3\"\\{}[],:-0e.9 ";
    static const char *const words[] = {"null",  "{}",    "[]",  "-1",
                                        "1e999", "1e300", "NaN", "99999999999999999999",
                                        "true",  "\"\"",  "0",   "\"\\u0000\""};
    char text[2 * sizeof good];

    for (size_t at = 1; at < sizeof good - 1; at++) {
        look(good, at);
        for (size_t i = 0; i < sizeof bytes - 1; i++) {
            memcpy(text, good, sizeof good);
            text[at] = bytes[i];
            look(text, sizeof good - 1);
        }
        for (size_t i = 0; i < sizeof words / sizeof *words && good[at - 1] == ' '; i++) {
            size_t old = strcspn(good + at, ",}]");
            snprintf(text, sizeof text, "%.*s%s%s", (int)at, good, words[i], good + at + old);
            look(text, strlen(text));
        }
    }
}

TEST(test_file)
{
    char why[TASKSET_WHY] = "";

    assert_null(taskset_read("/nowhere/set.json", why));
    assert_string_equal(why, "No such file or directory");
    assert_null(taskset_read("/", why));
}

UNIT_MAIN(NULL, NULL)
