/* SPDX-License-Identifier: MIT */
/*
 * furwock rt start, status, trace and stop, and furwock doctor, in a virtual machine where the
 * scheduler of tier B can really be loaded: what they answer, and with which status.
 *
 *     scx_command FURWOCK
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "other.h"
#include "scx.h"
#include "test/support/run_program.h"

enum {
    MOST_SAID = 1 << 16,
    ADA = 4242,
    GOOD = 0,
    FAILED = 1,
    USAGE = 2,
    RUNS_NOT = 3,
    NOT_VALID = 3
};

static char *program;
static char said[MOST_SAID];

/* Runs it with the words of the line, and keeps what it prints in `said`. */
static int run_as(uid_t user, const char *line)
{
    int status = run_line(user, program, line, said, sizeof said);

    scx_check(status >= 0, "no process: %s", strerror(errno));
    return status;
}

/* The status, and words that have to stand in what is said. */
static void expect(uid_t user, const char *line, int status, const char *words)
{
    int is = run_as(user, line);

    scx_check(is == status, "furwock %s: status %d, not %d: %s", line, is, status, said);
    scx_check(strstr(said, words) != NULL, "furwock %s: no \"%s\" in: %s", line, words, said);
}

static void expect_too(const char *words)
{
    scx_check(strstr(said, words) != NULL, "no \"%s\" in: %s", words, said);
}

static void expect_a_line(void)
{
    char *end = strchr(said, '\n');

    scx_check(end != NULL && end[1] == '\0', "not one line: %s", said);
}

static void before(void)
{
    expect(0, "rt status", RUNS_NOT, "not running");
    expect(0, "rt status --json", RUNS_NOT, "\"not running\"");
    expect(0, "rt stop", GOOD, "");
    expect(0, "rt start --user ada", USAGE, "there is no user \"ada\"");
    expect(0, "rt start --user 4242:9-1", USAGE, "9-1");
    expect(0, "rt start --user 4242:100", USAGE, "100");
    expect_a_line();
    expect(ADA, "rt start", FAILED, "");
    expect_a_line();
}

static void begin(void)
{
    int status = run_as(0, "rt start --user 4242:1-9:1:3");

    if (status != GOOD && strstr(said, "sched_ext") != NULL) {
        printf("skipped: %s", said);
        exit(SCX_SKIPPED);
    }
    scx_check(status == GOOD, "rt start: status %d: %s", status, said);
    expect_a_line();
    expect(0, "rt start", GOOD, "runs");
    expect(0, "rt start --user 4243", FAILED, "furwock rt stop first");
    expect_a_line();
    expect(0, "rt status", GOOD, "running: 0 tasks, 0 locks");
    expect_too("user 4242    priorities 1-9, 3 tasks");
    expect(ADA, "rt status", GOOD, "running: 0 tasks");
    expect(0, "rt status --json", GOOD, "\"state\": \"running\"");
    expect_too("\"user\": 4242");
    run_as(0, "doctor");
    expect_too("tier B");
    expect(ADA, "rt stop", FAILED, "");
    expect_a_line();
}

/* A task that holds a lock while it waits for those who look. */
static void *be_there(void *unused)
{
    struct fw_rt_task_options options = {.cpu = 1, .priority = 7, .name = "pump"};
    fw_rt_group *group;
    fw_rt_task *task;
    unsigned valve;

    CHECK_ZERO(fw_rt_group_open(&group, "/furwock-test-plant", FW_RT_TIER_B));
    CHECK_ZERO(fw_rt_task_begin(&task, group, &options));
    CHECK_ZERO(fw_rt_open(task, "valve", FW_RT_PCP_DU, 0, &valve));
    CHECK_ZERO(fw_rt_lock(task, valve));
    expect(0, "rt status", GOOD, "pump");
    expect_too("valve");
    expect(0, "rt status --json", GOOD, "\"pump\"");
    expect(0, "rt status /furwock-test-plant", GOOD, "pump");
    expect_too("valve");
    CHECK_ZERO(fw_rt_unlock(task, valve));
    CHECK_ZERO(fw_rt_task_end(task));
    CHECK_ZERO(fw_rt_group_close(group));
    return unused;
}

static void look_at_a_task(void)
{
    pthread_t thread;

    CHECK_ZERO(pthread_create(&thread, NULL, be_there, NULL));
    CHECK_ZERO(pthread_join(thread, NULL));
    expect(0, "rt status", GOOD, "running: 0 tasks");
}

