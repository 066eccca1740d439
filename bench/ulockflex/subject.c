/* SPDX-License-Identifier: MIT */
#include "bench/adapters/adapter.h"
#include "bench/adapters/rw_adapter.h"
#include "run.h"

static void take(struct subject *s, const void *adapter, struct calls read, struct calls write)
{
    const adapter_head *head = adapter;

    *s =
        (struct subject){.head = head, .stride = adapter_head_stride(head), .calls = {read, write}};
}

bool subject_find(struct subject *s, const char *name, bool sharing)
{
    const struct rw_adapter *rw = sharing ? rw_adapter_find(name) : NULL;
    const struct adapter *mutex = adapter_find(name);

    if (rw != NULL) {
        take(s, rw, (struct calls){rw->rdlock, rw->rdunlock, rw->tryrdlock},
             (struct calls){rw->wrlock, rw->wrunlock, rw->trywrlock});
    } else if (mutex != NULL) {
        struct calls both = {mutex->lock, mutex->unlock, mutex->trylock};

        take(s, mutex, both, both);
    }
    return rw != NULL || mutex != NULL;
}

void subject_names(FILE *out, bool sharing)
{
    if (sharing)
        for (size_t i = 0; rw_adapter_list[i] != NULL; i++)
            fprintf(out, " %s", rw_adapter_list[i]->name);
    for (size_t i = 0; adapter_list[i] != NULL; i++)
        if (!sharing || rw_adapter_find(adapter_list[i]->name) == NULL)
            fprintf(out, " %s", adapter_list[i]->name);
}
