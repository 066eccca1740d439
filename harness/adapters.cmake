# SPDX-License-Identifier: MIT
#
# Which adapters this build has: harness_adapters() for a source that is there, harness_missing()
# for a rival that is not.  harness_finish_adapters() writes the list and makes the library
# `adapters`.

include(CheckIncludeFile)
include(CheckSymbolExists)

set(harness_sources "")
set(harness_libs "")
set(harness_declarations "")
set(harness_entries "")
set(harness_gaps "")
set(harness_names "")
set(harness_missing_names "")

# harness_adapters(SOURCE [LIBS...]): builds the source, with all the adapters that it defines.
macro(harness_adapters source)
    list(APPEND harness_sources ${source})
    list(APPEND harness_libs ${ARGN})
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${source} harness_lines
        REGEX "^const struct adapter adapter_[a-z0-9_]+ = |^ *\\.name = \"")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    foreach(harness_line IN LISTS harness_lines)
        if(harness_line MATCHES "adapter (adapter_[a-z0-9_]+) =")
            string(APPEND harness_declarations "extern const struct adapter ${CMAKE_MATCH_1};\n")
            string(APPEND harness_entries "    &${CMAKE_MATCH_1},\n")
        elseif(harness_line MATCHES "\"([^\"]+)\"")
            list(APPEND harness_names ${CMAKE_MATCH_1})
        endif()
    endforeach()
endmacro()

# harness_missing(WHY NAMES...): these could have been here.
macro(harness_missing why)
    foreach(harness_name ${ARGN})
        string(APPEND harness_gaps "    {\"${harness_name}\", \"${why}\"},\n")
        list(APPEND harness_missing_names "${harness_name} (${why})")
    endforeach()
endmacro()

macro(harness_finish_adapters)
    set(adapter_declarations ${harness_declarations})
    set(adapter_entries ${harness_entries})
    set(adapter_gaps ${harness_gaps})
    configure_file(adapters.c.in ${CMAKE_CURRENT_BINARY_DIR}/adapters.c @ONLY)

    add_library(adapters STATIC adapter.c ${CMAKE_CURRENT_BINARY_DIR}/adapters.c ${harness_sources})
    target_include_directories(adapters PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}
        PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(adapters PUBLIC harness furwock::furwock ${harness_libs} PRIVATE fw_house)
    set_target_properties(adapters PROPERTIES CXX_STANDARD 20)

    # For those who name tests after adapters.
    set_property(GLOBAL PROPERTY harness_adapter_names ${harness_names})
    list(JOIN harness_names " " harness_text)
    message(STATUS "Locks: ${harness_text}")
    if(harness_missing_names)
        list(JOIN harness_missing_names ", " harness_text)
        message(STATUS "Locks that are missing: ${harness_text}")
    endif()
endmacro()
