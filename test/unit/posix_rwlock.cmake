# SPDX-License-Identifier: MIT
#
# Read-write locks, barriers and spin locks of the POSIX drop-in.

if(TARGET furwock_posix_objects)
    foreach(name rwlock spin)
        fw_test(NAME unit_posix_${name} LABEL "unit;preload" SOURCES posix_${name}_test.c
            LIBS furwock_posix_objects furwock_private fw_cmocka)
    endforeach()
    foreach(name rwlock_wait barrier)
        fw_test(NAME unit_posix_${name} LABEL "unit;preload" SOURCES posix_${name}_test.c sleeper.c
            LIBS furwock_posix_objects furwock_private fw_cmocka)
    endforeach()
endif()
