/* SPDX-License-Identifier: MIT */
#include "bench/adapters/libatomics.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build names the files that it makes; without one, only the environment can. */
#ifndef LIBATOMICS_FURWOCK_FILE
#define LIBATOMICS_FURWOCK_FILE NULL
#endif
#ifndef LIBATOMICS_IPC_FILE
#define LIBATOMICS_IPC_FILE NULL
#endif

#ifndef LIBATOMICS_CLANG_FILE
#define LIBATOMICS_CLANG_FILE NULL
#endif

#define STANDIN_DIRECTORY "/furwock-atomic/"

const char *const libatomics_names[] = {"furwock", "libatomic", "ipc", "furwock-clang", NULL};

static struct source {
    const char *name;
    const char *variable; /* of the environment, names another file */
    const char *file;
    struct libatomics library;
} sources[] = {
    {.name = "furwock", .variable = "LIBATOMICS_FURWOCK", .file = LIBATOMICS_FURWOCK_FILE},
    {.name = "libatomic", .variable = "LIBATOMICS_LIBATOMIC", .file = "libatomic.so.1"},
    {.name = "ipc", .variable = "LIBATOMICS_IPC", .file = LIBATOMICS_IPC_FILE},
    {.name = "furwock-clang", .variable = "LIBATOMICS_CLANG", .file = LIBATOMICS_CLANG_FILE},
};

static char reason[512];

static const struct libatomics *refuse(void *handle, const char *name, const char *text)
{
    snprintf(reason, sizeof reason, "%s: %s", name, text);
    if (handle != NULL) {
        dlclose(handle);
    }
    return NULL;
}

/* ISO C has no conversion from void * to a function's address; POSIX says that the bytes do. */
static const char *bind(struct libatomics *library)
{
    const struct {
        const char *symbol;
        void *place;
    } calls[] = {
        {"__atomic_load", &library->load},
        {"__atomic_store", &library->store},
        {"__atomic_exchange", &library->exchange},
        {"__atomic_compare_exchange", &library->compare_exchange},
        {"__atomic_is_lock_free", &library->is_lock_free},
        {"__atomic_load_16", &library->load_16},
        {"__atomic_store_16", &library->store_16},
        {"__atomic_exchange_16", &library->exchange_16},
        {"__atomic_compare_exchange_16", &library->compare_exchange_16},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *function = dlsym(library->handle, calls[i].symbol);
        if (function == NULL) {
            return calls[i].symbol;
        }
        memcpy(calls[i].place, &function, sizeof function);
    }
    return NULL;
}

static const struct libatomics *load_source(struct source *source)
{
    const char *file = getenv(source->variable);
    if (file == NULL || file[0] == '\0') {
        file = source->file;
    }
    if (file == NULL) {
        snprintf(reason, sizeof reason, "%s: not part of this build; %s may name a file",
                 source->name, source->variable);
        return NULL;
    }
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return refuse(NULL, source->name, dlerror());
    }
    struct link_map *map;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        return refuse(handle, source->name, dlerror());
    }
    /* A comparison with the system's library must not quietly be one of ours with itself. */
    if (strcmp(source->name, "libatomic") == 0 && strstr(map->l_name, STANDIN_DIRECTORY) != NULL) {
        return refuse(handle, source->name, "libatomic.so.1 is furwock's stand-in here");
    }
    struct libatomics library = {.name = source->name, .path = map->l_name, .handle = handle};
    const char *missing = bind(&library);
    if (missing != NULL) {
        char text[256];
        snprintf(text, sizeof text, "%s has no %s", map->l_name, missing);
        return refuse(handle, source->name, text);
    }
    source->library = library;
    return &source->library;
}

const struct libatomics *libatomics_open(const char *name, const char **why)
{
    const char *ignored;
    why = why != NULL ? why : &ignored;
    *why = reason;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (strcmp(sources[i].name, name) == 0) {
            return sources[i].library.name != NULL ? &sources[i].library : load_source(&sources[i]);
        }
    }
    return refuse(NULL, name,
                  "no such library; there are furwock, libatomic, ipc and furwock-clang");
}

void *libatomics_symbol(const struct libatomics *library, const char *symbol)
{
    return dlsym(library->handle, symbol);
}
