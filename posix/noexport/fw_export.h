/* SPDX-License-Identifier: MIT */
#ifndef FW_EXPORT_VARIANT_H
#define FW_EXPORT_VARIANT_H

/* Contract: posix/export.h.  No public names. */
#define FW_EXPORT(function, name, version) _Static_assert(1, #name)
#define FW_EXPORT_OLD(function, name, version) _Static_assert(1, #name)
#define FW_EXPORT_OLDEST(function, name) _Static_assert(1, #name)

#endif
