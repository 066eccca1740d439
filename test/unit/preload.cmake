# SPDX-License-Identifier: MIT
# The POSIX drop-in's functions under their own names.
if(TARGET furwock_posix_objects)
    foreach(name say settings posix_mutex posix_recheck)
        fw_test(NAME unit_${name} LABEL "unit;preload" SOURCES ${name}_test.c
            LIBS furwock_posix_objects furwock_private fw_cmocka)
    endforeach()
endif()
