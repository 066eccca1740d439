/* SPDX-License-Identifier: MIT */
/* The compiled waits.bpf.c. */
#include "bpf/lib/embed.h"

extern const unsigned char fw_waits_object[], fw_waits_object_end[];

FW_BPF_EMBED(fw_waits_object, FW_BPF_WAITS_OBJECT);
