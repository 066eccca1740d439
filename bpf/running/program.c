/* SPDX-License-Identifier: MIT */
#include "bpf/running/program.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/lib/log.h"
#include "bpf/lib/object.h"
#include "sys/running_page.h"

/*
 * The programs of running.bpf.c, and which of them each kind of registration has.  The kernel tells
 * of an event that a program can be attached to by a type of the name btf_trace_EVENT.
 */
static const struct {
    const char *name, *pin, *event;
    uint32_t registration; /* 0: all kinds have it */
    bool all;              /* FW_ASSIST_ALL has it */
} programs[] = {
    {"fw_switch", "switch", "btf_trace_sched_switch", 0, true},
    {"fw_exit", "exit", "btf_trace_sched_process_exit", 0, true},
    {"fw_exec", "exec", "btf_trace_sched_process_exec", 0, false},
    {"fw_ring", "join", "btf_trace_task_prctl_unknown", FW_ASSIST_BY_RING, false},
    {"fw_wait", "join", "btf_trace_sched_process_wait", FW_ASSIST_BY_WAIT, false},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static bool is_wanted(int i, uint32_t registration)
{
    if (registration == FW_ASSIST_ALL)
        return programs[i].all;
    return programs[i].registration == 0 || programs[i].registration == registration;
}

/* ---- What the kernel has ---- */

static bool has_event(const struct btf *btf, uint32_t registration, const char **lacks)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (is_wanted(i, registration) &&
            btf__find_by_name_kind(btf, programs[i].event, BTF_KIND_TYPEDEF) < 0) {
            *lacks = programs[i].event + strlen("btf_trace_");
            return false;
        }
    return true;
}

/* Decides on the kind of registration, if it is 0. */
static fw_bpf_result look_at_kernel(uint32_t *registration, char *text, size_t size)
{
    struct btf *btf = btf__load_vmlinux_btf();
    const char *lacks = NULL;

    if (btf == NULL)
        return fw_bpf_no_types(text, size);
    if (*registration == 0)
        *registration =
            has_event(btf, FW_ASSIST_BY_RING, &lacks) ? FW_ASSIST_BY_RING : FW_ASSIST_BY_WAIT;
    bool good = has_event(btf, *registration, &lacks);
    btf__free(btf);
    if (good)
        return FW_BPF_DONE;
    snprintf(text, size, "this kernel has no event %s", lacks);
    return FW_BPF_NOT_SUPPORTED;
}

/* ---- Loading ---- */

static bool fill_head(int fd, uint32_t registration)
{
    struct fw_assist_page *page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (page == MAP_FAILED)
        return false;
    page->magic = FW_ASSIST_MAGIC;
    page->version = FW_ASSIST_VERSION;
    page->registration = registration;
    munmap(page, sizeof *page);
    return true;
}

static fw_bpf_result load(struct fw_assist_program *p, char *text, size_t size)
{
    LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "furwock");

    errno = 0;
    p->object = bpf_object__open_mem(fw_assist_object,
                                     (size_t)(fw_assist_object_end - fw_assist_object), &options);
    if (p->object == NULL)
        return fw_bpf_log_failed("cannot read the program", errno, text, size);
    if (!fw_bpf_set_constants(p->object, &p->registration, sizeof p->registration))
        return fw_bpf_log_failed("the program is not what it should be", EINVAL, text, size);
    for (int i = 0; i < PROGRAMS; i++)
        if (!is_wanted(i, p->registration))
            bpf_program__set_autoload(bpf_object__find_program_by_name(p->object, programs[i].name),
                                      false);

    int error = -bpf_object__load(p->object);
    if (error != 0)
        return fw_bpf_log_failed("the kernel does not take the program", error, text, size);
    p->stop = bpf_object__find_program_by_name(p->object, "fw_stop");
    p->page = bpf_object__find_map_by_name(p->object, "page");
    if (!fill_head(bpf_map__fd(p->page), p->registration))
        return fw_bpf_log_failed("cannot map the page", errno, text, size);
    if (bpf_map_freeze(bpf_map__fd(p->page)) != 0)
        return fw_bpf_log_failed("cannot freeze the page", errno, text, size);

    for (int i = 0, links = 0; i < PROGRAMS; i++)
        if (is_wanted(i, p->registration)) {
            p->names[links] = programs[i].pin;
            p->links[links] =
                bpf_program__attach(bpf_object__find_program_by_name(p->object, programs[i].name));
            if (p->links[links++] == NULL)
                return fw_bpf_log_failed("cannot attach the program", errno, text, size);
        }
    return FW_BPF_DONE;
}

fw_bpf_result fw_assist_program_load(struct fw_assist_program *p, uint32_t registration, char *text,
                                     size_t size)
{
    libbpf_print_fn_t previous = fw_bpf_log_begin();
    fw_bpf_result result;

    *p = (struct fw_assist_program){.registration = registration};
    result = look_at_kernel(&p->registration, text, size);
    if (result == FW_BPF_DONE)
        result = load(p, text, size);
    if (result != FW_BPF_DONE)
        fw_assist_program_close(p);
    fw_bpf_log_end(previous);
    return result;
}

void fw_assist_program_close(struct fw_assist_program *p)
{
    for (int i = 0; i < FW_ASSIST_LINKS; i++)
        bpf_link__destroy(p->links[i]);
    bpf_object__close(p->object);
    *p = (struct fw_assist_program){.object = NULL};
}

void fw_assist_program_run(const char *path)
{
    LIBBPF_OPTS(bpf_test_run_opts, options);
    int fd = bpf_obj_get(path);

    if (fd < 0)
        return;
    bpf_prog_test_run_opts(fd, &options);
    close(fd);
}

void fw_assist_program_runs(const char *link_path, uint64_t *count, uint64_t *ns)
{
    struct bpf_link_info link = {.id = 0};
    struct bpf_prog_info program = {.id = 0};
    uint32_t size = sizeof link;
    int fd = bpf_obj_get(link_path);

    *count = *ns = 0;
    if (fd < 0)
        return;
    if (bpf_obj_get_info_by_fd(fd, &link, &size) == 0) {
        close(fd);
        fd = bpf_prog_get_fd_by_id(link.prog_id);
        size = sizeof program;
        if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &program, &size) == 0) {
            *count = program.run_cnt;
            *ns = program.run_time_ns;
        }
    }
    if (fd >= 0)
        close(fd);
}
