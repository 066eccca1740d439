/* SPDX-License-Identifier: MIT */
/*
 * uncontended: what lock + unlock costs when nobody else wants the lock.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uncontended.h"

enum { ROUNDS_DEFAULT = 201, ROUNDS_MAX = 100000, LOCKS_MAX = 128, EXIT_USAGE = 2 };

struct order {
    const struct adapter *locks[LOCKS_MAX];
    size_t n;
    unsigned rounds;
    const char *json;
};

static void list_locks(FILE *out, const char *separator)
{
    for (size_t i = 0; adapter_list[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? separator : "", adapter_list[i]->name);
}

static void list_in_words(void)
{
    for (size_t i = 0; adapter_list[i] != NULL; i++)
        printf("%-18s %s\n", adapter_list[i]->name, adapter_list[i]->about);
    for (size_t i = 0; adapter_missing[i].name != NULL; i++)
        printf("%-18s missing: %s\n", adapter_missing[i].name, adapter_missing[i].why);
}

static void add_lock(struct order *o, const struct adapter *a)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->locks[i] == a)
            return;
    if (o->n < LOCKS_MAX)
        o->locks[o->n++] = a;
}

static void add_named(struct order *o, const char *name)
{
    const struct adapter *a = adapter_find(name);
    const char *why = adapter_why_missing(name);

    if (a != NULL) {
        add_lock(o, a);
        return;
    }
    if (why != NULL) {
        fprintf(stderr, "uncontended: %s is missing: %s\n", name, why);
    } else {
        fprintf(stderr, "uncontended: no lock \"%s\"; there are: ", name);
        list_locks(stderr, " ");
        fputc('\n', stderr);
    }
    exit(EXIT_USAGE);
}

static unsigned parse_rounds(const char *text)
{
    char *end;
    unsigned long rounds = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || rounds < 2 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "uncontended: --rounds takes a number from 2 to %d, not \"%s\"\n",
                ROUNDS_MAX, text);
        exit(EXIT_USAGE);
    }
    return (unsigned)rounds;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct order *o = state->input;

    switch (key) {
    case 'j':
        o->json = arg;
        return 0;
    case 'r':
        o->rounds = parse_rounds(arg);
        return 0;
    case 'l':
        list_in_words();
        exit(0);
    case ARGP_KEY_ARG:
        add_named(o, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', "FILE", 0, "also write the results to FILE", 0},
    {"rounds", 'r', "N", 0, "how often each lock is measured (201)", 0},
    {"list", 'l', NULL, 0, "name the locks there are, and those that are missing", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .doc =
        "Measures lock + unlock of each LOCK (all, where none is named) in a tight loop, in turns, "
        "beside pthread_mutex, two bare atomic instructions, and an empty loop.",
};

/* The locks asked for, or all; and always those that the others are compared with. */
static void complete(struct order *o)
{
    if (o->n == 0)
        for (size_t i = 0; adapter_list[i] != NULL; i++)
            if ((adapter_list[i]->flags & ADAPTER_NOTHING) == 0)
                add_lock(o, adapter_list[i]);
    add_lock(o, adapter_find("pthread"));
    add_lock(o, &reference_cas_exchange);
    add_lock(o, &reference_empty);
}

/* The second thread: the C library and others are cheaper while a process has one only. */
static void *sleep_until_told(void *bed)
{
    while (sem_wait(bed) != 0)
        ;
    return NULL;
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    contest_interrupted = 1;
}

static int open_json(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0) {
        fprintf(stderr, "uncontended: cannot write %s: %s\n", path, strerror(errno));
        exit(EXIT_USAGE);
    }
    return fd;
}

static int measure(const struct order *o, int json)
{
    struct contest c = {0};
    struct sigaction act = {.sa_handler = on_interrupt};
    pthread_t second;
    sem_t bed;

    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sem_init(&bed, 0, 0);
    if (pthread_create(&second, NULL, sleep_until_told, &bed) != 0) {
        fprintf(stderr, "uncontended: no second thread\n");
        return 1;
    }

    int result = contest_prepare(&c, o->locks, o->n, o->rounds);
    if (result == 0) {
        contest_run(&c, isatty(STDERR_FILENO));
        result_print(&c, stdout);
        if (json >= 0 && result_write_json(&c, json) != 0) {
            fprintf(stderr, "uncontended: cannot write %s: %s\n", o->json, strerror(errno));
            result = 1;
        }
    }
    contest_free(&c);
    sem_post(&bed);
    pthread_join(second, NULL);
    if (contest_interrupted)
        fprintf(stderr, "uncontended: interrupted after %u of %u rounds\n", c.finished, c.rounds);
    return result != 0 || contest_interrupted;
}

int main(int argc, char **argv)
{
    static struct order o = {.rounds = ROUNDS_DEFAULT};

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    complete(&o);
    return measure(&o, o.json != NULL ? open_json(o.json) : -1);
}
