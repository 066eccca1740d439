# SPDX-License-Identifier: MIT
#
# The version is the project's, and the headers repeat it for those who do not use CMake.  The
# number of the ABI is theirs: FURWOCK_ABI, which every SONAME has (doc/guide/versions.md).
set(fw_headers ${PROJECT_SOURCE_DIR}/include/furwock)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${fw_headers}/version.h ${fw_headers}/bits/api.h)
foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${fw_headers}/version.h line REGEX "^#define FURWOCK_VERSION_${part} [0-9]+$")
    string(REGEX MATCH "[0-9]+$" found "${line}")
    if(NOT found STREQUAL PROJECT_VERSION_${part})
        message(FATAL_ERROR "furwock/version.h has FURWOCK_VERSION_${part} ${found}, and the "
            "project is ${PROJECT_VERSION}: tools/version --set does it everywhere")
    endif()
endforeach()
file(STRINGS ${fw_headers}/bits/api.h line REGEX "^#define FURWOCK_ABI [0-9]+$")
string(REGEX MATCH "[0-9]+$" FURWOCK_ABI "${line}")
if(NOT FURWOCK_ABI)
    message(FATAL_ERROR "furwock/bits/api.h does not say FURWOCK_ABI")
endif()
