/* SPDX-License-Identifier: MIT */
/*
 * usage: stepped [--control]
 *
 * The CPU stops after each instruction of an operation (x86-64 has a flag for that), and one
 * of these times a signal handler uses the same object.  Every point at which a thread could be
 * interrupted is tried, and none may show a torn value.  Two promises are kept by the way:
 *   - a handler may use an object that is lock-free, whatever it interrupts;
 *   - a load takes no lock while nobody writes, however large the object: else the store in the
 *     handler would wait for it forever.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "operation.h"

enum { LARGEST = 128, TRAP_FLAG = 0x100, PATIENCE_S = 100 };

/*
 * The operation stores MINE (if it stores anything; it expects OLD), the handler loads, and then
 * stores THEIRS.  All bytes of a value are alike, so that a mixture shows.
 */
enum { OLD = 0x11, MINE = 0x22, THEIRS = 0x33, TORN = 0 };

static struct {
    const struct abi *abi;
    size_t n;
    unsigned char memory[LARGEST + 64] __attribute__((aligned(64)));
    unsigned char *object;
    bool is_under_way; /* from the first breakpoint to the second */
    unsigned steps, stop_at;
    unsigned char they_saw;
    bool has_stopped;
} stepping;

static unsigned char whole(const unsigned char *bytes, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (bytes[i] != bytes[0])
            return TORN;
    return bytes[0];
}

/* Does one of the two orders explain what `mine` answered and saw, and what is there in the end? */
static bool is_explained(enum kind mine, bool answer, unsigned char saw, unsigned char end)
{
    switch (mine) {
    case LOAD:
        return end == THEIRS && (saw == OLD || saw == THEIRS);
    case EXCHANGE:
        return (end == THEIRS && saw == OLD) || (end == MINE && saw == THEIRS);
    case COMPARE_EXCHANGE:
        return end == THEIRS && saw == (answer ? OLD : THEIRS);
    default:
        return end == THEIRS || end == MINE;
    }
}

static void intervene(void)
{
    unsigned char seen[LARGEST], value[LARGEST];

    memset(value, THEIRS, stepping.n);
    linked_abi.load(stepping.n, stepping.object, seen, __ATOMIC_SEQ_CST);
    linked_abi.store(stepping.n, stepping.object, value, __ATOMIC_SEQ_CST);
    stepping.they_saw = whole(seen, stepping.n);
    stepping.has_stopped = true;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

    (void)signal;
    if (info->si_code == TRAP_TRACE && ++stepping.steps == stepping.stop_at)
        intervene();
    if (stepping.is_under_way && !stepping.has_stopped)
        *flags |= TRAP_FLAG;
    else
        *flags &= ~(greg_t)TRAP_FLAG;
}

static void breakpoint(bool is_under_way)
{
    stepping.is_under_way = is_under_way;
    __asm__ __volatile__("int3" ::: "memory");
}

static void on_alarm(int signal)
{
    static const char text[] = "the handler waits for what it has interrupted\n";

    (void)signal;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

static bool step_once(enum kind mine, const struct abi_sized *sized)
{
    struct operation o = {.kind = mine,
                          .sized = sized,
                          .n = stepping.n,
                          .order = __ATOMIC_SEQ_CST,
                          .failure = __ATOMIC_SEQ_CST};
    unsigned char in[LARGEST], out[LARGEST];
    bool answer;

    memset(stepping.object, OLD, stepping.n);
    memset(in, MINE, stepping.n);
    memset(out, OLD, stepping.n);
    stepping.steps = 0;
    stepping.has_stopped = false;
    breakpoint(true);
    answer = perform(&o, stepping.abi, stepping.object, in, out);
    breakpoint(false);
    if (!stepping.has_stopped)
        return true;
    return (stepping.they_saw == OLD || (stepping.they_saw == MINE && mine != LOAD)) &&
           is_explained(mine, answer, whole(out, stepping.n), whole(stepping.object, stepping.n));
}

/* Stops after the first instruction, the second ... until the operation is over before. */
static unsigned failures_of(enum kind mine, const struct abi_sized *sized, size_t n, size_t at)
{
    unsigned failures = 0;

    stepping.n = n;
    stepping.object = stepping.memory + at;
    stepping.stop_at = 0;
    do {
        stepping.stop_at++;
        if (!step_once(mine, sized)) {
            printf("%s of %zu bytes at %zu, stopped after %u instructions: TORN\n",
                   kind_names[mine], n, at, stepping.stop_at);
            failures++;
        }
    } while (stepping.has_stopped);
    return failures;
}

static unsigned failures_of_loads(void)
{
    static const size_t places[][2] = {{16, 8}, {32, 0}, {40, 1}, {LARGEST, 0}}; /* bytes, place */
    unsigned failures = 0;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        failures += failures_of(LOAD, NULL, places[i][0], places[i][1]);
    return failures;
}

static unsigned failures_of_lock_free(void)
{
    static const size_t places[][2] = {{3, 1}, {10, 3}, {16, 0}};
    const struct abi_sized *pairs = &linked_abi.sized[N_SIZED - 1];
    unsigned failures = 0;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t n = places[i][0], at = places[i][1];

        if (!stepping.abi->is_lock_free(n, stepping.memory + at))
            continue;
        for (int mine = LOAD; mine <= COMPARE_EXCHANGE; mine++) {
            failures += failures_of((enum kind)mine, NULL, n, at);
            if (n == pairs->size)
                failures += failures_of((enum kind)mine, pairs, n, at);
        }
    }
    return failures;
}

static void plain_load(size_t n, const void *object, void *out, int order)
{
    (void)order;
    memcpy(out, object, n);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    struct abi abi = linked_abi;
    bool is_control = argc == 2 && strcmp(argv[1], "--control") == 0;
    unsigned failures;

    if (sigaction(SIGTRAP, &action, NULL) != 0)
        return 2;
    signal(SIGALRM, on_alarm);
    alarm(PATIENCE_S);
    if (is_control)
        abi.load = plain_load;
    stepping.abi = &abi;
    failures = failures_of_loads() + failures_of_lock_free();
    become_multithreaded();
    failures += failures_of_loads();
    printf("%u torn values\n", failures);
    return (failures != 0) == is_control ? 0 : 1;
}
