/* SPDX-License-Identifier: MIT */
#include "bpf/waits/program.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/lib/log.h"
#include "bpf/lib/object.h"
#include "sys/probe.h"

extern const unsigned char fw_waits_object[], fw_waits_object_end[];

/* The number of the first pid namespace, in which the program in the kernel sees all. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

static const char *const programs[] = {"fw_waits_switch", "fw_waits_waking"};
static const char *const events[] = {"btf_trace_sched_switch", "btf_trace_sched_waking"};

/* Programs may well send faster than they are read: of what is left then, the buffer loses some. */
enum { EVENTS_AT_ONCE = 2000 };

enum { PROGRAMS = sizeof programs / sizeof *programs };

struct table {
    const char *name;
    size_t size;
};

enum { LOCKS, SLOTS, SETS, OBSERVED, CONTROL, TABLES };

static const struct table tables[TABLES] = {
    [LOCKS] = {"locks", FW_WAITS_LOCKS * sizeof(struct fw_waits_lock)},
    [SLOTS] = {"slots", FW_WAITS_SLOTS * sizeof(struct fw_waits_slot)},
    [SETS] = {"sets", FW_WAITS_SETS * sizeof(struct fw_waits_set)},
    [OBSERVED] = {"observed", (1u << FW_WAITS_PID_BITS) / 8},
    [CONTROL] = {"control", sizeof(struct fw_waits_control)},
};

_Static_assert(sizeof(struct fw_waits_slot) == 64 && sizeof(struct fw_waits_lock) % 8 == 0,
               "entries of an array follow each other without a gap");

struct fw_waits {
    struct bpf_object *object;
    struct bpf_link *links[PROGRAMS], *present;
    struct ring_buffer *ring;
    void *tables[TABLES];
    fw_waits_take *take;
    unsigned taken;
    void *context;
};

bool fw_waits_built_in(void)
{
    return true;
}

/* ---- Loading ---- */

static bool may_load(void)
{
    return fw_probe_capability_(CAP_SYS_ADMIN) ||
           (fw_probe_capability_(CAP_BPF) && fw_probe_capability_(CAP_PERFMON));
}

static fw_bpf_result look_at_system(char *text, size_t size)
{
    struct btf *btf;
    struct stat ns;
    const char *lacks = NULL;

    if (!may_load()) {
        snprintf(text, size,
                 "needs root, or CAP_BPF and CAP_PERFMON (and CAP_SYS_PTRACE to read "
                 "other users' programs)");
        return FW_BPF_NOT_PERMITTED;
    }
    if (stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != FIRST_PID_NAMESPACE) {
        snprintf(text, size,
                 "works outside of containers only (in the first pid namespace); it "
                 "sees the programs in them from there");
        return FW_BPF_NOT_SUPPORTED;
    }
    btf = btf__load_vmlinux_btf();
    if (btf == NULL)
        return fw_bpf_no_types(text, size);
    for (int i = 0; i < PROGRAMS; i++)
        if (btf__find_by_name_kind(btf, events[i], BTF_KIND_TYPEDEF) < 0)
            lacks = events[i] + strlen("btf_trace_");
    btf__free(btf);
    if (lacks == NULL)
        return FW_BPF_DONE;
    snprintf(text, size, "this kernel has no event %s", lacks);
    return FW_BPF_NOT_SUPPORTED;
}

static int take_event(void *context, void *data, size_t size)
{
    struct fw_waits *w = context;

    (void)size;
    w->take(w->context, data);
    return ++w->taken < EVENTS_AT_ONCE ? 0 : -EAGAIN;
}

static size_t pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

static bool map_tables(struct fw_waits *w)
{
    for (int i = 0; i < TABLES; i++) {
        void *memory = mmap(NULL, pages(tables[i].size), PROT_READ | PROT_WRITE, MAP_SHARED,
                            bpf_object__find_map_fd_by_name(w->object, tables[i].name), 0);
        if (memory == MAP_FAILED)
            return false;
        w->tables[i] = memory;
    }
    w->ring =
        ring_buffer__new(bpf_object__find_map_fd_by_name(w->object, "events"), take_event, w, NULL);
    return w->ring != NULL;
}

static fw_bpf_result load(struct fw_waits *w, bool all, char *text, size_t size)
{
    LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "furwock_waits");
    int error;

    errno = 0;
    w->object = bpf_object__open_mem(fw_waits_object,
                                     (size_t)(fw_waits_object_end - fw_waits_object), &options);
    if (w->object == NULL)
        return fw_bpf_log_failed("cannot read the program", errno, text, size);
    if (!fw_bpf_set_constants(w->object, &all, sizeof all))
        return fw_bpf_log_failed("the program is not what it should be", EINVAL, text, size);
    error = -bpf_object__load(w->object);
    if (error != 0)
        return fw_bpf_log_failed("the kernel does not take the program", error, text, size);
    if (!map_tables(w))
        return fw_bpf_log_failed("cannot map the tables", errno, text, size);
    return FW_BPF_DONE;
}

