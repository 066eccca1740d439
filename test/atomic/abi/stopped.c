/* SPDX-License-Identifier: MIT */
/*
 * usage: stopped [--control]
 *
 * An operation is stopped between two bytes of its object, while another thread uses the object:
 * the object lies across two pages, of which one may not be touched for now.  The thread that
 * touches it gets a signal, and waits in the handler until the other thread is done, or has been
 * given time enough to show that it waits for the first.  Every value that is seen has to be one
 * that was stored as a whole.  No luck is needed: a store that is a memcpy is caught at once.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "beside.h"

enum { LARGEST = 1024, PATIENCE_US = 1000, LOOK_US = 25, N_GENERIC = COMPARE_EXCHANGE + 1 };

/* The other thread's part, and whose turn it is. */
enum turn { NEITHER, STOPPED, DONE, END };

static struct {
    const struct abi *abi;
    unsigned char *pages;
    size_t page, n;
    unsigned char *object;
    enum kind theirs;
    unsigned char seen[LARGEST]; /* by the other thread's load */
    enum turn turn;
    bool has_stopped;
} stepping;

static void set_turn(enum turn turn)
{
    __atomic_store_n(&stepping.turn, turn, __ATOMIC_RELEASE);
}

static bool is_turn(enum turn turn)
{
    return __atomic_load_n(&stepping.turn, __ATOMIC_ACQUIRE) == turn;
}

static void look_again_later(void)
{
    struct timespec moment = {0, LOOK_US * 1000};

    nanosleep(&moment, NULL);
}

static void protect(size_t half, int access)
{
    if (mprotect(stepping.pages + half * stepping.page, stepping.page, access) != 0)
        abort();
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    size_t at = (size_t)((unsigned char *)info->si_addr - stepping.pages);

    (void)signal;
    (void)context;
    if (at >= 2 * stepping.page)
        abort();
    for (size_t half = 0; half < 2; half++)
        if (stepping.theirs != LOAD)
            protect(half, PROT_READ | PROT_WRITE);
    stepping.has_stopped = true;
    set_turn(STOPPED);
    for (unsigned us = 0; us < PATIENCE_US && !is_turn(DONE); us += LOOK_US)
        look_again_later();
    for (size_t half = 0; half < 2; half++)
        protect(half, PROT_READ | PROT_WRITE);
}

static void *other_thread(void *unused)
{
    unsigned char value[LARGEST];

    memset(value, THEIRS, sizeof value);
    while (!is_turn(END)) {
        if (!is_turn(STOPPED)) {
            look_again_later();
            continue;
        }
        if (stepping.theirs == LOAD)
            stepping.abi->load(stepping.n, stepping.object, stepping.seen, __ATOMIC_SEQ_CST);
        else
            stepping.abi->store(stepping.n, stepping.object, value, __ATOMIC_SEQ_CST);
        set_turn(DONE);
    }
    return unused;
}

static bool is_explained(enum kind mine, bool answer, const unsigned char *out)
{
    unsigned char end = whole(stepping.object, stepping.n), saw = whole(out, stepping.n);

    if (stepping.theirs == LOAD)
        return is_explained_beside_load(mine, answer, saw, end, whole(stepping.seen, stepping.n));
    return is_explained_beside_store(mine, answer, saw, end);
}

/* One operation, stopped where it comes to the half that it may not touch. */
static bool stop_once(enum kind mine, size_t half)
{
    struct operation o = {.kind = mine, .n = stepping.n, .order = __ATOMIC_SEQ_CST};
    unsigned char in[LARGEST], out[LARGEST];
    bool answer, good;

    memset(stepping.object, OLD, stepping.n);
    memset(in, MINE, stepping.n);
    memset(out, OLD, stepping.n);
    stepping.has_stopped = false;
    set_turn(NEITHER);
    protect(half, stepping.theirs == LOAD ? PROT_READ : PROT_NONE);
    answer = perform(&o, stepping.abi, stepping.object, in, out);
    while (stepping.has_stopped && !is_turn(DONE))
        look_again_later();
    good = stepping.has_stopped && is_explained(mine, answer, out);
    if (!good)
        printf("%s, stopped %s %zu of %zu bytes, beside a %s: %s\n", kind_names[mine],
               half ? "after" : "before",
               (size_t)(stepping.pages + stepping.page - stepping.object), stepping.n,
               kind_names[stepping.theirs], stepping.has_stopped ? "TORN" : "never stopped");
    return good;
}

