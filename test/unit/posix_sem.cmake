# SPDX-License-Identifier: MIT
#
# The semaphores of the POSIX drop-in.  (counters.cmake has come before, by its name.)

if(TARGET furwock_posix_objects)
    fw_test(NAME unit_sem_shared LABEL "unit;preload"
        SOURCES sem_shared_test.c ${PROJECT_SOURCE_DIR}/posix/sem_shared.c
        INCLUDES ${PROJECT_SOURCE_DIR}/posix LIBS fw_under_fake fw_cmocka)
    # AddressSanitizer keeps the marks of the frames that a cancelled thread has left.
    if(NOT FURWOCK_SANITIZE STREQUAL "address")
        fw_test(NAME unit_posix_sem LABEL "unit;preload" SOURCES posix_sem_test.c
            LIBS furwock_posix_objects furwock_private fw_cmocka)
    endif()
endif()
