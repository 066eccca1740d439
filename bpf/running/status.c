/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bpf/running/loader.h"
#include "bpf/running/pinned.h"
#include "bpf/running/program.h"
#include "sys/running_page.h"

static void fill_readers(struct fw_assist_status *status, const struct stat *pin)
{
    status->readers = FW_ASSIST_READ_BY_ROOT;
    if (pin->st_mode & S_IROTH)
        status->readers = FW_ASSIST_READ_BY_ANYBODY;
    else if (pin->st_mode & S_IRGRP)
        status->readers = FW_ASSIST_READ_BY_GROUP;
    status->group = pin->st_gid;
}

static void fill(struct fw_assist_status *status, const struct fw_assist_page *page)
{
    status->registration = page->registration;
    status->participants = page->participants;
    for (uint32_t i = 0; i < FW_ASSIST_CPUS; i++)
        status->switches += page->cpus[i].switches;
    fw_assist_program_runs(FW_ASSIST_MOUNT "/switch", &status->run_count, &status->run_ns);
}

static fw_bpf_result look(int fs, struct fw_assist_status *status, char *text, size_t size)
{
    struct stat pin;
    struct statfs kind;

    if (fstatfs(fs, &kind) < 0 || kind.f_type != BPF_FS_MAGIC || fstatat(fs, "page", &pin, 0) < 0 ||
        !fw_assist_has_links(fs, true))
        return FW_BPF_NOTHING_TO_DO;
    fill_readers(status, &pin);

    const struct fw_assist_page *page = fw_assist_map(FW_ASSIST_PIN, FW_ASSIST_HEAD);
    if (page == NULL) {
        bool closed = errno == EPERM || errno == EACCES;

        status->running = closed;
        snprintf(text, size, "%s: %s", FW_ASSIST_PIN, strerror(errno));
        return closed ? FW_BPF_NOT_PERMITTED : FW_BPF_FAILED;
    }
    status->running =
        page->stopped == 0 && fw_assist_has_links(fs, page->registration == FW_ASSIST_ALL);
    status->version = page->version;
    munmap((void *)page, FW_ASSIST_HEAD);
    return status->running ? FW_BPF_DONE : FW_BPF_NOTHING_TO_DO;
}

fw_bpf_result fw_assist_status(struct fw_assist_status *status, char *text, size_t size)
{
    int fs = open(FW_ASSIST_MOUNT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct fw_assist_page *page;

    *status = (struct fw_assist_status){.running = false};
    fw_bpf_result result = fs < 0 ? FW_BPF_NOTHING_TO_DO : look(fs, status, text, size);
    if (fs >= 0)
        close(fs);
    if (result == FW_BPF_NOTHING_TO_DO) {
        snprintf(text, size, "there is no page of it");
        return FW_BPF_DONE;
    }
    if (result != FW_BPF_DONE)
        return result;
    snprintf(text, size, "it runs (version %u)", (unsigned)status->version);
    if (status->version != FW_ASSIST_VERSION)
        return FW_BPF_DONE;
    page = fw_assist_map(FW_ASSIST_PIN, sizeof *page);
    if (page == NULL) {
        snprintf(text, size, "%s: %s", FW_ASSIST_PIN, strerror(errno));
        return FW_BPF_FAILED;
    }
    fill(status, page);
    munmap((void *)page, sizeof *page);
    return FW_BPF_DONE;
}
