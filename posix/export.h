/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_EXPORT_H
#define FW_PRELOAD_EXPORT_H

/*
 * How a function gets its public name, and the versions of it to which programs are bound.
 *
 *     FW_EXPORT(fw_posix_mutex_trylock_, pthread_mutex_trylock, GLIBC_2_34)
 *     FW_EXPORT_OLD(fw_posix_mutex_trylock_, pthread_mutex_trylock, GLIBC_2_2_5)
 *
 *     FW_EXPORT_OLDEST(fw_posix_cond_wait_, pthread_cond_wait)     before 2.3.2
 *
 * after the definition of the function.  The first is what programs are linked with today; there is
 * one of it for each name.  The second is what older programs ask for: as many as there were.
 *
 * The build picks: export/fw_export.h does it, for the library; noexport/fw_export.h does nothing,
 * for tests, in which the public names stay the C library's.
 */
#include <fw_export.h>

#endif
