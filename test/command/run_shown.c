/* SPDX-License-Identifier: MIT */
/* Says of functions, by their names, which library they are from; then its own arguments. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"pthread_mutex_lock", "pthread_cond_wait",
                                    "pthread_rwlock_rdlock", "sem_wait"};

static const char *library_of(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    Dl_info info;

    return function != NULL && dladdr(function, &info) != 0 ? info.dli_fname : "none";
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s %s\n", names[i], library_of(names[i]));
    for (int i = 0; i < argc; i++)
        printf("argument %s\n", argv[i]);
    return EXIT_SUCCESS;
}
