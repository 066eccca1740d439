/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "bpf/running/loader.h"
#include "processes.h"

/* How a process that started or stopped it ends: with the result, or with its skip. */
enum { SKIPPED = 77 };

static struct fw_assist_options options = {.readers = FW_ASSIST_READ_BY_ROOT};

void fixture_enter(void)
{
    if (!fw_assist_built_in())
        skip("built without the assist");
    namespace_enter();
}

void fixture_readers(gid_t group)
{
    options.readers = group == (gid_t)-1 ? FW_ASSIST_READ_BY_ROOT : FW_ASSIST_READ_BY_GROUP;
    options.group = group;
}

static int do_start(void)
{
    char text[300] = "";
    fw_bpf_result result = fw_assist_start(&options, text, sizeof text);

    if (result == FW_BPF_NOT_PERMITTED || result == FW_BPF_NOT_SUPPORTED) {
        printf("skipped: %s\n", text);
        fflush(stdout);
        return SKIPPED;
    }
    if (result != FW_BPF_DONE && result != FW_BPF_NOTHING_TO_DO)
        fprintf(stderr, "start: %s\n", text);
    return (int)result;
}

static int do_stop(void)
{
    char text[300] = "";
    fw_bpf_result result = fw_assist_stop(text, sizeof text);

    if (result != FW_BPF_DONE && result != FW_BPF_NOTHING_TO_DO)
        fprintf(stderr, "stop: %s\n", text);
    return (int)result;
}

static pid_t begin(int (*what)(void))
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0)
        _exit(what());
    return pid;
}

static int result_of(int (*what)(void))
{
    int end = wait_for_child(begin(what));

    if (end < 0)
        fail("a start or a stop ended with signal %d", -end);
    return end;
}

bool fixture_start(void)
{
    int result = result_of(do_start);

    if (result == SKIPPED)
        _exit(SKIPPED);
    if (result != FW_BPF_DONE && result != FW_BPF_NOTHING_TO_DO)
        fail("the assist cannot be started");
    return result == FW_BPF_DONE;
}

void fixture_stop(void)
{
    int result = result_of(do_stop);

    if (result != FW_BPF_DONE && result != FW_BPF_NOTHING_TO_DO)
        fail("the assist cannot be stopped");
    if (access(FW_ASSIST_MOUNT, F_OK) == 0 || errno != ENOENT)
        fail("a stop has left " FW_ASSIST_MOUNT);
}

static void kill_after(pid_t pid, unsigned us)
{
    usleep(us);
    kill(pid, SIGKILL);
    wait_for_child(pid);
}

void fixture_kill_a_start(unsigned us)
{
    kill_after(begin(do_start), us);
}

void fixture_kill_a_stop(unsigned us)
{
    kill_after(begin(do_stop), us);
}

void fixture_unmount(void)
{
    CHECK(umount2(FW_ASSIST_MOUNT, MNT_DETACH) == 0 || errno == EINVAL || errno == ENOENT);
}

void fixture_unpin_page(void)
{
    CHECK(unlink(FW_ASSIST_PIN) == 0 || errno == ENOENT);
}

void fixture_unpin_all(void)
{
    DIR *directory = opendir(FW_ASSIST_MOUNT);
    const struct dirent *entry;

    if (!directory)
        return;
    while ((entry = readdir(directory)))
        unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

void fixture_hide_page(unsigned us)
{
    CHECK(rename(FW_ASSIST_PIN, FW_ASSIST_MOUNT "/hidden") == 0);
    usleep(us);
    CHECK(rename(FW_ASSIST_MOUNT "/hidden", FW_ASSIST_PIN) == 0);
}
