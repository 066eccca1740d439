/* SPDX-License-Identifier: MIT */
#include "bpf/sched/program.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bpf/lib/log.h"
#include "bpf/lib/object.h"
#include "bpf/sched/arena.h"

/* Of the kernel's interface; newer than some systems' headers. */
enum { STRUCT_OPS_ATTACH = 44, FLAG_LINK = 1 << 13, FLAG_SLEEPABLE = 1 << 4 };

void fw_rt_scx_who_runs(char *name, size_t size)
{
    FILE *f = fopen("/sys/kernel/sched_ext/root/ops", "re");

    name[0] = '\0';
    if (f == NULL)
        return;
    if (fgets(name, (int)size, f) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(f);
}

/* ---- Loading ---- */

/* Are there to be permits?  kind 0: no, and `why`. */
struct permits {
    uint64_t at;
    uint32_t kind;
    int like; /* an arena as all are; the caller's until it is loaded */
    char why[FW_RT_SCX_REASON];
};

/* Must match `config` of the program. */
static bool configure(struct bpf_object *object, const struct permits *permits)
{
    struct btf *btf = btf__load_vmlinux_btf();
    struct {
        uint32_t has_set_slice, has_permits;
        uint64_t permit_at;
    } config = {.has_permits = permits->kind != 0, .permit_at = permits->at};

    if (btf == NULL)
        return false;
    config.has_set_slice = btf__find_by_name_kind(btf, "scx_bpf_task_set_slice", BTF_KIND_FUNC) > 0;
    btf__free(btf);
    return fw_bpf_set_constants(object, &config, sizeof config);
}

/* What the object file cannot say in a way that all versions of libbpf understand. */
static bool prepare(struct bpf_object *object, const struct permits *permits)
{
    static const char *const sleep[] = {"fw_init", "fw_exit"};
    struct bpf_map *scheduler = bpf_object__find_map_by_name(object, "fw_scheduler"),
                   *all_permits = bpf_object__find_map_by_name(object, "permits");
    bool is_set = !permits->kind || bpf_map__set_inner_map_fd(all_permits, permits->like) == 0;

    for (size_t i = 0; i < sizeof sleep / sizeof *sleep; i++) {
        struct bpf_program *program = bpf_object__find_program_by_name(object, sleep[i]);

        if (program == NULL || bpf_program__set_flags(program, FLAG_SLEEPABLE) != 0)
            return false;
    }
    return is_set && scheduler != NULL && bpf_map__set_map_flags(scheduler, FLAG_LINK) == 0 &&
           configure(object, permits);
}

/* ---- Its memory ---- */

static uint64_t boot_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void grant_all(struct fw_rt_scx_grant *g)
{
    *g = (struct fw_rt_scx_grant){.uid = 0,
                                  .lowest = 1,
                                  .highest = FW_RT_SCX_PRIORITIES,
                                  .tasks = FW_RT_TASKS,
                                  .locks = FW_RT_LOCKS};
    memset(g->cpus, 0xff, sizeof g->cpus);
}

/* Root counts as one more user, and each user's dead need a slot. */
static struct fw_rt_scx_grant with_shares(struct fw_rt_scx_grant g, unsigned users)
{
    if (g.tasks == 0)
        g.tasks = FW_RT_TASKS / (users + 1) - 1;
    g.locks = FW_RT_LOCKS / (users + 1);
    return g;
}

_Static_assert(FW_RT_TASKS / FW_RT_SCX_GRANTS > 1 && FW_RT_LOCKS / FW_RT_SCX_GRANTS > 0,
               "there is something for each");

static bool fill_state(int fd, const struct fw_rt_scx_options *options,
                       const struct permits *permits)
{
    struct fw_rt_scx_state *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (w == MAP_FAILED)
        return false;
    w->state.magic = FW_RT_MAGIC;
    w->state.format = FW_RT_FORMAT;
    w->state.tier = 2;
    w->version = FW_RT_SCX_VERSION;
    w->generation = boot_ns();
    if (permits->kind)
        w->permits = permits->at;
    memcpy(w->no_permits, permits->why, sizeof w->no_permits);
    w->grants = options->n + 1;
    grant_all(&w->grant[0]);
    for (unsigned i = 0; i < options->n; i++)
        w->grant[i + 1] = with_shares(options->grants[i], options->n);
    munmap(w, sizeof *w);
    return bpf_map_freeze(fd) == 0;
}

static bool make_pages(struct fw_rt_scx_program *p, const struct fw_rt_scx_options *options)
{
    int outer = bpf_object__find_map_fd_by_name(p->object, "pages");

    for (uint32_t i = 0; i <= options->n; i++) {
        LIBBPF_OPTS(bpf_map_create_opts, how, .map_flags = BPF_F_MMAPABLE);

        p->pages[i] = bpf_map_create(BPF_MAP_TYPE_ARRAY, "fw_rt_pages", sizeof i,
                                     FW_RT_SCX_PAGE_SIZE, FW_RT_SCX_PAGES, &how);
        if (p->pages[i] < 0)
            return false;
        p->grants = i + 1;
        p->uid[i] = i == 0 ? 0 : options->grants[i - 1].uid;
        if (bpf_map_update_elem(outer, &i, &p->pages[i], BPF_ANY) != 0)
            return false;
    }
    return true;
}

static bool make_permits(struct fw_rt_scx_program *p, const struct permits *permits)
{
    int outer = bpf_object__find_map_fd_by_name(p->object, "permits");

    if (!permits->kind)
        return true;
    p->works = bpf_object__find_map_fd_by_name(p->object, "permit_works");
    for (uint32_t i = 0; i < p->grants; i++) {
        p->permits[i] = fw_rt_scx_arena_new(permits->at);
        if (p->permits[i] < 0 || bpf_map_update_elem(outer, &i, &p->permits[i], BPF_ANY) != 0)
            return false;
    }
    return true;
}

/* ---- Running ---- */

static fw_bpf_result refused(int error, char *text, size_t size)
{
    char name[100];

    fw_rt_scx_who_runs(name, sizeof name);
    if (error != EBUSY)
        return fw_bpf_log_failed("the kernel does not take the scheduler", error, text, size);
    snprintf(text, size, "another sched_ext scheduler runs%s%s: end it first", *name ? ": " : "",
             name);
    return FW_BPF_IN_THE_WAY;
}

/* libbpf before 1.2 only puts the scheduler into its map. */
static fw_bpf_result attach(struct fw_rt_scx_program *p, char *text, size_t size)
{
    struct bpf_map *map = bpf_object__find_map_by_name(p->object, "fw_scheduler");

    errno = 0;
    p->link = bpf_map__attach_struct_ops(map);
    if (p->link == NULL)
        return refused(errno, text, size);
    if (libbpf_major_version() > 1 || libbpf_minor_version() >= 2) {
        p->link_fd = bpf_link__fd(p->link);
        return FW_BPF_DONE;
    }
    bpf_link__disconnect(p->link);
    p->link_fd =
        bpf_link_create(bpf_map__fd(map), 0, (enum bpf_attach_type)STRUCT_OPS_ATTACH, NULL);
    return p->link_fd < 0 ? refused(errno, text, size) : FW_BPF_DONE;
}

/* Does the kernel know that flag of a scheduler?  What has it has all names of kernel.h, too. */
static bool has_flag(const struct btf *btf, const char *name)
{
    int id = btf__find_by_name_kind(btf, "scx_ops_flags", BTF_KIND_ENUM64);
    const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

    for (uint16_t i = 0; type != NULL && i < btf_vlen(type); i++)
        if (strcmp(btf__name_by_offset(btf, btf_enum64(type)[i].name_off), name) == 0)
            return true;
    return false;
}

/* Which object is for this kernel. */
static unsigned kind_of(const struct permits *permits)
{
    struct btf *btf = permits->kind ? NULL : btf__load_vmlinux_btf();
    unsigned kind = permits->kind;

    if (btf != NULL && !has_flag(btf, "SCX_OPS_ENQ_MIGRATION_DISABLED"))
        kind = FW_RT_SCX_OLDER;
    btf__free(btf);
    return kind;
}

static fw_bpf_result load(struct fw_rt_scx_program *p, const struct permits *permits, char *text,
                          size_t size)
{
    LIBBPF_OPTS(bpf_object_open_opts, how, .object_name = "furwock_rt");
    const unsigned char *object;
    size_t size_of_object;

    errno = 0;
    object = fw_rt_scx_object(kind_of(permits), &size_of_object);
    p->object = bpf_object__open_mem(object, size_of_object, &how);
    if (p->object == NULL)
        return fw_bpf_log_failed("cannot read the scheduler", errno, text, size);
    if (!prepare(p->object, permits))
        return fw_bpf_log_failed("the scheduler is not what it should be", EINVAL, text, size);

    int error = -bpf_object__load(p->object);
    if (error != 0)
        return fw_bpf_log_failed("the kernel does not take the scheduler", error, text, size);
    return FW_BPF_DONE;
}

/* Where the kernel does not take it with permits, it may do so without. */
static fw_bpf_result load_best(struct fw_rt_scx_program *p, struct permits *permits, char *text,
                               size_t size)
{
    fw_bpf_result result;

    permits->kind = fw_rt_scx_permits_here(permits->why, sizeof permits->why);
    if (permits->kind) {
        permits->like = fw_rt_scx_arena_new(permits->at);
        result = load(p, permits, text, size);
        close(permits->like);
    } else {
        result = load(p, permits, text, size);
    }
    if (result == FW_BPF_DONE || permits->kind == 0)
        return result;
    snprintf(permits->why, sizeof permits->why, "%.*s", (int)sizeof permits->why - 1, text);
    permits->kind = 0;
    bpf_object__close(p->object);
    fw_bpf_log_forget();
    return load(p, permits, text, size);
}

static fw_bpf_result run(struct fw_rt_scx_program *p, const struct fw_rt_scx_options *options,
                         char *text, size_t size)
{
    struct permits permits = {.at = fw_rt_scx_permits_address(boot_ns())};
    fw_bpf_result result = load_best(p, &permits, text, size);

    if (result != FW_BPF_DONE)
        return result;
    p->state = bpf_object__find_map_fd_by_name(p->object, "state");
    if (!fill_state(p->state, options, &permits))
        return fw_bpf_log_failed("cannot fill in the scheduler's memory", errno, text, size);
    if (!make_pages(p, options))
        return fw_bpf_log_failed("cannot make the tasks' pages", errno, text, size);
    if (!make_permits(p, &permits))
        return fw_bpf_log_failed("cannot make the tasks' permits", errno, text, size);
    return attach(p, text, size);
}

fw_bpf_result fw_rt_scx_program_run(struct fw_rt_scx_program *p,
                                    const struct fw_rt_scx_options *options, char *text,
                                    size_t size)
{
    libbpf_print_fn_t previous = fw_bpf_log_begin();
    fw_bpf_result result;

    *p = (struct fw_rt_scx_program){.link_fd = -1, .state = -1, .works = -1};
    memset(p->permits, -1, sizeof p->permits);
    result = run(p, options, text, size);
    if (result != FW_BPF_DONE)
        fw_rt_scx_program_close(p);
    fw_bpf_log_end(previous);
    return result;
}

void fw_rt_scx_program_close(struct fw_rt_scx_program *p)
{
    bool is_own = p->link != NULL && bpf_link__fd(p->link) != p->link_fd;

    if (is_own && p->link_fd >= 0)
        close(p->link_fd);
    bpf_link__destroy(p->link);
    for (unsigned i = 0; i < p->grants; i++)
        close(p->pages[i]);
    for (unsigned i = 0; i < p->grants; i++)
        if (p->permits[i] >= 0)
            close(p->permits[i]);
    bpf_object__close(p->object);
    *p = (struct fw_rt_scx_program){.link_fd = -1, .state = -1, .works = -1};
}
