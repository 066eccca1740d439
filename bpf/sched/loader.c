/* SPDX-License-Identifier: MIT */
/*
 * What is at FW_RT_SCX_MOUNT, and how it gets there.  The calls: loader.h.
 *
 * state    meaning                                       who leaves it, and how
 * -------  --------------------------------------------  ----------------------------------------
 * nothing  no mount there                                start: live, by a single step
 * live     the state is pinned, and says `alive`         stop: dead; the kernel, at any time: dead
 * dead     it says that the scheduler has ended          start: live; stop: nothing
 * foreign  what start would never have made              nobody: it is not ours
 */
#include "bpf/sched/loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/lib/lifecycle.h"
#include "bpf/lib/object.h"
#include "bpf/sched/arena.h"
#include "bpf/sched/program.h"
#include "sys/clock_sleep.h"

/* How often to look whether the kernel has put all threads back where they were. */
enum { END_TRIES = 1000 };
#define END_INTERVAL_NS 10000000u

#define PAGES "pages-"
#define PERMITS "permits-"

static bool is_pin(const char *name)
{
    return strcmp(name, "state") == 0 || strcmp(name, "link") == 0 || strcmp(name, "works") == 0 ||
           strcmp(name, "ticks") == 0 || strncmp(name, PAGES, strlen(PAGES)) == 0 ||
           strncmp(name, PERMITS, strlen(PERMITS)) == 0;
}

_Static_assert(sizeof FW_RT_SCX_MOUNT == sizeof "/run/furwock/rt", "the same path");

bool fw_rt_scx_built_in(void)
{
    return true;
}

/* ---- What is there ---- */

static const struct fw_rt_scx_state *map_state(const char *path)
{
    const struct fw_rt_scx_state *w = fw_bpf_map_array(path, sizeof *w);

    if (w == NULL || (w->state.magic == FW_RT_MAGIC && w->version == FW_RT_SCX_VERSION))
        return w;
    munmap((void *)w, sizeof *w);
    errno = ESTALE;
    return NULL;
}

const struct fw_rt_scx_state *fw_rt_scx_state_map(void)
{
    return map_state(FW_RT_SCX_STATE);
}

static bool is_alive(const struct fw_rt_scx_state *w)
{
    return __atomic_load_n(&w->state.alive, __ATOMIC_ACQUIRE) != 0;
}

fw_bpf_result fw_rt_scx_possible(char *text, size_t size)
{
    char name[100];

    if (access("/sys/kernel/sched_ext", F_OK) < 0) {
        snprintf(
            text, size,
            "this kernel has no sched_ext (Linux 6.12 and later, with CONFIG_SCHED_CLASS_EXT)");
        return FW_BPF_NOT_SUPPORTED;
    }
    if (libbpf_num_possible_cpus() > (int)FW_RT_CPUS) {
        snprintf(text, size, "this machine may have %d CPUs, and the scheduler is made for %u",
                 libbpf_num_possible_cpus(), FW_RT_CPUS);
        return FW_BPF_NOT_SUPPORTED;
    }
    if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
        return fw_bpf_no_types(text, size);
    fw_rt_scx_who_runs(name, sizeof name);
    if (strncmp(name, "furwock_rt", 10) == 0) {
        snprintf(text, size, "it runs");
        return FW_BPF_NOTHING_TO_DO;
    }
    if (name[0] != '\0') {
        snprintf(text, size, "another sched_ext scheduler runs: %s", name);
        return FW_BPF_IN_THE_WAY;
    }
    snprintf(text, size, "this kernel can have it");
    return FW_BPF_DONE;
}

fw_bpf_result fw_rt_scx_permits_possible(char *text, size_t size)
{
    snprintf(text, size, "this kernel can have permits");
    return fw_rt_scx_permits_here(text, size) != 0 ? FW_BPF_DONE : FW_BPF_NOT_SUPPORTED;
}

/* ---- A new one ---- */

static fw_bpf_result check_grants(const struct fw_rt_scx_options *options, char *text, size_t size)
{
    if (options->n >= FW_RT_SCX_GRANTS) {
        snprintf(text, size, "%u users at most", FW_RT_SCX_GRANTS - 1);
        return FW_BPF_BAD_GRANT;
    }
    for (unsigned i = 0; i < options->n; i++) {
        const struct fw_rt_scx_grant *g = &options->grants[i];

        if (g->lowest < 1 || g->lowest > g->highest || g->highest > FW_RT_SCX_PRIORITIES) {
            snprintf(text, size, "user %u: priorities are 1 to %u, and the lowest comes first",
                     (unsigned)g->uid, FW_RT_SCX_PRIORITIES);
            return FW_BPF_BAD_GRANT;
        }
        for (unsigned j = 0; j <= i; j++)
            if (g->uid == 0 || (j < i && options->grants[j].uid == g->uid)) {
                snprintf(text, size, "user %u: %s", (unsigned)g->uid,
                         g->uid == 0 ? "root has all that there is" : "two grants");
                return FW_BPF_BAD_GRANT;
            }
    }
    return FW_BPF_DONE;
}

