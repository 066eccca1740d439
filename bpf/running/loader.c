/* SPDX-License-Identifier: MIT */
/*
 * What is at FW_ASSIST_MOUNT, and how it gets there.  The calls: loader.h.
 *
 * state    meaning                                       who leaves it, and how
 * -------  --------------------------------------------  ----------------------------------------
 * nothing  no mount there                                start: live, by a single step
 * live     page and links are pinned, and not stopped    stop: dead, as soon as the page says so
 * dead     stopped, or without its links or its page     start: live; stop: nothing
 * foreign  what start would never have made              nobody: it is not ours
 */
#include "bpf/running/loader.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/lib/lifecycle.h"
#include "bpf/running/pinned.h"
#include "bpf/running/program.h"
#include "sys/running_page.h"

bool fw_assist_built_in(void)
{
    return true;
}

_Static_assert(sizeof FW_ASSIST_MOUNT == sizeof "/run/furwock/assist", "the same path");

/* ---- A new one ---- */

/* Before 5.19 a kernel lets only root open a pin, unless that is switched off. */
static bool only_root_opens_pins(void)
{
    struct utsname name;
    char *end;
    char value = '0';
    int fd;

    if (uname(&name) < 0)
        return false;
    long major = strtol(name.release, &end, 10), minor = *end == '.' ? atol(end + 1) : 0;
    if (major > 5 || (major == 5 && minor >= 19))
        return false;
    fd = open("/proc/sys/kernel/unprivileged_bpf_disabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool read_it = read(fd, &value, 1) == 1;
    close(fd);
    return read_it && value != '0';
}

static void describe(const struct fw_assist_options *options, const char *before,
                     uint32_t registration, char *text, size_t size)
{
    char readers[40];

    switch (options->readers) {
    case FW_ASSIST_READ_BY_GROUP:
        snprintf(readers, sizeof readers, "group %u", (unsigned)options->group);
        break;
    case FW_ASSIST_READ_BY_ANYBODY:
        snprintf(readers, sizeof readers, "anybody");
        break;
    default:
        snprintf(readers, sizeof readers, "only root");
    }
    snprintf(text, size, "%sstarted: %s may read the page, %s%s", before, readers,
             registration == FW_ASSIST_ALL ? "which tells of all processes"
                                           : "which tells of processes that ask for it",
             options->readers != FW_ASSIST_READ_BY_ROOT && only_root_opens_pins()
                 ? "; but this kernel (before 5.19) lets only root open it, as "
                   "kernel.unprivileged_bpf_disabled is not 0"
                 : "");
}

static bool pin(const void *what, const void *with, int fs)
{
    const struct fw_assist_program *program = what;
    const struct fw_assist_options *options = with;
    /* To map it for reading takes the right to write, which does nothing: it is frozen. */
    static const mode_t modes[] = {[FW_ASSIST_READ_BY_ROOT] = 0600,
                                   [FW_ASSIST_READ_BY_GROUP] = 0660,
                                   [FW_ASSIST_READ_BY_ANYBODY] = 0666};
    struct fw_bpf_pin_path path = fw_bpf_pin_path(fs, "stop");

    if (bpf_program__pin(program->stop, path.text) != 0)
        return false;
    for (int i = 0; i < FW_ASSIST_LINKS && program->links[i] != NULL; i++) {
        path = fw_bpf_pin_path(fs, program->names[i]);
        if (bpf_link__pin(program->links[i], path.text) != 0)
            return false;
    }
    path = fw_bpf_pin_path(fs, "page");
    return bpf_map__pin(program->page, path.text) == 0 &&
           (options->readers != FW_ASSIST_READ_BY_GROUP ||
            fchownat(fs, "page", 0, options->group, AT_SYMLINK_NOFOLLOW) == 0) &&
           fchmodat(fs, "page", modes[options->readers], 0) == 0;
}

static fw_bpf_result load(const struct fw_bpf_pins *pins, const void *with, const char *before,
                          char *text, size_t size)
{
    const struct fw_assist_options *options = with;
    struct fw_assist_program program;
    fw_bpf_result result = fw_assist_program_load(&program, options->registration, text, size);

    if (result != FW_BPF_DONE)
        return result;
    result = fw_bpf_publish(pins, pin, &program, options, "cannot pin the program", text, size);
    if (result == FW_BPF_DONE)
        describe(options, before, program.registration, text, size);
    fw_assist_program_close(&program);
    return result;
}

/* ---- One that is there ---- */

static fw_bpf_result foreign(char *text, size_t size)
{
    snprintf(text, size, "%s: that is not ours", FW_ASSIST_PIN);
    return FW_BPF_IN_THE_WAY;
}

static fw_bpf_result check(int fs, char *text, size_t size)
{
    uint32_t version = 0;

    switch (fw_assist_state_of(fs, &version)) {
    case FW_ASSIST_DEAD:
        return FW_BPF_DONE;
    case FW_ASSIST_LIVE:
        if (version == FW_ASSIST_VERSION) {
            snprintf(text, size, "it runs already (version %u)", (unsigned)version);
            return FW_BPF_NOTHING_TO_DO;
        }
        snprintf(text, size, "version %u runs, and this is %u: stop it first", (unsigned)version,
                 FW_ASSIST_VERSION);
        return FW_BPF_IN_THE_WAY;
    default:
        return foreign(text, size);
    }
}

static fw_bpf_result clear(const struct fw_bpf_pins *pins, int fs, bool *was_live, char *text,
                           size_t size)
{
    uint32_t version = 0;
    fw_assist_state state = fw_assist_state_of(fs, &version);

    if (state == FW_ASSIST_FOREIGN)
        return foreign(text, size);
    *was_live = state == FW_ASSIST_LIVE;
    /*
     * A mapped page tells its readers by itself that nobody keeps it any more.  Only a program in
     * the kernel can write that.
     */
    fw_assist_program_run(fw_bpf_pin_path(fs, "stop").text);
    return fw_bpf_pins_clear(pins, fs, text, size);
}

/* ---- The calls ---- */

static const struct fw_bpf_loader loader = {
    .pins = {.name = "assist", .is_pin = fw_assist_is_pin, .main_pin = "page", .parent = -1},
    .check = check,
    .clear = clear,
    .load = load};

fw_bpf_result fw_assist_start(const struct fw_assist_options *options, char *text, size_t size)
{
    return fw_bpf_start(&loader, options, text, size);
}

fw_bpf_result fw_assist_stop(char *text, size_t size)
{
    return fw_bpf_stop(&loader, text, size);
}
