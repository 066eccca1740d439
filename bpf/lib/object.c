/* SPDX-License-Identifier: MIT */
#include "bpf/lib/object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool fw_bpf_set_constants(struct bpf_object *object, const void *constants, size_t size)
{
    struct bpf_map *map;

    bpf_object__for_each_map(map, object)
    {
        if (strstr(bpf_map__name(map), ".rodata") != NULL)
            return bpf_map__set_initial_value(map, constants, size) == 0;
    }
    return false;
}

const void *fw_bpf_map_array(const char *path, size_t size)
{
    struct bpf_map_info info = {.id = 0};
    uint32_t info_size = sizeof info;
    int fd = bpf_obj_get(path);
    const void *memory = MAP_FAILED;

    if (fd < 0)
        return NULL;
    errno = ESTALE;
    if (bpf_obj_get_info_by_fd(fd, &info, &info_size) == 0 && info.type == BPF_MAP_TYPE_ARRAY &&
        info.value_size >= size)
        memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return memory != MAP_FAILED ? memory : NULL;
}