static bool pin_for(int fs, int fd, const char *what, uint32_t uid)
{
    struct fw_bpf_pin_path path;
    char name[32];

    snprintf(name, sizeof name, "%s%u", what, (unsigned)uid);
    path = fw_bpf_pin_path(fs, name);
    return bpf_obj_pin(fd, path.text) == 0 &&
           fchownat(fs, name, uid, (gid_t)-1, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool pin(const void *what, const void *options, int fs)
{
    const struct fw_rt_scx_program *p = what;
    struct fw_bpf_pin_path path = fw_bpf_pin_path(fs, "link");

    (void)options;
    if (bpf_obj_pin(p->link_fd, path.text) != 0)
        return false;
    path = fw_bpf_pin_path(fs, "works");
    if (p->works >= 0 && bpf_obj_pin(p->works, path.text) != 0)
        return false;
    for (unsigned i = 0; i < p->grants; i++)
        if (!pin_for(fs, p->pages[i], PAGES, p->uid[i]) ||
            (p->permits[i] >= 0 && !pin_for(fs, p->permits[i], PERMITS, p->uid[i])))
            return false;
    /* The kernel ends timers whose map no process has open and no file names. */
    path = fw_bpf_pin_path(fs, "ticks");
    if (bpf_obj_pin(bpf_object__find_map_fd_by_name(p->object, "ticks"), path.text) != 0)
        return false;
    /* To map it for reading takes the right to write, which does nothing: it is frozen. */
    path = fw_bpf_pin_path(fs, "state");
    return bpf_obj_pin(p->state, path.text) == 0 && fchmodat(fs, "state", 0666, 0) == 0;
}

static fw_bpf_result load(const struct fw_bpf_pins *pins, const void *options, const char *before,
                          char *text, size_t size)
{
    struct fw_rt_scx_program program;
    fw_bpf_result result = fw_rt_scx_program_run(&program, options, text, size);

    if (result != FW_BPF_DONE)
        return result;
    result = fw_bpf_publish(pins, pin, &program, NULL, "cannot pin the scheduler", text, size);
    if (result == FW_BPF_DONE)
        snprintf(text, size, "%sstarted: it schedules all threads, and %u user%s may have tasks",
                 before, program.grants, program.grants == 1 ? "" : "s");
    fw_rt_scx_program_close(&program);
    return result;
}

/* ---- One that is there ---- */

static fw_bpf_result check(int fs, char *text, size_t size)
{
    struct fw_bpf_pin_path path = fw_bpf_pin_path(fs, "state");
    const struct fw_rt_scx_state *w = map_state(path.text);
    fw_bpf_result result = FW_BPF_DONE;

    if (w != NULL && is_alive(w)) {
        snprintf(text, size, "it runs already");
        result = FW_BPF_NOTHING_TO_DO;
    } else if (w == NULL && errno == ESTALE) {
        snprintf(text, size, "%s: another version's: stop it first", FW_RT_SCX_STATE);
        result = FW_BPF_IN_THE_WAY;
    }
    if (w != NULL)
        munmap((void *)w, sizeof *w);
    return result;
}

static fw_bpf_result clear(const struct fw_bpf_pins *pins, int fs, bool *was_live, char *text,
                           size_t size)
{
    struct fw_bpf_pin_path path = fw_bpf_pin_path(fs, "state");
    const struct fw_rt_scx_state *w = map_state(path.text);
    /* As long as it runs somebody must have this open or pinned: else the kernel drops works. */
    int works = bpf_obj_get(fw_bpf_pin_path(fs, "works").text);
    fw_bpf_result result;

    *was_live = w != NULL && is_alive(w);
    result = fw_bpf_pins_clear(pins, fs, text, size);
    for (int i = 0; w != NULL && is_alive(w) && i < END_TRIES; i++)
        fw_clock_sleep_for_(END_INTERVAL_NS);
    if (result == FW_BPF_DONE && w != NULL && is_alive(w)) {
        snprintf(text, size, "the kernel has not ended it: some process has it open");
        result = FW_BPF_FAILED;
    }
    if (w != NULL)
        munmap((void *)w, sizeof *w);
    if (works >= 0)
        close(works);
    return result;
}

/* ---- The calls ---- */

static const struct fw_bpf_loader loader = {
    .pins = {.name = "rt", .is_pin = is_pin, .main_pin = "state", .parent = -1},
    .check = check,
    .clear = clear,
    .load = load};

fw_bpf_result fw_rt_scx_start(const struct fw_rt_scx_options *options, char *text, size_t size)
{
    fw_bpf_result result = check_grants(options, text, size);

    if (result != FW_BPF_DONE)
        return result;
    result = fw_rt_scx_possible(text, size);
    if (result == FW_BPF_NOT_SUPPORTED)
        return result;
    return fw_bpf_start(&loader, options, text, size);
}

fw_bpf_result fw_rt_scx_stop(char *text, size_t size)
{
    return fw_bpf_stop(&loader, text, size);
}
