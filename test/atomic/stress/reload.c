/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The library is loaded, used by threads, and unloaded, again and again, with forks before and
 * after: a plug-in that brings it along must not leave anything behind that is called later.
 */

enum { ROUNDS = 40, USES = 400, SIZE = 100 };

static unsigned char object[SIZE];
static bool may_end; /* else threads go on after their number of uses */
static struct {
    void (*load)(size_t, const void *, void *, int);
    void (*store)(size_t, void *, const void *, int);
} loaded;

static void *use_it(void *arg)
{
    unsigned char seen[SIZE];

    for (unsigned i = 0; i < USES || !__atomic_load_n(&may_end, __ATOMIC_RELAXED); i++) {
        loaded.store(SIZE, object, tag(i), __ATOMIC_SEQ_CST);
        loaded.load(SIZE, object, seen, __ATOMIC_SEQ_CST);
        if (tag_of(seen, SIZE) < 0)
            subject_caught("torn");
    }
    return arg;
}

static void *find(void *handle, const char *name)
{
    void *function = dlsym(handle, name);

    if (function == NULL)
        stress_fail(dlerror(), NULL);
    return function;
}

static void fork_once(bool uses)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(100);
        __atomic_store_n(&may_end, true, __ATOMIC_RELAXED);
        if (uses)
            use_it(NULL);
        _exit(0);
    }
    if (pid > 0 && (waitpid(pid, &status, 0) != pid || status != 0))
        subject_caught("a child failed: wait status %x", (unsigned)status);
}

static void one_round(const char *path)
{
    pthread_t threads[2];
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *function;

    if (handle == NULL)
        stress_fail(dlerror(), NULL);
    function = find(handle, "__atomic_load");
    memcpy(&loaded.load, &function, sizeof function);
    function = find(handle, "__atomic_store");
    memcpy(&loaded.store, &function, sizeof function);
    __atomic_store_n(&may_end, false, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, use_it, NULL) != 0)
            stress_fail("no thread can be started", NULL);
    fork_once(true);
    __atomic_store_n(&may_end, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (dlclose(handle) != 0)
        stress_fail(dlerror(), NULL);
    fork_once(false);
}

int main(int argc, char **argv)
{
    char *path;

    stress.about = "The library comes and goes";
    subject_begin(argc, argv, NULL);
    path = strdup(subject->path);
    if (dlclose(subject->handle) != 0)
        stress_fail(dlerror(), NULL);
    for (unsigned i = 0; i < ROUNDS; i++)
        one_round(path);
    printf("%d rounds; the library %s\n", ROUNDS,
           dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL ? "stays loaded" : "is unloaded");
    free(path);
    return 0;
}
