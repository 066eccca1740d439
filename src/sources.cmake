# SPDX-License-Identifier: MIT
#
# The sources of src/, a list for each layer, from sources.txt: fw_<layer>_sources.  Whoever
# compiles one of them again (the drop-in, the tests over a fake kernel, the model) takes the list,
# and the linker leaves out what is not needed.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/sources.txt)
set(kinds rseq)
if(NOT fw_release STREQUAL "x86_64")
    set(kinds no-rseq)
endif()
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/sources.txt lines REGEX "^(source|other|no-lto) ")
foreach(line IN LISTS lines)
    if(line MATCHES "^no-lto ([^ ]+)$")
        list(APPEND fw_unwound_sources ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_1})
    elseif(NOT line MATCHES "^[a-z]+ ([a-z_]+) ([^ ]+[.]c)( if ([a-z-]+))?$")
        message(FATAL_ERROR "src/sources.txt: ${line}")
    elseif(NOT CMAKE_MATCH_4 OR CMAKE_MATCH_4 IN_LIST kinds)
        list(APPEND fw_${CMAKE_MATCH_1}_sources ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2})
    endif()
endforeach()

set(fw_sys_base_sources ${fw_sys_sources})
list(APPEND fw_sys_sources ${fw_sys_thread_sources} ${fw_sys_robust_sources} ${fw_sys_ipc_sources})
list(APPEND fw_ipc_sources ${fw_region_sources} ${fw_range_sources})
