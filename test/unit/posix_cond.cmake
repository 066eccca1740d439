# SPDX-License-Identifier: MIT
#
# The condition variables of the POSIX drop-in, and C11's calls.
fw_test(NAME unit_cond_posix LABEL "unit;preload" SOURCES cond_posix_test.c
    LIBS fw_under_fake fw_cmocka)
if(TARGET furwock_posix_objects)
    fw_test(NAME unit_cond_shared LABEL "unit;preload"
        SOURCES cond_shared_test.c ${PROJECT_SOURCE_DIR}/posix/cond_shared.c
        INCLUDES ${PROJECT_SOURCE_DIR}/posix LIBS fw_under_fake fw_cmocka)
    # ThreadSanitizer does not see that the kernel gives a dead thread's mutex on, nor thrd_create.
    set(names posix_cond posix_cond_cancel posix_condattr)
    if(FURWOCK_SANITIZE STREQUAL "thread")
        set(names posix_cond)
    endif()
    foreach(name IN LISTS names)
        fw_test(NAME unit_${name} LABEL "unit;preload" SOURCES ${name}_test.c
            LIBS furwock_posix_objects furwock_private fw_cmocka)
    endforeach()
endif()
