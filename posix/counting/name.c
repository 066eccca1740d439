/* SPDX-License-Identifier: MIT */
/*
 * fw_name of a program that uses furwock's shared library, on its way there: what is counted, and
 * what is found by checks, has those names as well.
 */
#include <dlfcn.h>

#include "core/names.h"
#include "export.h"
#include "place.h"

static struct fw_name_entry_ names[FW_NAMES]; /* a forked child's file needs them again */

_Static_assert(FW_STAT_NAMES == FW_NAMES && sizeof(struct fw_name_entry_) == 48 &&
                   sizeof(struct fw_stat_name_) == sizeof(struct fw_name_entry_),
               "the same table");

/* Several threads may do it at once (place.c): by words, as whoever reads them does. */
void fw_stat_copy_names_(struct fw_stat_file_ *f)
{
    const fw_word_ *from = (const fw_word_ *)(const void *)names;
    fw_word_ *to = (fw_word_ *)(void *)f->names;

    for (size_t i = 0; i < sizeof names / (sizeof(fw_word_)); i++)
        fw_store64_relaxed(&to[i], fw_load64_relaxed(&from[i]));
}

static int name_next(const void *lock, const char *name)
{
    union {
        void *address;
        int (*function)(const void *, const char *);
    } next = {dlsym(RTLD_NEXT, "fw_name")};

    return next.address != NULL ? next.function(lock, name) : 0;
}

static int count_name(const void *lock, const char *name)
{
    int error = fw_names_set_(names, lock, name);
    struct fw_stat_file_ *f = error == 0 ? fw_stat_file_here_() : NULL;

    if (f != NULL)
        fw_names_set_((struct fw_name_entry_ *)f->names, lock, name);
    return error != 0 ? error : name_next(lock, name);
}
FW_EXPORT(count_name, fw_name, FURWOCK_0_2);
