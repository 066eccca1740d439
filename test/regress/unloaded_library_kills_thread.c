/* SPDX-License-Identifier: MIT */
/*
 * A program that opened the shared library, locked and unlocked once, and closed the library was
 * killed by SIGSEGV: the thread's rseq area still pointed into the library, which was unmapped, and
 * the kernel looked there at the next preemption.  The library has to stay.
 *
 * usage: test_... LIBRARY
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef void (*mutex_call)(void *mutex);

static mutex_call find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    mutex_call call = NULL;

    memcpy(&call, &address, sizeof call); /* C has no conversion from object to function pointer */
    return call;
}

int main(int argc, char **argv)
{
    static uint64_t mutex;
    struct timespec moment = {0, 1000000};
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    mutex_call lock = library != NULL ? find(library, "fw_mutex_lock") : NULL;
    mutex_call unlock = library != NULL ? find(library, "fw_mutex_unlock") : NULL;

    if (lock == NULL || unlock == NULL) {
        fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
        return 2;
    }
    lock(&mutex);
    unlock(&mutex);
    dlclose(library);
    nanosleep(&moment, NULL); /* on the way back the kernel looks at the rseq area */
    printf("still alive\n");
    return 0;
}
