/* SPDX-License-Identifier: MIT */
/* The assist is started and stopped: what is there then, who may read, what may be in the way. */
#include "test/support/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

static char text[400];
static const struct fw_assist_options for_group = {.readers = FW_ASSIST_READ_BY_GROUP,
                                                   .group = STRANGERS_ID};

static fw_bpf_result start(void)
{
    return fw_assist_start(&for_group, text, sizeof text);
}

static fw_bpf_result stop(void)
{
    return fw_assist_stop(text, sizeof text);
}

static void expect_text(const char *part)
{
    if (strstr(text, part) == NULL || strchr(text, '\n') != NULL)
        fail_msg("\"%s\" has no \"%s\"", text, part);
}

static void expect_nothing_left(void)
{
    struct stat s;

    assert_int_equal(stat("/run/furwock", &s), -1);
    assert_int_equal(errno, ENOENT);
}

static struct fw_assist_status status_now(void)
{
    struct fw_assist_status status;

    assert_int_equal(fw_assist_status(&status, text, sizeof text), FW_BPF_DONE);
    return status;
}

static void leave_nothing(void)
{
    umount2("/run/furwock/assist", MNT_DETACH);
    rmdir("/run/furwock/assist");
    rmdir("/run/furwock");
}

/* ---- What it does ---- */

TEST(it_starts_and_stops)
{
    assert_false(status_now().running);
    assert_int_equal(start(), FW_BPF_DONE);
    expect_text("started");
    struct fw_assist_status status = status_now();
    assert_true(status.running);
    assert_int_equal(status.version, FW_ASSIST_VERSION);
    assert_int_equal(status.participants, 0);
    assert_int_equal(status.readers, FW_ASSIST_READ_BY_GROUP);
    assert_int_equal(status.group, STRANGERS_ID);
    assert_int_equal(stop(), FW_BPF_DONE);
    expect_text("stopped");
    assert_false(status_now().running);
    expect_nothing_left();
}

TEST(twice_is_told)
{
    assert_int_equal(start(), FW_BPF_DONE);
    assert_int_equal(start(), FW_BPF_NOTHING_TO_DO);
    expect_text("it runs already");
    assert_int_equal(stop(), FW_BPF_DONE);
    assert_int_equal(stop(), FW_BPF_NOTHING_TO_DO);
    expect_text("it does not run");
    expect_nothing_left();
}

TEST(readers_are_told_that_it_stops)
{
    assert_int_equal(start(), FW_BPF_DONE);
    const struct fw_assist_page *page = namespace_map_page();
    assert_non_null(page);
    assert_int_equal(page->stopped, 0);
    assert_int_equal(stop(), FW_BPF_DONE);
    assert_int_equal(page->stopped, 1);
    munmap((void *)page, sizeof *page);
}

/* Of those who wait for one another all come through. */
TEST(many_at_once_do_no_harm)
{
    enum { MANY = 6 };
    int status;

    for (int i = 0; i < MANY; i++)
        if (fork() == 0) {
            bool good = true;
            for (int k = 0; k < 3 && good; k++) {
                fw_bpf_result r = i % 2 ? start() : stop();
                good = r == FW_BPF_DONE || r == FW_BPF_NOTHING_TO_DO;
                if (!good)
                    fprintf(stderr, "%s: %s\n", i % 2 ? "start" : "stop", text);
            }
            _exit(!good);
        }
    for (int i = 0; i < MANY; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    stop();
    expect_nothing_left();
}

/* ---- Who may ---- */

static int try_as_stranger(void)
{
    struct fw_assist_status status;

    return start() == FW_BPF_NOT_PERMITTED && stop() == FW_BPF_NOT_PERMITTED &&
                   fw_assist_status(&status, text, sizeof text) == FW_BPF_NOT_PERMITTED &&
                   status.running && status.readers == FW_ASSIST_READ_BY_ROOT &&
                   namespace_map_page() == NULL && errno == EACCES
               ? 0
               : 1;
}

TEST(who_may_not_is_refused)
{
    fixture_start(FW_ASSIST_READ_BY_ROOT, 0);
    assert_int_equal(fixture_in_child(try_as_stranger, STRANGERS_ID), 0);
    fixture_stop();
}

/* Even who may open it for writing cannot write. */
static int try_to_write(void)
{
    union bpf_attr attr;
    static struct fw_assist_page lies;
    uint32_t first = 0;

    int fd = namespace_open_page();
    if (fd < 0)
        return 1;
    if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED)
        return 2;
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0)
        return 3;
    memset(&attr, 0, sizeof attr);
    attr.map_fd = (uint32_t)fd;
    attr.key = (uintptr_t)&first;
    attr.value = (uintptr_t)&lies;
    if (syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof attr) == 0 || errno != EPERM)
        return 4;
    return 0;
}

TEST(nobody_writes_to_the_page)
{
    fixture_start(FW_ASSIST_READ_BY_GROUP, 0);
    assert_int_equal(fixture_in_child(try_to_write, STRANGERS_ID), 0);
    assert_int_equal(fixture_in_child(try_to_write, 0), 0);
    fixture_stop();
    fixture_start(FW_ASSIST_READ_BY_ANYBODY, 0);
    assert_int_equal(fixture_in_child(try_to_write, STRANGERS_ID - 1), 0);
    assert_int_equal(status_now().readers, FW_ASSIST_READ_BY_ANYBODY);
    fixture_stop();
}

