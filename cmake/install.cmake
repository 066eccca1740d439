# SPDX-License-Identifier: MIT
#
# Which libraries there are, under which names others have them, and how they are installed.

# Both kinds, of which furwock::furwock is the archive; where BUILD_SHARED_LIBS is set, only the
# kind that it wants.
if(NOT DEFINED BUILD_SHARED_LIBS)
    set(fw_kinds static shared)
elseif(BUILD_SHARED_LIBS)
    set(fw_kinds shared)
else()
    set(fw_kinds static)
endif()

# fw_public_libraries(name STATIC target SHARED target SHARED_NAME name): furwock::<name>, and
# furwock::<SHARED_NAME> where there is the shared library.  A kind that is not wanted is built for
# what links it here.
function(fw_public_libraries name)
    cmake_parse_arguments(L "" "STATIC;SHARED;SHARED_NAME" "" ${ARGN})
    set(wanted)
    if("shared" IN_LIST fw_kinds)
        set(shared_name ${L_SHARED_NAME})
        if(NOT "static" IN_LIST fw_kinds)
            set(shared_name ${name})
            add_library(furwock::${name} ALIAS ${L_SHARED})
        endif()
        set_target_properties(${L_SHARED} PROPERTIES EXPORT_NAME ${shared_name})
        add_library(furwock::${L_SHARED_NAME} ALIAS ${L_SHARED})
        list(APPEND wanted ${L_SHARED})
    else()
        set_target_properties(${L_SHARED} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    if("static" IN_LIST fw_kinds)
        set_target_properties(${L_STATIC} PROPERTIES EXPORT_NAME ${name})
        add_library(furwock::${name} ALIAS ${L_STATIC})
        list(APPEND wanted ${L_STATIC})
    else()
        set_target_properties(${L_STATIC} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    install(TARGETS ${wanted} EXPORT furwockTargets COMPONENT library)
endfunction()

# What is installed has the same bytes, whatever the directories in which it was built are called:
# it names its sources as furwock-VERSION/src/..., as a distribution's debugger looks for them.
if(FURWOCK_LIBRARY_ONLY AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
    include(CheckCCompilerFlag)
    check_c_compiler_flag(-ffile-prefix-map=/a=b FURWOCK_HAVE_PREFIX_MAP)
    if(FURWOCK_HAVE_PREFIX_MAP)
        set(name ${PROJECT_NAME}-${PROJECT_VERSION})
        add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=${name}
            -ffile-prefix-map=${PROJECT_BINARY_DIR}=${name}/build)
    endif()
    foreach(language C CXX) # no dates in archives; the default of some binutils only
        set(CMAKE_${language}_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
        set(CMAKE_${language}_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
        set(CMAKE_${language}_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
    endforeach()
endif()

# fw_install_pkg_config(name): installs cmake/<name>.pc.in.  The file finds its prefix from where it
# lies, so that an installed tree can be moved; a directory that was given as an absolute path is
# where it says.
function(fw_install_pkg_config name)
    foreach(dir LIBDIR INCLUDEDIR)
        if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
            set(FURWOCK_PC_${dir} ${CMAKE_INSTALL_${dir}})
        else()
            set(FURWOCK_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
        endif()
    endforeach()
    if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
        set(FURWOCK_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    else()
        file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
        string(REGEX REPLACE "/$" "" up ${up})
        set(FURWOCK_PC_PREFIX "\${pcfiledir}/${up}")
    endif()
    # Where there is only the archive, what it needs is linked without --static, too.
    if(NOT "shared" IN_LIST fw_kinds)
        set(FURWOCK_PC_ARCHIVE " -Wl,-z,nodelete -pthread")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endfunction()