static unsigned failures_of_size(size_t n)
{
    const size_t splits[] = {1, n / 2, n - 1, 8, 16, n - 8, n - 16};
    unsigned failures = 0;

    stepping.n = n;
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        if (splits[i] == 0 || splits[i] >= n || (i > 0 && splits[i] == splits[i - 1]))
            continue;
        stepping.object = stepping.pages + stepping.page - splits[i];
        for (size_t half = 0; half < 2; half++) {
            for (int mine = STORE; mine < N_GENERIC; mine++) {
                stepping.theirs = LOAD;
                failures += !stop_once((enum kind)mine, half);
            }
            for (int mine = LOAD; mine < N_GENERIC; mine++) {
                stepping.theirs = STORE;
                failures += !stop_once((enum kind)mine, half);
            }
        }
    }
    return failures;
}

static unsigned failures_of(const struct abi *abi, size_t n_sizes)
{
    static const size_t sizes[] = {24, 100, 2, 3, 8, 12, 15, 16, 32, 40, LARGEST};
    unsigned failures = 0;

    stepping.abi = abi;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && i < n_sizes; i++)
        failures += failures_of_size(sizes[i]);
    return failures;
}

/* The memcpy and memcmp of one who thinks of one thread only. */
static void plain_load(size_t n, const void *object, void *out, int order)
{
    (void)order;
    memcpy(out, object, n);
}

static void plain_store(size_t n, void *object, const void *value, int order)
{
    (void)order;
    memcpy(object, value, n);
}

static void plain_exchange(size_t n, void *object, const void *value, void *out, int order)
{
    (void)order;
    memcpy(out, object, n);
    memcpy(object, value, n);
}

static bool plain_compare_exchange(size_t n, void *object, void *expected, const void *desired,
                                   int success, int failure)
{
    bool is_equal = memcmp(object, expected, n) == 0;

    (void)success;
    (void)failure;
    memcpy(is_equal ? object : expected, is_equal ? desired : object, n);
    return is_equal;
}

static int control(void)
{
    unsigned missed = 0;

    for (int i = LOAD; i < N_GENERIC; i++) {
        struct abi abi = linked_abi;
        unsigned failures;

        if (i == LOAD)
            abi.load = plain_load;
        else if (i == STORE)
            abi.store = plain_store;
        else if (i == EXCHANGE)
            abi.exchange = plain_exchange;
        else
            abi.compare_exchange = plain_compare_exchange;
        failures = failures_of(&abi, 2);
        printf("a plain %s: noticed %u times\n", kind_names[i], failures);
        missed += failures == 0;
    }
    return missed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    pthread_t thread;
    unsigned failures;

    stepping.page = (size_t)sysconf(_SC_PAGESIZE);
    stepping.pages =
        mmap(NULL, 2 * stepping.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stepping.pages == MAP_FAILED || sigaction(SIGSEGV, &action, NULL) != 0 ||
        pthread_create(&thread, NULL, other_thread, NULL) != 0)
        return 2;
    if (argc == 2 && strcmp(argv[1], "--control") == 0)
        return control();
    failures = failures_of(&linked_abi, SIZE_MAX);
    set_turn(END);
    pthread_join(thread, NULL);
    printf("%u operations were torn\n", failures);
    return failures == 0 ? 0 : 1;
}
