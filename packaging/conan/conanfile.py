# SPDX-License-Identifier: MIT
"""conan create packaging/conan, from the top of the tree."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class Furwock(ConanFile):
    name = "furwock"
    version = "0.2.0"
    license = "MIT"
    description = "Fast user-level locks for Linux, for threads and for processes that share memory"
    topics = ("mutex", "futex", "locks", "shared-memory", "real-time")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("furwock is for Linux on x86-64 and AArch64")

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "include/*", "src/*",
                        "atomic/*", "rt/*", "doc/*", "tools/valgrind.supp", "tools/gdb/*"):
            copy(self, pattern, top, self.export_sources_folder)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FURWOCK_PROGRAM"] = False
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for path in ("lib/cmake", "lib/pkgconfig", "share"):
            rmdir(self, os.path.join(self.package_folder, *path.split("/")))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "furwock")
        for name, library, needs in (("furwock", "furwock", []),
                                     ("rt", "furwock-rt", ["furwock"]),
                                     ("atomic", "furwock-atomic", []),
                                     ("atomic_ipc", "furwock-atomic-ipc", [])):
            part = self.cpp_info.components[name]
            part.set_property("cmake_target_name", "furwock::" + name)
            part.set_property("pkg_config_name", library)
            part.libs = [library]
            part.requires = needs
            part.system_libs = ["pthread"]
            if name != "atomic":
                part.sharedlinkflags = part.exelinkflags = ["-Wl,-z,nodelete"]
