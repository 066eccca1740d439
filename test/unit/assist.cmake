# SPDX-License-Identifier: MIT
#
# The assist's loader, and what its program in the kernel writes.
if(FURWOCK_HAVE_ASSIST)
    foreach(name collision loader page)
        fw_test(NAME assist_${name} LABEL assist SOURCES assist_${name}_test.c assist_ground.c
            LIBS fw_assist fw_cmocka)
        if(TEST assist_${name}) # another test's participants are participants here, too
            set_tests_properties(assist_${name} PROPERTIES RESOURCE_LOCK assist COST 50)
        endif()
    endforeach()
endif()
