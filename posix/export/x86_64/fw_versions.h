/* SPDX-License-Identifier: MIT */
#ifndef FW_VERSIONS_H
#define FW_VERSIONS_H

/* The versions of the C library's names on x86-64, where the first was 2.2.5: see export.h. */
#define FW_VERSION_GLIBC_2_2_5 "GLIBC_2.2.5"
#define FW_VERSION_GLIBC_2_3_2 "GLIBC_2.3.2"
#define FW_VERSION_GLIBC_2_17 "GLIBC_2.17"
#define FW_VERSION_FURWOCK_0_2 "FURWOCK_0.2"
#define FW_VERSION_GLIBC_2_34 "GLIBC_2.34"

#define FW_EXPORT_SINCE_(function, name, version, text) \
    FW_EXPORT_AS_(function, name##_in_##version, name, "@", text)

#define FW_EXPORT_GLIBC_2_2_5_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_2_5, "GLIBC_2.2.5")
#define FW_EXPORT_GLIBC_2_3_3_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_3_3, "GLIBC_2.3.3")
#define FW_EXPORT_GLIBC_2_3_4_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_3_4, "GLIBC_2.3.4")
#define FW_EXPORT_GLIBC_2_4_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_4, "GLIBC_2.4")
#define FW_EXPORT_GLIBC_2_12_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_12, "GLIBC_2.12")
#define FW_EXPORT_GLIBC_2_28_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_28, "GLIBC_2.28")
#define FW_EXPORT_GLIBC_2_30_(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_30, "GLIBC_2.30")

/* What had a version before 2.3.2 brought another: condition variables. */
#define FW_EXPORT_OLDEST(f, name) FW_EXPORT_SINCE_(f, name, GLIBC_2_2_5, "GLIBC_2.2.5")

#endif
