/* SPDX-License-Identifier: MIT */
/* Contract: planted.h. */
#include "planted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"
#include "test/support/asleep.h"

#define EACH_VARIANT(X, kind) \
    X(kind, 0)                \
    X(kind, 1)                \
    X(kind, 2)                \
    X(kind, 3)                \
    X(kind, 4)                \
    X(kind, 5)                \
    X(kind, 6)                \
    X(kind, 7)                \
    X(kind, 8)                \
    X(kind, 9)                \
    X(kind, 10)               \
    X(kind, 11)               \
    X(kind, 12)               \
    X(kind, 13)               \
    X(kind, 14)               \
    X(kind, 15)               \
    X(kind, 16)               \
    X(kind, 17)               \
    X(kind, 18)               \
    X(kind, 19)

#define DEFINE(kind, number)                                                      \
    __attribute__((noinline)) static void kind##number(struct fault *f, int role) \
    {                                                                             \
        kind(f, role);                                                            \
        __asm__ volatile("" : : "i"(number)); /* not the same as another one */   \
    }
#define NAME(kind, number) kind##number,
#define DEFINE_ALL(kind, roles, at_once, never_ends) \
    EACH_VARIANT(DEFINE, kind)                       \
    static fault_role *const kind##_roles[VARIANTS] = {EACH_VARIANT(NAME, kind)};

FAULT_KINDS(DEFINE_ALL)

#define DESCRIBE(kind, roles, at_once, never_ends) \
    {{#kind, roles, at_once, never_ends}, kind##_roles},

static const struct {
    struct fault_kind kind;
    fault_role *const *roles;
} kinds[] = {FAULT_KINDS(DESCRIBE)};

pthread_key_t releases_it;
struct lock *taken_for_child;
static struct lock variables[VARIANTS][LOCKS];
static struct fault faults[VARIANTS];

/* A thread of a variant. */
struct thread {
    pthread_t thread;
    struct fault *fault;
    fault_role *run;
    int role;
    pid_t id; /* once it runs */
};

void give_up(const char *why)
{
    printf("skipped: %s\n", why);
    fflush(stdout);
    _exit(77);
}

static void check(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(2);
}

void wait_turn(struct fault *f, int turn)
{
    while (sem_wait(&f->turn[turn]) != 0)
        ;
}

void give_turn(struct fault *f, int turn)
{
    sem_post(&f->turn[turn]);
}

static void release_it(void *lock)
{
    release(lock);
}

static void before_fork(void)
{
    if (taken_for_child != NULL)
        take(taken_for_child);
}

static void in_parent(void)
{
    if (taken_for_child != NULL)
        release(taken_for_child);
}

static void in_child(void)
{
    if (taken_for_child != NULL)
        make(taken_for_child);
}

static void *begin(void *arg)
{
    struct thread *t = arg;

    __atomic_store_n(&t->id, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    t->run(t->fault, t->role);
    return NULL;
}

/* Those that wait on a condition variable want a mutex; what waits for itself, one that waits. */
static enum lock_kind lock_kind_of(const char *kind, const struct fault *f)
{
    static const enum lock_kind blocking[] = {NORMAL, ADAPTIVE, RWLOCK};
    enum lock_kind own = (enum lock_kind)(f->number % LOCK_KINDS);

    if (strcmp(kind, "relock") == 0 && f->is_bad)
        return blocking[f->number % 3];
    if (strcmp(kind, "two_mutexes") == 0 || strcmp(kind, "unheld") == 0)
        return own == RWLOCK ? NORMAL : own;
    return own;
}

static void prepare(struct fault *f, const char *kind, int number, bool is_bad)
{
    f->number = number;
    f->is_bad = is_bad;
    f->lock = number / LOCK_KINDS % 2 == 0 ? variables[number] : calloc(LOCKS, sizeof *f->lock);
    if (f->lock == NULL)
        exit(2);
    for (int i = 0; i < LOCKS; i++) {
        f->lock[i].kind = lock_kind_of(kind, f);
        if (f->lock[i].kind != NORMAL || number / LOCK_KINDS % 4 > 1)
            make(&f->lock[i]); /* else it is all zeroes */
    }
    check(pthread_cond_init(&f->cond, NULL), "pthread_cond_init");
    for (int i = 0; i < 4; i++)
        sem_init(&f->turn[i], 0, 0);
}

/* Role 0 waits for what it holds itself: forever. */
static void leave(struct thread *t)
{
    pid_t id;

    while ((id = __atomic_load_n(&t->id, __ATOMIC_ACQUIRE)) == 0 || !is_asleep(id))
        usleep(1000);
    pthread_detach(t->thread);
}

static void run(const struct fault_kind *kind, fault_role *role, struct fault *f)
{
    static struct thread all[VARIANTS][ROLES];
    struct thread *threads = all[f->number];

    for (int i = 0; i < kind->roles; i++) {
        threads[i] = (struct thread){.fault = f, .run = role, .role = i};
        check(pthread_create(&threads[i].thread, NULL, begin, &threads[i]), "pthread_create");
        if (kind->never_ends && f->is_bad)
            leave(&threads[i]);
        else if (!kind->at_once)
            pthread_join(threads[i].thread, NULL);
    }
    for (int i = 0; i < kind->roles && kind->at_once; i++)
        pthread_join(threads[i].thread, NULL);
}

int main(int argc, char **argv)
{
    bool is_bad = argc == 3 && strcmp(argv[2], "bad") == 0;

    for (unsigned k = 0; argc == 3 && k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].kind.name, argv[1]) != 0)
            continue;
        check(pthread_key_create(&releases_it, release_it), "pthread_key_create");
        check(pthread_atfork(before_fork, in_parent, in_child), "pthread_atfork");
        for (int i = 0; i < VARIANTS; i++) {
            prepare(&faults[i], argv[1], i, is_bad);
            run(&kinds[k].kind, kinds[k].roles[i], &faults[i]);
        }
        fflush(stdout);
        _exit(0);
    }
    fprintf(stderr, "planted KIND good|bad\n");
    return 2;
}
