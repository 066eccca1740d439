/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../memory.h"
#include "report.h"

bool report_on;

static char header[64];

/*
 * A remark is made on a model thread's stack, and printed later on the engine's: printing would
 * leave other bytes there than the search had, in frames that come, and a faulty source may read
 * them.
 */
static struct {
    unsigned thread;
    const char *text;
} remarks[16];
static unsigned remark_count;

static const char *const kinds[] = {
    [OP_NONE] = "",
    [OP_LOAD] = "load",
    [OP_STORE] = "store",
    [OP_XCHG] = "exchange",
    [OP_CAS] = "compare-and-swap",
    [OP_ADD] = "fetch and add",
    [OP_OR] = "fetch and or",
    [OP_AND] = "fetch and and",
    [OP_FENCE_LOCAL] = "mfence",
    [OP_WAIT] = "futex wait",
    [OP_WAIT_ANY] = "futex waitv",
    [OP_POST] = "posts a wait",
    [OP_UNPOST] = "takes a wait back",
    [OP_WAKE] = "futex wake",
    [OP_ENTER] = "enter",
    [OP_LEAVE] = "leave",
    [OP_REQUEUE] = "futex requeue",
    [OP_CMP_REQUEUE] = "futex cmp-requeue",
    [OP_FENCE_ALL] = "membarrier",
    [OP_LOOK_OWNER] = "rseq: look",
    [OP_LOOK_WAITERS] = "rseq: look",
    [OP_COMMIT] = "rseq: store",
    [OP_CLOCK] = "clock",
    [OP_CHANCE] = "chance",
    [OP_CANCEL] = "may be cancelled",
    [OP_RUNNING] = "does it run?",
    [OP_WANTED] = "is it wanted?",
    [OP_FREE] = "free",
    [OP_LOCK_PI] = "futex lock-pi",
    [OP_UNLOCK_PI] = "futex unlock-pi",
    [OP_SLEEP] = "sleeps",
    [OP_PRIORITY] = "new priority",
    [OP_MOVE] = "moves to CPU",
    [OP_CLAIM] = "claims",
    [OP_WOKEN] = "runs on",
    [OP_ALIVE] = "is it alive?",
    [OP_PLAIN] = "plain store",
    [OP_NOTE] = "goes on",
};

static const char *describe(struct model_choice choice)
{
    static char text[32];

    switch (choice.what) {
    case CHOICE_FLUSH:
        return "";
    case CHOICE_ABORT:
        return "rseq: preempted";
    case CHOICE_SPURIOUS:
        return "spurious wake";
    case CHOICE_EINTR:
        return "EINTR";
    case CHOICE_TIME_OUT:
        return "time-out";
    case CHOICE_TICK:
        return "clock, +1 ms";
    case CHOICE_SET_BACK:
        return "realtime set back";
    case CHOICE_SET_AHEAD:
        return "realtime set ahead";
    case CHOICE_REFUSE:
        return model_threads[choice.thread].op.kind == OP_CLAIM ? "claim is aborted"
                                                                : "membarrier: EPERM";
    case CHOICE_FAULT:
        return "futex wait: EFAULT";
    case CHOICE_SIGNAL:
        return "signal handler";
    case CHOICE_CANCEL:
        return "cancelled";
    case CHOICE_RECHECK:
        return "re-check is due";
    case CHOICE_TURN:
        return "its turn comes";
    case CHOICE_KILL:
        return "killed";
    case CHOICE_MARK:
        return "kernel marks";
    case CHOICE_COMES:
        return "gets a CPU";
    case CHOICE_GOES:
        return "loses its CPU";
    case CHOICE_SAYS_YES:
    case CHOICE_SAYS_NO:
        return kinds[model_threads[choice.thread].op.kind];
    case CHOICE_YES:
        return "chance: yes";
    case CHOICE_DO:
        return kinds[model_threads[choice.thread].op.kind];
    default:
        if (perform_is_miss(choice))
            snprintf(text, sizeof text, "membarrier misses %c", 'A' + choice.what - CHOICE_MISS);
        else
            snprintf(text, sizeof text, "membarrier hits %c", 'A' + choice.what - CHOICE_INTERRUPT);
        return text;
    }
}

void report_begin(void)
{
    if (report_on)
        printf("%5s  %-6s  %-18s  %-12s  %s\n", "step", "thread", "operation", "location", "value");
}

static void line(const char *where, const char *value)
{
    if (!report_on)
        return;
    if (header[0] == '\0')
        snprintf(header, sizeof header, "%5s  %-6s  %-18s", "", "", "");
    printf("%s  %-12s  %s\n", header, where, value);
    header[0] = '\0';
}

static void remark(unsigned thread, const char *text)
{
    char all[96];

    if (!report_on)
        return;
    snprintf(all, sizeof all, "%c %s", 'A' + thread, text);
    line("", all);
}

static void print_remarks(void)
{
    for (unsigned i = 0; i < remark_count; i++)
        remark(remarks[i].thread, remarks[i].text);
    remark_count = 0;
}

