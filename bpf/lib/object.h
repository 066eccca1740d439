/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_LIB_OBJECT_H
#define FW_BPF_LIB_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_object;

/* What both loaders do with objects and maps of libbpf. */

/*
 * Fills in the constants of an object that has not been loaded: all that is in its .rodata, so
 * `size` is the size of that.
 */
bool fw_bpf_set_constants(struct bpf_object *object, const void *constants, size_t size);

/*
 * The first `size` bytes of the array that is pinned at `path`, mapped read-only; munmap of `size`
 * bytes gives them back.  NULL: see errno; ESTALE: that is not an array of at least this size.
 */
const void *fw_bpf_map_array(const char *path, size_t size);

#endif
