# SPDX-License-Identifier: MIT
"""The GNU C Library's own tests of threads, built outside its tree against the installed library.

Left out: those that look into the library itself or need a piece of its build, and static programs
(nothing can be loaded before them).  A test that does not compile here is listed as such.
"""

import subprocess

from .running import Case

NAME = "glibc"
PACKAGE = "glibc"
LINUX = "sysdeps/unix/sysv/linux"
FOLDERS = ("sysdeps/pthread", "nptl")
# What tests include, of a tree whose headers would otherwise get in the way of the installed ones.
INCLUDED = ("support", "include/array_length.h", "include/libc-diag.h", "include/intprops.h",
            f"{LINUX}/tst-skeleton-affinity.c", f"{LINUX}/tst-skeleton-thread-affinity.c",
            "sysdeps/generic/tst-stack-align.h")
PATHS = ("SRCDIR", "OBJDIR", "OBJDIR_ELF_LDSO", "INSTDIR", "LIBDIR", "SLIBDIR", "BINDIR", "SBINDIR",
         "ROOTSBINDIR", "COMPLOCALEDIR")  # of the build and the installation, that it wants to name
PATIENCE = 3  # times as long as the tests' own limits, for busy machines
WORDS = {1: "fail", 77: "not supported here", 127: "cannot start"}

LEFT_OUT = {
    "tst-cancel25": "asks for the library's internal signals",
    "tst-oddstacklimit": "is a piece of another test",
    "tst-pthread-gdb-attach": "needs the build's debugger script",
    "tst-pthread-getattr": "needs the build's container",
    "tst-rwlock19": "writes the library's reader count",
    "tst-barrier5": "counts up to the library's own limit",
    "tst-execstack": "needs a module with an executable stack",
}
NOT_TESTS = ("static", "time64", "mod", "aux", "-common", "tls", "audit", "compat-forwarder")
FLAGS = (
    (("tst-cancelx", "tst-cleanupx", "tst-oncex", "tst-cond-except"),
     ["-fexceptions", "-fasynchronous-unwind-tables"]),
    (("tst-oncey",), ["-fno-exceptions", "-fno-asynchronous-unwind-tables"]),
    (("tst-cleanup2", "tst-cleanupx2"), ["-fno-builtin"]),
    (("tst-unwind",), ["-funwind-tables"]),
)
MODULES = {"tst-atfork2": ["tst-atfork2mod"], "tst-atfork3": ["tst-atfork3mod"],
           "tst-atfork4": ["tst-atfork4mod"], "tst-create1": ["tst-create1mod"],
           "tst-join7": ["tst-join7mod"], "tst-stack4": ["tst-stack4mod"]}
LINKED = {"tst-fini1": ["tst-fini1mod"]}
# Parts of the support library that need the rest of the build; no thread test asks for them.
NO_SUPPORT = ("tst-", "test-", "links-dso", "shell-container", "echo-container", "true-container",
              "support_test_main_")


class Suite:
    def __init__(self, tree, build, shim, only):
        self.tree, self.build, self.shim, self.only = tree, build, shim, only
        self.support = build / "libsupport.a"
        self.include = build / "include"
        self.unbuilt = []

    def prepare(self, pool):
        """The support library, from all of its files that compile."""
        self.include.mkdir(parents=True, exist_ok=True)
        for name in INCLUDED:
            link = self.include / name.split("/")[-1]
            if not link.is_symlink():
                link.symlink_to(self.tree / name)
        if self.support.exists():
            return
        objects = self.build / "support"
        objects.mkdir(exist_ok=True)
        files = [path for path in sorted((self.tree / "support").glob("*.c"))
                 if not path.name.startswith(NO_SUPPORT)]
        done = list(pool.map(lambda path: self._support(path, objects / f"{path.stem}.o"), files))
        subprocess.run(["ar", "cr", self.support, *(path for path in done if path)], check=True)

    def _support(self, source, target):
        paths = [f'-D{name}_PATH="{self.build}"' for name in PATHS]
        more = [f"-DTIMEOUTFACTOR={PATIENCE}", "-includelimits.h", f"-I{self.tree / 'support'}"]
        done = self._compile(source, target, [*paths, *more])
        return target if done is None else None

    def _compile(self, source, target, flags):
        """None, or the compiler's first complaint."""
        if target.exists():
            return None
        compiler = (["g++", "-std=gnu++17"] if source.suffix == ".cc" else
                    ["gcc", "-std=gnu11", "-fgnu89-inline"])
        command = [*compiler, "-w", "-O2", "-g", "-D_GNU_SOURCE", *flags, f"-I{self.shim}",
                   f"-I{self.include}", *(f"-I{self.tree / folder}" for folder in FOLDERS),
                   f"-idirafter{self.tree}", "-c", source, "-o", target]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode == 0:
            return None
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        return (errors or ["does not compile"])[0].split("error:")[-1].strip()

    def sources(self):
        found = {}
        for folder in FOLDERS:
            for path in sorted((self.tree / folder).glob("tst-*.c*")):
                if path.suffix in (".c", ".cc") and self._wanted(path.stem):
                    found[path.stem] = path
        return [found[name] for name in sorted(found)]

    def _wanted(self, name):
        return (name not in LEFT_OUT and not any(part in name for part in NOT_TESTS)
                and self.only.search(name) is not None)

    def cases(self, pool):
        built = pool.map(self._build, self.sources())
        return [case for case in built if case is not None]

    def _module(self, name):
        """The module's file; where it cannot be built, the test that wants it says so."""
        source = next(path for folder in FOLDERS
                      for path in (self.tree / folder).glob(f"{name}.c"))
        target = self.build / f"{name}.so"
        if not target.exists():
            subprocess.run(["gcc", "-w", "-std=gnu11", "-O2", "-D_GNU_SOURCE", "-fPIC", "-shared",
                            f"-I{self.shim}", f"-I{self.include}", f"-idirafter{self.tree}",
                            source, "-o", target], stderr=subprocess.DEVNULL, check=False)
        return target

    def _build(self, source):
        name = source.stem
        flags = [flag for names, more in FLAGS if name.startswith(names) for flag in more]
        item, program = self.build / f"{name}.o", self.build / name
        problem = self._compile(source, item, flags)
        if problem is None and not program.exists():
            problem = self._link(name, source, item, program)
        if problem is not None:
            self.unbuilt.append((name, problem))
            return None
        arguments = [self.build / "tst-umask1.temp"] if name == "tst-umask1" else []
        return Case(name, [program, *arguments], self.build, WORDS,
                    {"LD_LIBRARY_PATH": str(self.build)})

    def _link(self, name, source, item, program):
        for module in MODULES.get(name, ()):
            self._module(module)
        modules = [self._module(module) for module in LINKED.get(name, ())]
        done = subprocess.run(["g++" if source.suffix == ".cc" else "gcc", "-rdynamic", item,
                               self.support, *modules, "-lpthread", "-lrt", "-lm", "-ldl", "-o",
                               program], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            return None
        lines = [line for line in done.stderr.splitlines() if "undefined" in line]
        return (lines or ["does not link"])[0].split(": ", 1)[-1]
