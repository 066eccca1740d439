/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORD = 8, PAIR = 16, SMALL = 70, OFFSETS = 32, AROUND = 64, PAGES = 3 };

/* Memory, and what the model says is in it; before and behind it are pages that may not be used. */
struct region {
    unsigned char *memory, *model;
};

static struct region objects, operands, results;
static size_t page, size; /* of a region */

/* The operation under way. */
static struct test {
    const struct calls *calls;
    struct operation o;
    size_t at;
    struct region in, out; /* they end where their regions do, or one byte before */
    struct region other;   /* another operand */
} t;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static void *pages(size_t bytes, int access)
{
    void *memory = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        die("mmap");
    return memory;
}

static void protect(const struct region *r, int access)
{
    if (mprotect(r->memory, size, access) != 0)
        die("mprotect");
}

static struct region region_new(void)
{
    struct region r = {.memory = (unsigned char *)pages(size + 2 * page, PROT_NONE) + page,
                       .model = pages(size, PROT_READ | PROT_WRITE)};

    protect(&r, PROT_READ | PROT_WRITE);
    return r;
}

static void make_regions(void)
{
    if (page != 0)
        return;
    page = (size_t)sysconf(_SC_PAGESIZE);
    size = PAGES * page;
    objects = region_new();
    operands = region_new();
    results = region_new();
}

static void fill(struct region *r, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        r->memory[i] = r->model[i] = (unsigned char)(seed + i * 37 + (i >> 3));
}

static struct region part(const struct region *r, size_t at)
{
    return (struct region){r->memory + at, r->model + at};
}

static void copy(const struct region *to, const void *bytes, size_t n)
{
    memcpy(to->memory, bytes, n);
    memcpy(to->model, bytes, n);
}

/* --- One call -------------------------------------------------------------------------------- */

static bool explain(const char *what)
{
    const struct operation *o = &t.o;

    fprintf(stderr, "%s %s (%s) of %zu bytes at %zu, orders %x and %x, %s memory: wrong %s\n",
            o->sized != NULL ? "sized" : "general", kind_names[o->kind], modify_names[o->modify],
            o->n, t.at, (unsigned)o->order, (unsigned)o->failure,
            t.calls->is_read_only ? "read-only" : "writable", what);
    return false;
}

/* What lies around the place is as the model has it; around this one, or everywhere. */
static bool is_right(const struct region *r, size_t at, size_t n)
{
    size_t from = at < AROUND ? 0 : at - AROUND, to = at + n + AROUND;

    return memcmp(r->memory + from, r->model + from, (to < size ? to : size) - from) == 0;
}

static bool are_right_everywhere(void)
{
    if (memcmp(objects.memory, objects.model, size) == 0 &&
        memcmp(operands.memory, operands.model, size) == 0 &&
        memcmp(results.memory, results.model, size) == 0)
        return true;
    return explain("memory elsewhere, or operand");
}

static bool call(const struct region *in)
{
    const struct operation *o = &t.o;
    unsigned char *object = objects.memory + t.at;
    size_t result = (size_t)(t.out.memory - results.memory);
    bool answer = imitate(o, objects.model + t.at, in->model, t.out.model);

    if (perform(o, t.calls->abi, object, in->memory, t.out.memory) != answer)
        return explain("answer");
    if (!is_right(&objects, t.at, o->n))
        return explain("object");
    if (!is_right(&results, result, o->n))
        return explain("result");
    if (t.calls->after != NULL)
        t.calls->after(o, object, o->kind != LOAD && (o->kind != COMPARE_EXCHANGE || answer));
    return true;
}

static bool call_of(enum kind kind, const struct region *in)
{
    t.o.kind = kind;
    return call(in);
}

/* A comparison that fails, for each bit of the object or for some of them. */
static bool fail_to_compare(size_t step)
{
    unsigned char wrong[OPERATION_MAX];

    t.o.kind = COMPARE_EXCHANGE;
    for (size_t bit = 0; bit < 8 * t.o.n; bit += step) {
        memcpy(wrong, objects.model + t.at, t.o.n);
        wrong[bit / 8] ^= (unsigned char)(1 << bit % 8);
        copy(&t.out, wrong, t.o.n);
        if (!call(&t.in))
            return false;
    }
    return true;
}

/* The calls that there are for any size as well as for some. */
static bool each_general_call(void)
{
    if (!call_of(LOAD, &t.in) || !call_of(STORE, &t.in) || !call_of(EXCHANGE, &t.other) ||
        !call_of(EXCHANGE, &t.out)) /* what goes in and what comes out, in one place */
        return false;
    copy(&t.out, objects.model + t.at, t.o.n);
    return call_of(COMPARE_EXCHANGE, &t.other) && fail_to_compare(t.o.n > SMALL ? 1001 : 9);
}

/* --- Each place ------------------------------------------------------------------------------ */

static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                             __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
enum { HINTED = 2 * sizeof orders / sizeof *orders };