void report_step(unsigned step, struct model_choice choice)
{
    print_remarks();
    snprintf(header, sizeof header, "%5u  %-6c  %-18s", step, 'A' + choice.thread,
             describe(choice));
}

void report_end_step(void)
{
    print_remarks();
    if (header[0] != '\0')
        line("", "");
}

static void location_of(uint64_t addr, uint64_t size, char *text, size_t text_size)
{
    const struct model_object *o = model_object_at(addr, size);
    unsigned offset, thread;

    if (o == NULL && memory_stack_of(addr, &thread)) {
        offset = (unsigned)((uint64_t)(uintptr_t)model_stacks[thread + 1] - addr);
        snprintf(text, text_size, "%c's stack -%u", 'A' + thread, offset);
        return;
    }
    if (o == NULL) {
        snprintf(text, text_size, "0x%" PRIx64, addr);
        return;
    }
    offset = (unsigned)(addr - (uint64_t)(uintptr_t)model_memory) - o->offset;
    for (const struct model_part *p = o->parts; p != NULL && p->name != NULL; p++)
        if (p->offset == offset && p->size == size) {
            snprintf(text, text_size, "%s.%s", o->name, p->name);
            return;
        }
    if (offset == 0)
        snprintf(text, text_size, "%s", o->name);
    else
        snprintf(text, text_size, "%s+%u", o->name, offset);
}

static void value_of(uint64_t addr, uint64_t size, uint64_t value, char *text, size_t text_size)
{
    const struct model_object *o = model_object_at(addr, size);

    if (o != NULL && o->decode != NULL)
        o->decode(value, (unsigned)(addr - (uint64_t)(uintptr_t)model_memory) - o->offset,
                  (unsigned)size, text, text_size);
    else
        snprintf(text, text_size, "%" PRIu64, value);
}

void report_value(uint64_t addr, uint64_t size, uint64_t value)
{
    char where[32], text[128];

    if (!report_on)
        return;
    location_of(addr, size, where, sizeof where);
    value_of(addr, size, value, text, sizeof text);
    line(where, text);
}

void report_buffered(uint64_t addr, uint64_t size, uint64_t value)
{
    char where[32], text[128], all[160];

    if (!report_on)
        return;
    location_of(addr, size, where, sizeof where);
    value_of(addr, size, value, text, sizeof text);
    snprintf(all, sizeof all, "%s (in the store buffer)", text);
    line(where, all);
}

static void change(uint64_t addr, uint64_t size, uint64_t value, const char *how)
{
    char where[32], before[128], after[128], text[320];
    uint64_t old = 0;

    memcpy(&old, (const void *)(uintptr_t)addr, size);
    location_of(addr, size, where, sizeof where);
    value_of(addr, size, old, before, sizeof before);
    value_of(addr, size, value, after, sizeof after);
    snprintf(text, sizeof text, "%s -> %s%s", before, after, how);
    line(where, text);
}

void report_change(uint64_t addr, uint64_t size, uint64_t value)
{
    if (report_on)
        change(addr, size, value, "");
}

void report_arrival(unsigned thread, uint64_t addr, uint64_t size, uint64_t value)
{
    char how[40];

    if (!report_on)
        return;
    snprintf(how, sizeof how, " (a store of %c arrives)", 'A' + thread);
    change(addr, size, value, how);
}

void report_plain(uint64_t addr, uint64_t size)
{
    char where[32];

    if (!report_on)
        return;
    location_of(addr, size, where, sizeof where);
    line(where, "");
}

void report_result(const char *text)
{
    line("", text);
}

void report_woken(unsigned thread)
{
    remark(thread, "is woken");
}

void report_moved(unsigned thread)
{
    remark(thread, "is moved to the other queue");
}

void report_aborted(unsigned thread)
{
    remark(thread, "is thrown out of its plain release");
}

void report_remark(unsigned thread, const char *text)
{
    if (report_on && remark_count < sizeof remarks / sizeof *remarks) {
        remarks[remark_count].thread = thread;
        remarks[remark_count++].text = text;
    }
}

static void print_part(const struct model_object *o, unsigned offset, unsigned size)
{
    const uint8_t *at = model_memory + o->offset + offset;
    char name[32], text[128];
    uint64_t value = 0;

    memcpy(&value, at, size);
    if (value == 0)
        return;
    location_of((uint64_t)(uintptr_t)at, size, name, sizeof name);
    value_of((uint64_t)(uintptr_t)at, size, value, text, sizeof text);
    printf("  %s: %s\n", name, text);
}

void report_memory(void)
{
    for (unsigned i = 0; i < model_object_count; i++) {
        const struct model_object *o = &model_objects[i];
        if ((model_shared.dead >> i & 1) != 0)
            continue;
        if (o->parts == NULL && o->size <= sizeof(uint64_t))
            print_part(o, 0, o->size);
        for (const struct model_part *p = o->parts; p != NULL && p->name != NULL; p++)
            print_part(o, p->offset, p->size);
    }
}

void report_failure(const struct model_failure *f)
{
    printf("%s: ", f->kind);
    printf(f->text, (unsigned long long)f->a, (unsigned long long)f->b);
    printf("\n");
}
