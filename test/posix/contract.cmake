# SPDX-License-Identifier: MIT
# The contract tests of the C library's locks, with the drop-in in their place.
if(TARGET furwock_pthread AND TARGET contract)
    set(preloaded env ${drop_in_first})
    if(CMAKE_CROSSCOMPILING) # for the emulator's program, and not for itself
        list(TRANSFORM drop_in_first PREPEND "-E;" OUTPUT_VARIABLE preloaded)
        set(preloaded ${CMAKE_CROSSCOMPILING_EMULATOR} ${preloaded})
    endif()
    set(dropin_list ${CMAKE_CURRENT_BINARY_DIR}/contract-dropin-tests.cmake)
    add_custom_command(OUTPUT ${dropin_list}
        COMMAND contract --ctest-dropin ${preloaded} $<TARGET_FILE:contract> > ${dropin_list}
        DEPENDS contract furwock_pthread VERBATIM)
    add_custom_target(contract_dropin ALL DEPENDS ${dropin_list})
    set(dropin_include ${CMAKE_CURRENT_BINARY_DIR}/contract-dropin-include.cmake)
    file(WRITE ${dropin_include} "include(\"${dropin_list}\" OPTIONAL)\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${dropin_include})
endif()
