/* SPDX-License-Identifier: MIT */
#include "ground.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/atomic.h>

const bool is_constrained = TEST_CONSTRAINED;

static const char *watched = "";

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

void fail(const char *format, ...)
{
    char line[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    say(strcat(line, "\n"));
    _exit(EXIT_FAILURE);
}

void skip(const char *why)
{
    printf("skipped: %s\n", why);
    fflush(stdout);
    _exit(77);
}

static void map(struct ground *g)
{
    g->base = mmap(NULL, g->size, PROT_READ | PROT_WRITE, MAP_SHARED, g->fd, 0);
    CHECK(g->base != MAP_FAILED);
}

struct ground ground_open(size_t objects, size_t largest)
{
    struct ground g = {.space = fw_ipc_atomic_space(largest)};

    g.size = g.space + objects;
    g.fd = memfd_create("furwock-test", MFD_CLOEXEC);
    CHECK(g.fd >= 0);
    CHECK(ftruncate(g.fd, (off_t)g.size) == 0);
    map(&g);
    return g;
}

struct ground ground_new(size_t objects, size_t largest)
{
    struct ground g = ground_open(objects, largest);

    CHECK(fw_ipc_atomic_create(g.base, g.size, largest) == 0);
    return g;
}

struct ground ground_again(const struct ground *g)
{
    struct ground other = *g;

    map(&other);
    CHECK(other.base != g->base);
    return other;
}

void ground_move(struct ground *g)
{
    struct ground other = ground_again(g);

    CHECK(fw_ipc_atomic_leave(g->base) == 0);
    munmap(g->base, g->size);
    *g = other;
    CHECK(fw_ipc_atomic_join(g->base, g->size) == 0);
}

void ground_close(struct ground *g)
{
    fw_ipc_atomic_leave(g->base);
    munmap(g->base, g->size);
    close(g->fd);
}

pid_t start(void (*body)(void *), void *arg)
{
    pid_t parent = getpid();
    pid_t child = fork();

    CHECK(child >= 0);
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent && getppid() != 0) /* 0: it is in another pid namespace */
        _exit(EXIT_FAILURE);
    body(arg);
    _exit(EXIT_SUCCESS);
}

void finish(pid_t child)
{
    int status;

    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
        fail("a process ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void murder(pid_t child)
{
    int status;

    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* and it had not died before */
}

void *share(size_t n)
{
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory;
}

static void time_is_up(int signal_number)
{
    (void)signal_number;
    say("hangs: ");
    say(watched);
    say("\n");
    _exit(EXIT_FAILURE);
}

void limit(unsigned seconds, const char *what)
{
    watched = what;
    signal(SIGALRM, time_is_up);
    alarm(seconds);
}

/* Byte i of the object is byte i % 8 of the word, so that it can begin and end anywhere. */
void stamp(void *object, size_t n, uint64_t word)
{
    unsigned char *bytes = object;

    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(word >> i % 8 * 8);
}

uint64_t read_stamp(const void *object, size_t n)
{
    const unsigned char *bytes = object;
    uint64_t word = 0;

    for (size_t i = 0; i < 8 && i < n; i++)
        word |= (uint64_t)bytes[i] << i * 8;
    for (size_t i = 8; i < n; i++)
        if (bytes[i] != bytes[i - 8])
            fail("torn: byte %zu of %zu is %02x, and byte %zu is %02x", i, n, bytes[i], i - 8,
                 bytes[i - 8]);
    return word;
}

void store_stamp(void *object, size_t n, uint64_t word)
{
    unsigned char value[MOST_BYTES];

    stamp(value, n, word);
    any_store(n, object, value, __ATOMIC_SEQ_CST);
}

uint64_t load_stamp(const void *object, size_t n)
{
    unsigned char out[MOST_BYTES];

    any_load(n, object, out, __ATOMIC_SEQ_CST);
    return read_stamp(out, n);
}

uint64_t exchange_stamp(void *object, size_t n, uint64_t word)
{
    unsigned char value[MOST_BYTES];

    stamp(value, n, word);
    any_exchange(n, object, value, value, __ATOMIC_SEQ_CST);
    return read_stamp(value, n);
}

bool change_stamp(void *object, size_t n, uint64_t *expected, uint64_t word)
{
    unsigned char value[MOST_BYTES], wanted[MOST_BYTES];

    stamp(value, n, word);
    stamp(wanted, n, *expected);
    if (any_compare_exchange(n, object, wanted, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return true;
    *expected = read_stamp(wanted, n);
    return false;
}

uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
