/* SPDX-License-Identifier: MIT */
/*
 * Which threads are on a CPU: the reader of the assist's page; and, where there is none, whoever
 * was last seen on the caller's CPU is not.  Contract: running.h; layout: running_page.h.
 *
 * place            page       meaning                        who leaves it, and how
 * ---------------  ---------  -----------------------------  --------------------------------------
 * none             not shown  none was found so far          who looks (one at a time): to "a page"
 * a page           shown      all read it                    who finds it stopped or dead: hides it
 * a page           not shown  late readers may read it yet   who looks: another page, or zeroes
 * zeroes           not shown  the same                       who looks: to "a page"
 *
 * The place keeps its address forever, and what it shows is replaced in one step by the kernel
 * (mremap), so readers need no care: whatever they find is a guess.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/self.h>
#include <sys_call_arch.h>
#include <sys_slice_arch.h>

#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/last_cpu.h"
#include "sys/map.h"
#include "sys/origin.h"
#include "sys/pinned_map.h"
#include "sys/running.h"
#include "sys/running_page.h"
#include "sys/thread.h"

/* At most one look for a page in this time. */
#define LOOK_NS UINT64_C(1000000000)

/*
 * This many sleeps in a row that the page has not seen show that it is dead.  One shows nothing:
 * who is woken soon enough has not left its CPU.
 */
#define UNSEEN_SLEEPS 16u

/* Where struct rseq has the number of the CPU. */
enum { RSEQ_CPU_ID = 4 };

#define STATIC_TLS __thread __attribute__((tls_model("initial-exec")))

/* All words are read and written without order: what they say is a guess. */
static uint64_t shown;          /* the page that is to be read, or 0 */
static uint64_t next_look;      /* on CLOCK_MONOTONIC */
static uint32_t somebody_looks; /* 1: nobody else may change what follows */
static uint64_t place;          /* where pages are mapped, or 0: none was so far */
static bool is_zeroed;          /* nothing is there */
static uint32_t pid_namespace;
static uint32_t unseen_sleeps;

/* The thread that called fork goes by its old id in locks: the id that it has now. */
static uint32_t forked_as, forked_is;

/* The caller's entry when it last began to ask. */
static STATIC_TLS uint64_t entry_before;

static const struct fw_assist_page *page_at(uint64_t address)
{
    return (const struct fw_assist_page *)(uintptr_t)address;
}

static void *memory_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static void in_child(void)
{
    fw_store64_relaxed(&shown, 0); /* this process has not rung */
    fw_store64_relaxed(&next_look, 0);
    fw_store32_relaxed(&somebody_looks, 0);
    fw_store32_relaxed(&pid_namespace, 0);
    fw_store32_relaxed(&forked_as, (uint32_t)fw_id_number_(fw_thread_known_()));
    fw_store32_relaxed(&forked_is, (uint32_t)fw_system_call_(SYS_gettid, 0, 0, 0, 0, 0, 0));
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(in_child);
}

/* 0: it cannot be seen. */
static uint32_t find_pid_namespace(void)
{
    if (fw_load32_relaxed(&pid_namespace) == 0)
        fw_store32_relaxed(&pid_namespace, (uint32_t)fw_pid_namespace_());
    return fw_load32_relaxed(&pid_namespace);
}

static bool is_a_page(const struct fw_assist_page *p)
{
    return p->magic == FW_ASSIST_MAGIC && p->version == FW_ASSIST_VERSION &&
           fw_load32_relaxed(&p->stopped) == 0;
}

/* 0 or an error. */
static int map_zeroes(void *at, int flags, void **zeroes)
{
    return fw_map_(at, sizeof(struct fw_assist_page), PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, zeroes);
}

/*
 * Moves what is mapped at `from` to the place, which may be read meanwhile.  Where the kernel has
 * no memory for that it may have left a hole, which is filled before others find it.
 */
static bool put_in_place(void *from)
{
    void *to = memory_at(place), *zeroes = NULL;
    int error;

    if (place == 0) {
        place = (uintptr_t)from;
        return true;
    }
    if (fw_map_move_(from, sizeof(struct fw_assist_page), to) == 0)
        return true;
    fw_unmap_(from, sizeof(struct fw_assist_page));
    error = map_zeroes(to, MAP_FIXED_NOREPLACE, &zeroes);
    if (zeroes == to)
        is_zeroed = true;
    else if (error != EEXIST)
        place = 0;
    return false;
}

static void put_zeroes_in_place(void)
{
    void *zeroes;

    if (map_zeroes(NULL, 0, &zeroes) == 0 && put_in_place(zeroes))
        is_zeroed = true;
}

/* A map has no end, or says that it is empty; where one is too small, it cannot be mapped. */
static bool is_large_enough(int fd)
{
    long end = fw_system_call_(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);

    return end <= 0 || end >= (long)sizeof(struct fw_assist_page);
}

/* Closes fd.  False: there is no page in it. */
static bool map_page(int fd)
{
    void *p = NULL;

    if (is_large_enough(fd))
        fw_map_(NULL, sizeof(struct fw_assist_page), PROT_READ, MAP_SHARED, fd, &p);
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
    if (p == NULL)
        return false;
    if (!is_a_page(p)) {
        fw_unmap_(p, sizeof(struct fw_assist_page));
        return false;
    }
    if (!put_in_place(p))
        return false;
    is_zeroed = false;
    return true;
}

static void show_page(void)
{
    find_pid_namespace();
    fw_running_ring_(page_at(place)->registration);
    fw_store32_relaxed(&unseen_sleeps, 0);
    fw_store64_release(&shown, place);
}

/*
 * Some filters of system calls kill whoever makes one that they do not know: processes under a
 * filter do without the page.  The others make no unusual call unless they may read one.
 */