fw_bpf_result fw_waits_open(struct fw_waits **waits, bool all, char *text, size_t size)
{
    libbpf_print_fn_t previous;
    fw_bpf_result result = look_at_system(text, size);

    *waits = NULL;
    if (result != FW_BPF_DONE)
        return result;
    *waits = calloc(1, sizeof **waits);
    if (*waits == NULL)
        return fw_bpf_failed("cannot load the program", text, size);
    previous = fw_bpf_log_begin();
    result = load(*waits, all, text, size);
    fw_bpf_log_end(previous);
    if (result != FW_BPF_DONE) {
        fw_waits_close(*waits);
        *waits = NULL;
    }
    return result;
}

static fw_bpf_result attach(struct fw_waits *w, char *text, size_t size)
{
    for (int i = 0; i < PROGRAMS; i++) {
        w->links[i] = bpf_program__attach(bpf_object__find_program_by_name(w->object, programs[i]));
        if (w->links[i] == NULL)
            return fw_bpf_log_failed("cannot attach the program", errno, text, size);
    }
    w->present = bpf_program__attach(bpf_object__find_program_by_name(w->object, "fw_waits_find"));
    return w->present != NULL ? FW_BPF_DONE
                              : fw_bpf_log_failed("cannot attach the iterator", errno, text, size);
}

fw_bpf_result fw_waits_attach(struct fw_waits *w, char *text, size_t size)
{
    libbpf_print_fn_t previous = fw_bpf_log_begin();
    fw_bpf_result result = attach(w, text, size);

    fw_bpf_log_end(previous);
    return result;
}

int fw_waits_find_present(struct fw_waits *w)
{
    char nothing[64];
    int fd = bpf_iter_create(bpf_link__fd(w->present)), error = 0;

    if (fd < 0)
        return errno;
    while (error == 0) {
        ssize_t got = read(fd, nothing, sizeof nothing);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            error = errno;
    }
    close(fd);
    return error;
}

fw_bpf_result fw_waits_possible(char *text, size_t size)
{
    struct fw_waits *w;
    fw_bpf_result result = fw_waits_open(&w, false, text, size);

    if (result == FW_BPF_DONE) {
        result = fw_waits_attach(w, text, size);
        fw_waits_close(w);
    }
    return result;
}

void fw_waits_detach(struct fw_waits *w)
{
    for (int i = 0; i < PROGRAMS; i++) {
        bpf_link__destroy(w->links[i]);
        w->links[i] = NULL;
    }
}

void fw_waits_close(struct fw_waits *w)
{
    if (w == NULL)
        return;
    fw_waits_detach(w);
    bpf_link__destroy(w->present);
    ring_buffer__free(w->ring);
    for (int i = 0; i < TABLES; i++)
        if (w->tables[i] != NULL)
            munmap(w->tables[i], pages(tables[i].size));
    bpf_object__close(w->object);
    free(w);
}

/* ---- Which processes ---- */

static uint64_t *word_of(const struct fw_waits *w, pid_t pid)
{
    return &((uint64_t *)
                 w->tables[OBSERVED])[((uint32_t)pid >> 6) & ((1u << FW_WAITS_PID_BITS) / 64 - 1)];
}

void fw_waits_observe(struct fw_waits *w, pid_t pid, bool is_observed)
{
    uint64_t bit = UINT64_C(1) << (pid & 63), *word = word_of(w, pid);

    if (is_observed)
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
}

bool fw_waits_is_observed(const struct fw_waits *w, pid_t pid)
{
    return *word_of(w, pid) >> (pid & 63) & 1;
}

/* Its threads are no more: nobody writes to these entries now. */
void fw_waits_forget(struct fw_waits *w, pid_t pid)
{
    struct fw_waits_lock *locks = w->tables[LOCKS];
    struct fw_waits_slot *slots = w->tables[SLOTS];
    uint64_t *keys = w->tables[SETS];

    for (unsigned i = 0; i < FW_WAITS_SLOTS; i++)
        if (slots[i].tgid == (uint32_t)pid)
            memset(&slots[i], 0, sizeof slots[i]);
    for (unsigned i = 0; i < FW_WAITS_LOCKS; i++)
        if (locks[i].tgid == (uint32_t)pid) {
            memset(&locks[i], 0, sizeof locks[i]);
            __atomic_store_n(&keys[i], 0, __ATOMIC_RELEASE);
        }
}

/* ---- What it has found ---- */

void fw_waits_set_interval(struct fw_waits *w, uint32_t ns)
{
    __atomic_store_n(&((struct fw_waits_control *)w->tables[CONTROL])->interval, ns,
                     __ATOMIC_RELAXED);
}

unsigned fw_waits_read(struct fw_waits *w, fw_waits_take *take, void *context)
{
    w->take = take;
    w->context = context;
    w->taken = 0;
    ring_buffer__consume(w->ring);
    return w->taken;
}

struct fw_waits_lock *fw_waits_locks(struct fw_waits *w)
{
    return w->tables[LOCKS];
}

const struct fw_waits_slot *fw_waits_slots(struct fw_waits *w)
{
    return w->tables[SLOTS];
}

const struct fw_waits_control *fw_waits_control(struct fw_waits *w)
{
    return w->tables[CONTROL];
}

void fw_waits_cost(struct fw_waits *w, uint64_t *ns, uint64_t *runs)
{
    *ns = *runs = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        struct bpf_prog_info info = {.id = 0};
        uint32_t size = sizeof info;
        int fd = bpf_program__fd(bpf_object__find_program_by_name(w->object, programs[i]));

        if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0) {
            *ns += info.run_time_ns;
            *runs += info.run_cnt;
        }
    }
}