static void trace_a_set(void)
{
    static const char set[] =
        "{\"format\": \"furwock-taskset-1\", \"protocol\": \"PCP-DU-BOOL\", \"locks\": [\"a\"],"
        " \"tasks\": [{\"name\": \"quick\", \"cpu\": 1, \"priority\": 9, \"period_us\": 20000,"
        " \"execution_us\": 900, \"sections\": [{\"lock\": \"a\", \"us\": 500}]},"
        " {\"name\": \"slow\", \"cpu\": 1, \"priority\": 2, \"period_us\": 50000,"
        " \"execution_us\": 5000, \"sections\": [{\"lock\": \"a\", \"us\": 3000}]}]}";
    int fd = open("/tmp/set.json", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ssize_t got;
    int status;

    scx_check(fd >= 0 && write(fd, set, sizeof set - 1) == sizeof set - 1, "the set");
    close(fd);
    expect(0, "rt analyze /tmp/set.json", GOOD, "quick");
    status = run_as(0, "rt trace -o /tmp/trace.json -- /t/furwock rt run /tmp/set.json --tier=B "
                       "--jobs=40");
    scx_check(status == GOOD || status == FAILED || status == NOT_VALID, "status %d: %s", status,
              said);
    expect_too("slow"); /* in an emulator: one of its jobs was above its limit, or it stood still */
    fd = open("/tmp/trace.json", O_RDONLY | O_CLOEXEC);
    got = fd >= 0 ? read(fd, said, sizeof said - 1) : -1;
    scx_check(got > 0, "no trace: %s", strerror(errno));
    said[got] = '\0';
    close(fd);
    expect_too("\"name\":\"quick\"");
    expect_too("\"tier\":\"B\"");
}

/* By the kernel: it is told so, and why, until it is started anew. */
static void thrown_out(void)
{
    expect(0, "rt start", GOOD, "");
    scx_write_file("/proc/sysrq-trigger", "S");
    for (unsigned i = 0; run_as(0, "rt status") == GOOD; i++) {
        scx_check(i < 1000, "it runs on: %s", said);
        usleep(10000);
    }
    expect(0, "rt status", RUNS_NOT, "ended: ");
    expect_too("sysrq");
    expect(0, "rt status --json", RUNS_NOT, "\"state\": \"ended\"");
    run_as(0, "doctor");
    expect_too("has ended");
    expect(0, "rt start", GOOD, "");
    expect(0, "rt status", GOOD, "running: 0 tasks");
    expect(0, "rt stop", GOOD, "");
    expect(0, "rt stop", GOOD, "");
}

/* ---- Beside another scheduler ---- */

static void other_is_left_alone(void)
{
    fw_rt_group *group;
    int error;

    expect(0, "rt start", FAILED, "another sched_ext scheduler runs: " OTHER_NAME);
    expect_a_line();
    expect(0, "rt status", RUNS_NOT, "not running");
    expect(0, "rt stop", GOOD, "");
    run_as(0, "doctor");
    expect_too("another sched_ext scheduler runs: " OTHER_NAME);
    error = fw_rt_group_open(&group, NULL, FW_RT_TIER_B);
    scx_check(error == ENOTSUP, "a group beside another scheduler: %s", strerror(error));
    expect(0, "rt start", FAILED, OTHER_NAME); /* which has not gone */
}

static void beside_another(void)
{
    int error = other_start();

    scx_check(error == 0, "the other scheduler: %s", strerror(error));
    other_is_left_alone();
    other_end();
    expect(0, "rt start", GOOD, "");
    error = other_start();
    scx_check(error == EBUSY, "the other scheduler, while ours runs: %s", strerror(error));
    expect(0, "rt status", GOOD, "running: 0 tasks");
    expect(0, "rt stop", GOOD, "");
    error = other_start();
    scx_check(error == 0, "the other scheduler, after ours: %s", strerror(error));
    other_end();
}

int main(int argc, char **argv)
{
    scx_need_vm();
    alarm(250);
    scx_check(argc == 2, "takes a program");
    program = argv[1];
    if (access(program, X_OK) != 0) {
        printf("skipped: %s is not in this machine (tools/vm --program)\n", program);
        return SCX_SKIPPED;
    }
    before();
    begin();
    look_at_a_task();
    trace_a_set();
    expect(0, "rt stop", GOOD, "");
    expect_a_line();
    expect(0, "rt status", RUNS_NOT, "");
    thrown_out();
    beside_another();
    return EXIT_SUCCESS;
}
