/* SPDX-License-Identifier: MIT */
#include "other.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>

__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        "other_object:\n"
        ".incbin \"" OTHER_OBJECT "\"\n"
        "other_object_end:\n"
        ".popsection\n");
extern const unsigned char other_object[], other_object_end[];

static struct bpf_object *object;
static struct bpf_link *link;

/* Of old a scheduler is registered by its map: without a link in the kernel, whatever libbpf. */
int other_start(void)
{
    int error;

    object = bpf_object__open_mem(other_object, (size_t)(other_object_end - other_object), NULL);
    if (object == NULL)
        return errno;
    error = -bpf_object__load(object);
    if (error == 0) {
        link = bpf_map__attach_struct_ops(bpf_object__find_map_by_name(object, "other"));
        error = link == NULL ? errno : 0;
    }
    if (error != 0)
        other_end();
    return error;
}

void other_end(void)
{
    bpf_link__destroy(link);
    bpf_object__close(object);
    link = NULL;
    object = NULL;
}
