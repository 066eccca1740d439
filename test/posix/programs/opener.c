// SPDX-License-Identifier: MIT
// Opens a library that has locks and threads, uses and closes it, again and again, in ways that
// bind its symbols otherwise.  Argument: the library.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 20 };

static const int WAYS[] = {RTLD_NOW, RTLD_LAZY | RTLD_GLOBAL, RTLD_LAZY | RTLD_LOCAL};
// With this one the library finds the C library's own calls before the program's: it may keep
// its locks to itself, and nothing else.
static const int DEEP = RTLD_NOW | RTLD_DEEPBIND;

static int use(const char *path, int way)
{
    void *library = dlopen(path, way);
    if (!library) {
        fprintf(stderr, "opener: %s\n", dlerror());
        return 1;
    }
    long (*run)(void);
    int (*lock)(pthread_mutex_t *);
    *(void **)&run = dlsym(library, "plugin_run");
    *(void **)&lock = dlsym(library, "plugin_lock");
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int bad = !run || !lock || run() != 0;
    if (way != DEEP)
        bad |= lock(&mutex) || pthread_mutex_trylock(&mutex) == 0 || pthread_mutex_unlock(&mutex) ||
               pthread_mutex_destroy(&mutex);
    return bad | dlclose(library);
}

int main(int count, char **words)
{
    if (count != 2)
        return 2;
    for (int i = 0; i < ROUNDS; i++) {
        for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++)
            if (use(words[1], WAYS[k]))
                return 1;
        if (use(words[1], DEEP))
            return 1;
    }
    return 0;
}
