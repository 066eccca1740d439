/* SPDX-License-Identifier: MIT */
/*
 * uncontended: what lock + unlock costs when nobody else wants the lock, and what the first calls
 * of other objects cost when nobody waits.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/common/bench.h"
#include "uncontended.h"

enum { ROUNDS_DEFAULT = 201, ROUNDS_MAX = 100000, NAMES_MAX = 128, EXIT_USAGE = 2 };

struct order {
    struct entry all[ENTRIES_MAX];
    size_t n_all;
    struct entry chosen[ENTRIES_MAX];
    size_t n;
    const char *names[NAMES_MAX];
    size_t n_names;
    bool objects[OBJECTS];
    unsigned rounds;
    const char *json;
};

static void list_objects(FILE *out)
{
    for (int k = 0; k < OBJECTS; k++)
        fprintf(out, " %s", object_kinds[k].name);
    fputc('\n', out);
}

static void print_missing(const struct missing_adapter *m, void *arg)
{
    (void)arg;
    printf("%-18s missing: %s\n", m->name, m->why);
}

static void list_in_words(const struct order *o)
{
    for (size_t i = 0; i < o->n_all; i++) {
        const struct entry *e = &o->all[i];
        if (i == 0 || e[-1].object != e->object)
            printf("%s%s: %s\n", i > 0 ? "\n" : "", object_kinds[e->object].name,
                   object_kinds[e->object].calls);
        printf("%-18s %s\n", e->head->name, e->head->about);
    }
    putchar('\n');
    catalogue_missing(print_missing, NULL);
}

static bool is_named(const struct order *o, const struct entry *e)
{
    for (size_t i = 0; i < o->n_names; i++)
        if (strcmp(o->names[i], e->head->name) == 0)
            return true;
    return o->n_names == 0;
}

/* Those that the others are compared with are always measured. */
static bool is_reference(const struct entry *e)
{
    return strcmp(e->head->name, object_kinds[e->object].baseline) == 0 ||
           e->head == (const void *)&reference_cas_exchange ||
           e->head == (const void *)&reference_empty;
}

/* Ends the program, unless the name is that of an entry of the objects asked for. */
static void check_name(const struct order *o, const char *name)
{
    const char *why = NULL;
    struct entry e;

    for (size_t i = 0; i < o->n_all; i++) {
        e = o->all[i];
        if (o->objects[e.object] && strcmp(e.head->name, name) == 0)
            return;
    }
    for (int k = 0; k < OBJECTS; k++)
        if (why == NULL && o->objects[k])
            why = catalogue_why_missing((enum object)k, name);
    if (why != NULL) {
        fprintf(stderr, "uncontended: %s is missing: %s\n", name, why);
        exit(EXIT_USAGE);
    }
    fprintf(stderr, "uncontended: no lock \"%s\"; there are:", name);
    for (size_t i = 0; i < o->n_all; i++) {
        bool told = !o->objects[o->all[i].object];
        for (size_t k = 0; k < i && !told; k++)
            told = o->objects[o->all[k].object] &&
                   strcmp(o->all[k].head->name, o->all[i].head->name) == 0;
        if (!told)
            fprintf(stderr, " %s", o->all[i].head->name);
    }
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

static void parse_objects(struct order *o, char *text)
{
    memset(o->objects, false, sizeof o->objects);
    for (char *rest = text, *word; (word = strsep(&rest, ",")) != NULL;) {
        int k = 0;
        while (k < OBJECTS && strcmp(word, object_kinds[k].name) != 0)
            k++;
        if (k == OBJECTS) {
            fprintf(stderr, "uncontended: no object \"%s\"; there are:", word);
            list_objects(stderr);
            exit(EXIT_USAGE);
        }
        o->objects[k] = true;
    }
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
    case 'o':
        parse_objects(o, arg);
        return 0;
    case 'l':
        list_in_words(o);
        exit(0);
    case ARGP_KEY_ARG:
        if (o->n_names == NAMES_MAX)
            argp_error(state, "too many names");
        o->names[o->n_names++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', "FILE", 0, "also write the results to FILE", 0},
    {"object", 'o', "LIST", 0,
     "only these: mutex, read, write, signal, sem, event, event-wait, once", 0},
    {"rounds", 'r', "N", 0, "how often each lock is measured (201)", 0},
    {"list", 'l', NULL, 0, "name the locks there are, and those that are missing", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_cpus_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .doc = "Measures lock + unlock of each LOCK (all, where none is named) in a tight loop, in "
           "turns, beside the C library's, two bare atomic instructions, and an empty loop; and "
           "so for read-write locks, and for the calls of condition variables, semaphores, events "
           "and once that find nothing to wait for.",
    .children = children,
};

static void choose(struct order *o)
{
    bool wanted[OBJECTS] = {false};

    for (size_t i = 0; i < o->n_names; i++)
        check_name(o, o->names[i]);
    for (size_t i = 0; i < o->n_all; i++)
        if (o->objects[o->all[i].object] && is_named(o, &o->all[i]))
            wanted[o->all[i].object] = true;
    for (size_t i = 0; i < o->n_all; i++) {
        const struct entry *e = &o->all[i];
        if (wanted[e->object] && (is_named(o, e) || is_reference(e)))
            o->chosen[o->n++] = *e;
    }
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
    experiment_interrupted = 1;
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
    struct experiment c = {0};
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

    int result = experiment_prepare(&c, o->chosen, o->n, o->rounds);
    if (result == 0) {
        experiment_run(&c, isatty(STDERR_FILENO));
        result_print(&c, stdout);
        if (json >= 0 && result_write_json(&c, json) != 0) {
            fprintf(stderr, "uncontended: cannot write %s: %s\n", o->json, strerror(errno));
            result = 1;
        }
    }
    experiment_free(&c);
    sem_post(&bed);
    pthread_join(second, NULL);
    if (experiment_interrupted)
        fprintf(stderr, "uncontended: interrupted after %u of %u rounds\n", c.finished, c.rounds);
    return result != 0 || experiment_interrupted;
}

int main(int argc, char **argv)
{
    static struct order o = {.rounds = ROUNDS_DEFAULT};

    o.n_all = catalogue(o.all);
    memset(o.objects, true, sizeof o.objects);
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    choose(&o);
    return measure(&o, o.json != NULL ? open_json(o.json) : -1);
}
