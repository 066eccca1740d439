/* SPDX-License-Identifier: MIT */
#include "scx.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/sched/loader.h"
#include "measure/clock.h"

static const volatile struct fw_rt_scx_state *state;
static volatile char *pages;

static volatile struct fw_rt_scx_page *page_of(unsigned slot)
{
    return (volatile void *)(pages + slot * FW_RT_SCX_PAGE_SIZE);
}

static void show_tasks(void)
{
    for (unsigned i = 0; state != NULL && i < FW_RT_TASKS; i++) {
        const volatile struct fw_rt_task_record *c = &state->state.task[i];
        const volatile struct fw_rt_scx_page *page = page_of(i);

        if (c->state != FW_RT_FREE)
            printf(
                "  slot %u state %u CPU %u base %u held %llx request %u ready %u page %llx op %u "
                "unlock_call %u\n",
                i, c->state, c->cpu, c->base, (unsigned long long)c->held, c->request, c->ready,
                (unsigned long long)page->locked, page->op, page->unlock_call);
    }
}

void scx_check(bool good, const char *what, ...)
{
    va_list list;

    if (good)
        return;
    va_start(list, what);
    printf("FAILED: ");
    vprintf(what, list);
    printf("\n  events: %s\n", scx_said());
    if (state != NULL)
        printf("  alive %u, %s %s\n", (unsigned)state->state.alive, (const char *)state->reason,
               (const char *)state->details);
    va_end(list);
    show_tasks();
    fflush(stdout);
    _exit(EXIT_FAILURE);
}

static void too_late(int unused)
{
    (void)unused;
    scx_check(false, "not done in time");
}

void scx_need_vm(void)
{
    signal(SIGALRM, too_late);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (getppid() == 1 && access("/tests", R_OK) == 0)
        return;
    printf("skipped: it would take over the machine's scheduler: make test-vm-rt\n");
    exit(SCX_SKIPPED);
}

int scx_get(const char *path)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.pathname = (uint64_t)(uintptr_t)path;
    return (int)syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof attr);
}

void scx_start(void)
{
    struct fw_rt_scx_options nobody = {.n = 0};

    scx_start_for(&nobody);
}

void scx_start_for(const struct fw_rt_scx_options *options)
{
    char text[300], path[64];
    fw_bpf_result outcome = fw_rt_scx_start(options, text, sizeof text);
    int fd;

    if (outcome == FW_BPF_NOT_SUPPORTED) {
        printf("skipped: %s\n", text);
        exit(SCX_SKIPPED);
    }
    scx_check(outcome == FW_BPF_DONE, "start: %s", text);
    state = fw_rt_scx_state_map();
    scx_check(state != NULL, "no state: %s", strerror(errno));
    snprintf(path, sizeof path, FW_RT_SCX_PAGES_OF, 0u);
    fd = scx_get(path);
    scx_check(fd >= 0, "%s: %s", path, strerror(errno));
    pages = mmap(NULL, FW_RT_SCX_PAGES * FW_RT_SCX_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                 fd, 0);
    scx_check(pages != MAP_FAILED, "pages: %s", strerror(errno));
    close(fd);
}

void scx_stop(void)
{
    char text[300];

    scx_check(state->state.alive == 1, "it has ended by itself");
    scx_check(state->counts.not_queued == 0, "%u decisions for tasks that could not be run",
              (unsigned)state->counts.not_queued);
    scx_check(fw_rt_scx_stop(text, sizeof text) == FW_BPF_DONE, "stop: %s", text);
    scx_check(state->state.alive == 0, "it is alive after its end");
}

bool scx_is_clear(void)
{
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        if (state->state.task[i].state != FW_RT_FREE)
            return false;
    return true;
}

void scx_check_no_leave(void)
{
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        scx_check(!(page_of(i)->locked & FW_RT_CAN_LOCK), "leave to lock after the end");
}

void scx_write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t size = (ssize_t)strlen(text);

    scx_check(fd >= 0 && write(fd, text, (size_t)size) == size, "%s: %s", path, strerror(errno));
    close(fd);
}

void scx_throw_out(void)
{
    scx_write_file("/proc/sysrq-trigger", "S");
    SCX_UNTIL(state->state.alive == 0);
    scx_check(state->reason[0] != '\0', "no reason is told");
}

const volatile struct fw_rt_scx_state *scx_state(void)
{
    return state;
}

/* ---- Asking ---- */

unsigned scx_ask(struct scx_task *t, enum fw_rt_scx_op op, unsigned d)
{
    t->page->desc = d;
    __atomic_store_n(&t->page->op, op, __ATOMIC_RELEASE);
    t->asked++;
    do {
        if (t->page->away)
            scx_sleep_ms(1);
        sched_yield();
        scx_check(state->state.alive || op == FW_RT_SCX_LEAVE, "the scheduler has ended");
    } while (__atomic_load_n(&t->page->op, __ATOMIC_ACQUIRE) != FW_RT_SCX_NOTHING);
    return t->page->result;
}

static void name_page(struct scx_task *t, const char *name)
{
    for (unsigned i = 0; i < FW_RT_NAME; i++)
        t->page->name[i] = 0;
    for (unsigned i = 0; i < FW_RT_NAME - 1 && name[i] != '\0'; i++)
        t->page->name[i] = name[i];
}

