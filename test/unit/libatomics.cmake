# SPDX-License-Identifier: MIT
#
# The two libraries for generic atomics in one process (bench/adapters/libatomics.h).

if(TARGET libatomics)
    fw_test(NAME unit_libatomics LABEL unit SOURCES libatomics_test.c LIBS libatomics fw_cmocka)
endif()
