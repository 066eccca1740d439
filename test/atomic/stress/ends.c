/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Operations at the ends of a program and of its threads, in a program that is linked with the
 * library: in constructors and destructors of all priorities, in exit handlers, in destructors of
 * thread-specific data up to their last round, and in children that are forked there.
 */

/* ThreadSanitizer ends its own account of a thread in the last round: nothing may follow. */
#ifdef __SANITIZE_THREAD__
enum { N_THREADS = 8, ROUNDS_OF_DESTRUCTORS = 3 };
#else
enum { N_THREADS = 8, ROUNDS_OF_DESTRUCTORS = 4 };
#endif

struct large {
    unsigned long words[5];
};

static _Atomic(struct large) counter;
static unsigned uses, expected;

/* Adds one to each word: they stay alike. */
static void use_it(const char *where)
{
    struct large was = atomic_load(&counter), next;

    do {
        for (unsigned i = 0; i < 5; i++) {
            if (was.words[i] != was.words[0]) {
                fprintf(stderr, "torn in %s\n", where);
                abort();
            }
            next.words[i] = was.words[i] + 1;
        }
    } while (!atomic_compare_exchange_strong(&counter, &was, next));
    __atomic_fetch_add(&uses, 1, __ATOMIC_RELAXED);
}

static void use_it_in_a_child(const char *where)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(100);
        use_it(where);
        _exit(0);
    }
    if (pid > 0 && (waitpid(pid, &status, 0) != pid || status != 0)) {
        fprintf(stderr, "in %s: the child's wait status is %x\n", where, (unsigned)status);
        abort();
    }
}

__attribute__((constructor(101))) static void first_constructor(void)
{
    use_it("the first constructor");
    use_it_in_a_child("the first constructor");
    expected++;
}

__attribute__((constructor)) static void constructor(void)
{
    use_it("a constructor");
    expected++;
}

__attribute__((destructor)) static void destructor(void)
{
    use_it("a destructor");
    expected++;
}

/* The last thing that the program does. */
__attribute__((destructor(101))) static void last_destructor(void)
{
    struct large end = atomic_load(&counter);
    unsigned n = __atomic_load_n(&uses, __ATOMIC_RELAXED);

    use_it_in_a_child("the last destructor");
    if (end.words[0] != n || n != expected) {
        fprintf(stderr, "%lu of %u uses were counted, %u were expected\n", end.words[0], n,
                expected);
        _exit(EXIT_FAILURE);
    }
    printf("%u uses\n", n);
    fflush(stdout);
}

static void at_exit(void)
{
    use_it("an exit handler");
    expected++;
}

static pthread_key_t key;

/* Sets the value again, so that the destructor is called again, as often as the system allows. */
static void thread_is_over(void *value)
{
    char *rounds = value;

    use_it("a destructor of thread-specific data");
    if (++*rounds < ROUNDS_OF_DESTRUCTORS)
        pthread_setspecific(key, rounds);
    else
        free(rounds);
}

static void *thread(void *arg)
{
    pthread_setspecific(key, calloc(1, 1));
    use_it("a thread");
    if (arg != NULL)
        pthread_exit(NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[N_THREADS];

    atexit(at_exit);
    pthread_key_create(&key, thread_is_over);
    for (int i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread, i % 2 != 0 ? &key : NULL) != 0)
            abort();
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    expected += N_THREADS * (1 + ROUNDS_OF_DESTRUCTORS);
    use_it("main");
    expected++;
    return 0;
}
