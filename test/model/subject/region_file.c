/* SPDX-License-Identifier: MIT */
/* src/ipc/region/region.h and src/sys/region_file.h under the model: region_file.h. */
#include "region_file.h"

#include <string.h>

#include "../engine/model.h"
#include "ipc/region/region.h"
#include "sys/region_file.h"

struct subject_file subject_file;

/* The handle is the program's, and no step changes it. */
bool fw_region_is_open_(const fw_region *region)
{
    return region->uses != 0;
}

static uint64_t length(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    return *subject_file.length;
}

int fw_shm_about_(int fd, struct fw_shm_about_ *about)
{
    (void)fd;
    *about = (struct fw_shm_about_){.size = length(), .names = 1};
    return 0;
}

/* Of what comes after the head's constants nobody asks here. */
int fw_shm_read_(int fd, void *bytes, size_t size)
{
    uint64_t *to = bytes;
    const uint64_t *from = (const uint64_t *)subject_file.content;

    (void)fd;
    memset(bytes, 0, size);
    if (length() == 0)
        return 0;
    for (unsigned i = 0; i <= offsetof(struct fw_ipc_head_, check) / sizeof *to; i++)
        to[i] = fw_load64_relaxed(from + i);
    return 0;
}

int fw_shm_grow_(int fd, uint64_t size)
{
    (void)fd;
    if (length() < size)
        *subject_file.length = size; /* the same step */
    return 0;
}

int fw_shm_map_(int fd, size_t size, bool can_write, void **base)
{
    (void)fd;
    (void)size;
    (void)can_write;
    *base = subject_file.content;
    return 0;
}

void fw_shm_unmap_(void *base, size_t size)
{
    (void)base;
    (void)size;
}

void fw_shm_seal_(int fd)
{
    (void)fd;
}

size_t fw_shm_page_(void)
{
    return 4096;
}
