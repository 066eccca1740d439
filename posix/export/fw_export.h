/* SPDX-License-Identifier: MIT */
#ifndef FW_EXPORT_VARIANT_H
#define FW_EXPORT_VARIANT_H

/* Contract: posix/export.h. */
#include <furwock/bits/api.h>
#include <fw_versions.h>

/* One symbol can carry one version, so each gets an alias; the version script hides their names. */
#define FW_EXPORT_TEXT_(function, alias, text)                        \
    extern __typeof__(function) alias                                 \
        __attribute__((__alias__(#function), visibility("default"))); \
    __asm__(".symver " #alias ", " text)
#define FW_EXPORT_AS_(function, alias, name, at, version) \
    FW_EXPORT_TEXT_(function, alias, #name at version)

#define FW_EXPORT(function, name, version) \
    FW_EXPORT_AS_(function, name##_in_##version, name, "@@", FW_VERSION_##version)
/* furwock's own, of a program that uses its shared library. */
#define FW_EXPORT_NATIVE(function, name) \
    FW_EXPORT_AS_(function, name##_native, name, "@", FW_VERSION_FURWOCK_0_2)
/* The same of what it calls by the name that it has compiled in, FW_ABI_NAME_: one ABI's. */
#define FW_EXPORT_NATIVE_ABI(function, name)     \
    FW_EXPORT_TEXT_(function, name##_native_abi, \
                    FW_ABI_TEXT_(name) "@FURWOCK_ABI_" FW_TEXT_(FURWOCK_ABI))

#define FW_EXPORT_OLD(function, name, version) FW_EXPORT_##version##_(function, name)

#endif