/* Other threads look for a page, too.  One that died may have left its number. */
static bool claim(volatile struct fw_rt_scx_page *page)
{
    uint32_t tid = page->tid;

    if (tid != 0 && (kill((pid_t)tid, 0) == 0 || errno != ESRCH))
        return false;
    return __atomic_compare_exchange_n(&page->tid, &tid, (uint32_t)gettid(), false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void scx_join(struct scx_task *t, uint64_t key, const char *name, unsigned cpu, unsigned base)
{
    unsigned result = EBUSY;

    scx_pin(0, cpu);
    t->shared = (volatile void *)page_of(FW_RT_SCX_SHARED);
    t->asked = 0;
    for (t->slot = 0; t->slot < FW_RT_TASKS && result == EBUSY; t->slot++) {
        t->page = page_of(t->slot);
        if (state->state.task[t->slot].state != FW_RT_FREE || !claim(t->page))
            continue;
        t->page->cpu = cpu;
        t->page->base = base;
        t->page->group = key;
        name_page(t, name);
        result = scx_ask(t, FW_RT_SCX_JOIN, 0);
        t->asked = 0;
        if (result == 0)
            return;
        t->page->tid = 0;
    }
    scx_check(false, "join: %s", strerror((int)result));
}

void scx_leave(struct scx_task *t)
{
    unsigned result = scx_ask(t, FW_RT_SCX_LEAVE, 0);

    scx_check(result == 0, "leave: %s", strerror((int)result));
    t->page->tid = 0;
}

unsigned scx_open(struct scx_task *t, const char *name, enum fw_rt_kind kind, unsigned ceiling,
                  unsigned *d)
{
    unsigned result;

    name_page(t, name);
    t->page->kind = kind;
    t->page->protocol = kind;
    t->page->ceiling = ceiling;
    result = scx_ask(t, FW_RT_SCX_OPEN, 0);
    *d = t->page->desc;
    return result;
}

/* ---- Locks ---- */

static uint64_t bit(unsigned n)
{
    return 1ull << n;
}

static bool is_queue(enum fw_rt_kind kind)
{
    return kind == FW_RT_KIND_MPCP || kind == FW_RT_KIND_FMLP;
}

bool scx_take(struct scx_task *t, unsigned d)
{
    uint64_t locked = __atomic_load_n(&t->page->locked, __ATOMIC_RELAXED);

    while (locked & FW_RT_CAN_LOCK)
        if (__atomic_compare_exchange_n(&t->page->locked, &locked, locked | bit(d), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return true;
    return false;
}

unsigned scx_lock(struct scx_task *t, enum fw_rt_kind kind, unsigned d)
{
    if (is_queue(kind)) {
        __atomic_fetch_or(&t->page->locked, bit(d), __ATOMIC_SEQ_CST);
        if (__atomic_fetch_or(&t->shared->queue[d], bit(t->slot), __ATOMIC_SEQ_CST) == 0)
            return 0;
    } else if (scx_take(t, d)) {
        return 0;
    }
    return scx_ask(t, FW_RT_SCX_LOCK, d);
}

void scx_unlock(struct scx_task *t, enum fw_rt_kind kind, unsigned d)
{
    if (is_queue(kind)) {
        uint64_t before = __atomic_fetch_and(&t->shared->queue[d], ~bit(t->slot), __ATOMIC_SEQ_CST);

        if (before != bit(t->slot)) {
            scx_ask(t, FW_RT_SCX_UNLOCK, d);
            return;
        }
    }
    __atomic_fetch_and(&t->page->locked, ~bit(d), __ATOMIC_SEQ_CST);
    t->page->unlocked = 1;
    if (t->page->unlock_call)
        scx_ask(t, FW_RT_SCX_UNLOCK, d);
}

/* ---- Threads and processes ---- */

pthread_t scx_thread(void *(*run)(void *), uintptr_t argument)
{
    pthread_t thread;

    scx_check(pthread_create(&thread, NULL, run, (void *)argument) == 0, "no thread");
    return thread;
}

void *scx_shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    scx_check(memory != MAP_FAILED, "no memory");
    return memory;
}

void scx_pin(pid_t thread, unsigned cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    scx_check(sched_setaffinity(thread, sizeof set, &set) == 0, "CPU %u: %s", cpu, strerror(errno));
}

void scx_become_urgent(void)
{
    struct sched_param urgent = {.sched_priority = 10};

    scx_check(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &urgent) == 0, "FIFO: %s",
              strerror(errno));
}

void scx_finish(pid_t child)
{
    int status;

    scx_check(waitpid(child, &status, 0) == child, "waitpid: %s", strerror(errno));
    scx_check(status == 0, "a child: status %x", (unsigned)status);
}

void scx_kill(pid_t child)
{
    kill(child, SIGKILL);
    scx_check(waitpid(child, NULL, 0) == child, "waitpid: %s", strerror(errno));
}

/* ---- Time, flags and events ---- */

void scx_set(uint32_t *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
}

bool scx_is_set(const uint32_t *flag)
{
    return __atomic_load_n(flag, __ATOMIC_SEQ_CST) != 0;
}

void scx_await(const uint32_t *flag, const char *what)
{
    for (unsigned i = 0; !scx_is_set(flag); i++) {
        scx_check(i < 10000, "without success: %s", what);
        scx_sleep_ms(1);
    }
}

void scx_sleep_ms(unsigned ms)
{
    clock_sleep_ns(ms * UINT64_C(1000000));
}

void scx_burn_ms(unsigned ms)
{
    uint64_t end = clock_thread_cpu_ns() + ms * 1000000ull;

    while (clock_thread_cpu_ns() < end)
        continue;
}

static char events[1000];
static unsigned count;

void scx_say(char event)
{
    events[__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST) % (sizeof events - 1)] = event;
}

const char *scx_said(void)
{
    return events;
}

void scx_forget(void)
{
    memset(events, 0, sizeof events);
    count = 0;
}

bool scx_has_said(char event)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return strchr((const char *)events, event) != NULL;
}