/* ---- What others left ---- */

TEST(what_has_lost_a_program_is_cleared_away)
{
    static const char *const pins[] = {"switch", "exit", "exec", "join", "page"};
    char path[100];

    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
        assert_int_equal(start(), FW_BPF_DONE);
        snprintf(path, sizeof path, "%s/%s", FW_ASSIST_MOUNT, pins[i]);
        assert_int_equal(unlink(path), 0);
        assert_false(status_now().running);
        if (i % 2 == 0) {
            assert_int_equal(start(), FW_BPF_DONE);
            expect_text("one that had ended");
            assert_true(status_now().running);
        }
        assert_int_equal(stop(), FW_BPF_DONE);
        expect_nothing_left();
    }
}

static int bpf(int command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

/* A page as some other version would have it, and its pins: of those only the names matter. */
static void pin_a_page(uint64_t magic, uint32_t version, bool with_links)
{
    static const char *const pins[] = {"page", "switch", "exit", "exec", "join"};
    union bpf_attr attr;
    char path[100];

    mkdir("/run/furwock", 0711);
    mkdir(FW_ASSIST_MOUNT, 0755);
    assert_int_equal(mount("test", FW_ASSIST_MOUNT, "bpf", 0, "mode=755"), 0);
    memset(&attr, 0, sizeof attr);
    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = 4;
    attr.value_size = 8192;
    attr.max_entries = 1;
    attr.map_flags = BPF_F_MMAPABLE;
    int map = bpf(BPF_MAP_CREATE, &attr);
    assert_true(map >= 0);
    struct fw_assist_page *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    page->magic = magic;
    page->version = version;
    munmap(page, 4096);
    for (int i = 0; i < (with_links ? 5 : 1); i++) {
        snprintf(path, sizeof path, "%s/%s", FW_ASSIST_MOUNT, pins[i]);
        memset(&attr, 0, sizeof attr);
        attr.pathname = (uintptr_t)path;
        attr.bpf_fd = (uint32_t)map;
        assert_int_equal(bpf(BPF_OBJ_PIN, &attr), 0);
    }
    close(map);
}

TEST(another_version_that_runs_is_not_replaced)
{
    pin_a_page(FW_ASSIST_MAGIC, FW_ASSIST_VERSION + 1, true);
    assert_int_equal(start(), FW_BPF_IN_THE_WAY);
    expect_text("stop it first");
    assert_true(status_now().running);
    assert_int_equal(status_now().version, FW_ASSIST_VERSION + 1);
    assert_int_equal(stop(), FW_BPF_DONE);
    expect_nothing_left();
}

TEST(another_versions_stale_pin_is_cleared_away)
{
    pin_a_page(FW_ASSIST_MAGIC, FW_ASSIST_VERSION - 1, false);
    assert_int_equal(start(), FW_BPF_DONE);
    expect_text("one that had ended");
    assert_int_equal(stop(), FW_BPF_DONE);
    expect_nothing_left();
}

TEST(what_is_not_ours_is_left_alone)
{
    pin_a_page(1, 1, true);
    assert_int_equal(start(), FW_BPF_IN_THE_WAY);
    assert_int_equal(stop(), FW_BPF_IN_THE_WAY);
    expect_text("not ours");
    assert_int_equal(access(FW_ASSIST_PIN, F_OK), 0);
    leave_nothing();

    mkdir("/run/furwock", 0711);
    mkdir(FW_ASSIST_MOUNT, 0755);
    assert_int_equal(mount("test", FW_ASSIST_MOUNT, "tmpfs", 0, "mode=755"), 0);
    assert_int_equal(start(), FW_BPF_IN_THE_WAY);
    assert_int_equal(stop(), FW_BPF_IN_THE_WAY);
    expect_text("not ours");
    leave_nothing();

    assert_int_equal(symlink("/tmp", "/run/furwock"), 0);
    assert_int_equal(start(), FW_BPF_FAILED);
    expect_text("/run/furwock");
    unlink("/run/furwock");
}

TEST(a_directory_that_others_may_change_is_not_used)
{
    assert_int_equal(mkdir("/run/furwock", 0777), 0);
    assert_int_equal(chmod("/run/furwock", 0777), 0);
    assert_int_equal(start(), FW_BPF_IN_THE_WAY);
    expect_text("others than root");
    assert_int_equal(rmdir("/run/furwock"), 0);
}

/* A start or stop that is killed at any time leaves nothing that the next one does not mend. */
TEST(the_killed_leave_nothing_that_matters)
{
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (;;) {
                start();
                stop();
            }
        }
        usleep((useconds_t)(1000 + i * 3700));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        fw_bpf_result r = start();
        if (r != FW_BPF_DONE && r != FW_BPF_NOTHING_TO_DO)
            fail_msg("%s", text);
        assert_true(status_now().running);
        assert_int_equal(stop(), FW_BPF_DONE);
        expect_nothing_left();
    }
}

int main(void)
{
    fixture_enter();
    return unit_run(NULL, leave_nothing);
}