/* Hints of lock elision, in the upper half, are no order. */
static int order_of(size_t i)
{
    return orders[i / 2 % (HINTED / 2)] | (int)(i % 2) << 16;
}

static void begin(const struct calls *c, const struct abi_sized *sized, size_t n, size_t at)
{
    t = (struct test){.calls = c, .at = at};
    t.o = (struct operation){
        .sized = sized, .n = n, .order = order_of(at), .failure = __ATOMIC_ACQUIRE};
    t.in = part(&operands, size - n - at % 2);
    t.other = part(&operands, 0);
    t.out = part(&results, size - n - at % 2);
}

/* Where there is no plain load of a pair, it is loaded by an instruction that writes. */
#if defined __x86_64__
static bool pair_loads_write(void)
{
    return !__builtin_cpu_supports("avx");
}
#elif defined __aarch64__
static bool pair_loads_write(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_USCAT) == 0;
}
#else
static bool pair_loads_write(void)
{
    return false;
}
#endif

/* A compare-exchange inside a pair may be an instruction, which writes also when it fails. */
static bool only_read(void)
{
    bool is_in_pair = t.at % PAIR + t.o.n <= PAIR, is_in_word = t.at % WORD + t.o.n <= WORD;

    if (is_in_pair && !is_in_word && pair_loads_write())
        return true;
    for (unsigned i = 0; i < N_SIZED; i++) {
        const struct abi_sized *sized = &t.calls->abi->sized[i];

        t.o.sized = sized->size == t.o.n && t.at % t.o.n == 0 ? sized : NULL;
        if (!call_of(LOAD, &t.in))
            return false;
    }
    t.o.sized = NULL;
    return call_of(LOAD, &t.in) && (is_in_pair || fail_to_compare(t.o.n > SMALL ? 1001 : 9));
}

/* With one of the orders; where the object is well aligned, with all. */
static bool general_at(const struct calls *c, size_t n, size_t at)
{
    for (unsigned i = 0; i < (at == 0 ? HINTED : 1); i++) {
        begin(c, NULL, n, at);
        t.o.order = order_of(at + i);
        if (c->is_read_only ? !only_read() : !each_general_call())
            return false;
    }
    return true;
}

bool general_calls_are_right(const struct calls *c, size_t n)
{
    size_t offsets = n <= SMALL ? OFFSETS : 9;

    make_regions();
    fill(&objects, (unsigned)n);
    fill(&operands, (unsigned)~n);
    fill(&results, 0xee);
    protect(&objects, c->is_read_only ? PROT_READ : PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < offsets; i++)
        if (!general_at(c, n, i) || !general_at(c, n, size - n - i) ||
            !general_at(c, n, page + i - n / 2))
            return false;
    protect(&objects, PROT_READ | PROT_WRITE);
    return are_right_everywhere();
}

/* With values that carry, or not. */
static bool sized_at(const struct calls *c, const struct abi_sized *sized, size_t at)
{
    static const uint64_t values[][4] = {
        {0, 0, 1},
        {0x0123456789abcdef, 0xfedcba98, 0x2222, 0x1111},
        {0xfedcba9876543210, 1, 0x123456789abcdef1, 1},
        {1, 0, UINT64_MAX, 7},
        {UINT64_MAX, UINT64_MAX, 1},
        {UINT64_MAX, 0, 3},
    };
    static const uint64_t no_flag[2];
    struct region object = part(&objects, at);

    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        begin(c, sized, sized->size, at);
        copy(&t.in, &values[i][2], t.o.n);
        copy(&object, values[i], t.o.n);
        if (!each_general_call())
            return false;
        for (unsigned k = 0; k < 2 * N_MODIFY; k++) {
            t.o.modify = (enum modify)(k / 2);
            copy(&object, values[i], t.o.n);
            if (!call_of(k % 2 == 0 ? FETCH_MODIFY : MODIFY_FETCH, &t.in))
                return false;
        }
    }
    if (!fail_to_compare(1))
        return false;
    copy(&object, no_flag, t.o.n); /* no other values mean anything in a flag */
    return call_of(SET, &t.in) && call_of(SET, &t.in);
}

bool sized_calls_are_right(const struct calls *c, const struct abi_sized *sized)
{
    size_t step = c->misplaces ? 1 : sized->size;

    make_regions();
    fill(&objects, (unsigned)sized->size);
    fill(&operands, 0x55);
    fill(&results, 0xee);
    for (size_t at = 0; at < OFFSETS; at += step)
        if (!sized_at(c, sized, at) || !sized_at(c, sized, size - sized->size - at))
            return false;
    return are_right_everywhere();
}

bool calls_are_right(const struct calls *c)
{
    static const size_t large[] = {100, 128, 256, 265, 1000, 4096};

    for (size_t n = 0; n <= SMALL; n++)
        if (!general_calls_are_right(c, n))
            return false;
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++)
        if (!general_calls_are_right(c, large[i]))
            return false;
    for (unsigned i = 0; i < N_SIZED && !c->is_read_only; i++)
        if (!sized_calls_are_right(c, &c->abi->sized[i]))
            return false;
    return true;
}