static long open_page(void)
{
    if (find_pid_namespace() == 0 ||
        fw_system_call_(SYS_faccessat, AT_FDCWD, (long)(intptr_t)FW_ASSIST_PIN, R_OK | W_OK, 0, 0,
                        0) != 0 ||
        fw_system_call_(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) != 0)
        return -1;
    return fw_pinned_map_open_(FW_ASSIST_PIN);
}

/* What is in place is left where it was hidden, or where it was its page for a process before. */
static void look_for_page(int fd)
{
    if (fd >= 0 && map_page(fd))
        show_page();
    else if (place != 0 && !is_zeroed)
        put_zeroes_in_place();
}

static bool begin_to_look(void)
{
    uint32_t nobody = 0;

    return fw_cas32_acquire(&somebody_looks, &nobody, 1);
}

static void look_now(void)
{
    if (!begin_to_look())
        return;
    if (fw_load64_relaxed(&shown) == 0)
        look_for_page((int)open_page());
    fw_store32_release(&somebody_looks, 0);
}

bool fw_running_use_(int fd)
{
    while (!begin_to_look())
        ;
    fw_store64_relaxed(&shown, 0);
    look_for_page(fd);
    fw_store32_release(&somebody_looks, 0);
    return fw_load64_relaxed(&shown) != 0;
}

/* The page, or NULL.  A page that was stopped is no longer shown. */
static const struct fw_assist_page *look_at_page(void)
{
    uint64_t at = fw_load64_acquire(&shown);

    if (at == 0)
        return NULL;
    if (fw_load32_relaxed(&page_at(at)->stopped) == 0)
        return page_at(at);
    fw_store64_relaxed(&shown, 0);
    return NULL;
}

static uint64_t entry_of(const struct fw_assist_page *p, uint32_t number, uint32_t ns)
{
    return fw_load64_relaxed(&p->threads[fw_assist_index(number, ns)]);
}

static uint32_t own_number(void)
{
    uint32_t number = (uint32_t)fw_id_number_(fw_thread_self_());

    return number == fw_load32_relaxed(&forked_as) ? fw_load32_relaxed(&forked_is) : number;
}

static uint64_t own_entry(const struct fw_assist_page *p)
{
    return entry_of(p, own_number(), fw_load32_relaxed(&pid_namespace));
}

/* Looks for a page, if it is time to. */
static const struct fw_assist_page *find_page(void)
{
    uint64_t now = fw_clock_ns_();
    uint64_t due = fw_load64_relaxed(&next_look);

    if (now < due || !fw_cas64_relaxed(&next_look, &due, now + LOOK_NS))
        return NULL;
    look_now();
    return look_at_page();
}

void fw_running_begin_(void)
{
    const struct fw_assist_page *p = look_at_page();

    fw_last_cpu_join_();
    if (p == NULL)
        p = find_page();
    if (p != NULL)
        entry_before = own_entry(p);
}

static enum fw_running_ answer(uint64_t entry, uint64_t tag)
{
    if ((entry & FW_ASSIST_TAG) != tag)
        return FW_RUNNING_UNKNOWN;
    if ((entry & FW_ASSIST_STATE) == FW_ASSIST_RUNS)
        return FW_RUNNING_YES;
    return (entry & FW_ASSIST_STATE) != 0 ? FW_RUNNING_NO : FW_RUNNING_UNKNOWN;
}

static enum fw_running_ ask(uint32_t number, uint32_t ns)
{
    const struct fw_assist_page *p = look_at_page();

    return p == NULL ? FW_RUNNING_UNKNOWN
                     : answer(entry_of(p, number, ns), fw_assist_tag(number, ns));
}

enum fw_running_ fw_running_in_(uint32_t tid, uint32_t ns)
{
    if (tid == 0)
        return FW_RUNNING_UNKNOWN;
    return ask(tid, ns != 0 ? ns : fw_load32_relaxed(&pid_namespace));
}

enum fw_running_ fw_running_(uint32_t tid)
{
    bool is_renamed = tid != 0 && tid == fw_load32_relaxed(&forked_as);
    enum fw_running_ known = fw_running_in_(is_renamed ? fw_load32_relaxed(&forked_is) : tid, 0);

    if (known == FW_RUNNING_UNKNOWN && fw_last_cpu_is_mine_(tid))
        return FW_RUNNING_NO;
    return known;
}

/* Negative: it cannot be told. */
static int own_cpu(void)
{
    const char *area = fw_slice_area_();
    uint32_t cpu;

    if (area != NULL)
        return *(const volatile int *)(const volatile void *)(area + RSEQ_CPU_ID);
    return fw_system_call_(SYS_getcpu, (long)(intptr_t)&cpu, 0, 0, 0, 0, 0) == 0 ? (int)cpu : -1;
}

bool fw_cpu_is_wanted_(void)
{
    const struct fw_assist_page *p = look_at_page();
    int cpu = p != NULL ? own_cpu() : -1;

    if (cpu < 0 || cpu >= (int)FW_ASSIST_CPUS)
        return false;
    return fw_load32_relaxed(&p->cpus[cpu].runnable) > 1;
}

void fw_running_slept_(void)
{
    const struct fw_assist_page *p = look_at_page();
    uint64_t now;

    fw_last_cpu_join_();
    if (p == NULL)
        return;
    now = own_entry(p);
    if (now != entry_before) {
        if (fw_load32_relaxed(&unseen_sleeps) != 0)
            fw_store32_relaxed(&unseen_sleeps, 0);
    } else if (__atomic_add_fetch(&unseen_sleeps, 1, __ATOMIC_RELAXED) >= UNSEEN_SLEEPS) {
        fw_store64_relaxed(&shown, 0);
    }
    entry_before = now;
}
