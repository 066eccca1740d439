/* SPDX-License-Identifier: MIT */
#ifndef FW_EXPORT_VARIANT_H
#define FW_EXPORT_VARIANT_H

/* Contract: posix/export.h. */
#include <fw_versions.h>

/* One symbol can carry one version, so each gets an alias; the version script hides their names. */
#define FW_EXPORT_AS_(function, alias, name, at, version)             \
    extern __typeof__(function) alias                                 \
        __attribute__((__alias__(#function), visibility("default"))); \
    __asm__(".symver " #alias ", " #name at version)

#define FW_EXPORT(function, name, version) \
    FW_EXPORT_AS_(function, name##_in_##version, name, "@@", FW_VERSION_##version)
/* furwock's own, of a program that uses its shared library. */
#define FW_EXPORT_NATIVE(function, name) \
    FW_EXPORT_AS_(function, name##_native, name, "@", FW_VERSION_FURWOCK_0_1)

#define FW_EXPORT_OLD(function, name, version) FW_EXPORT_##version##_(function, name)

#endif
