#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/abi sees each kind of change, and no addition: in a small tree of its own."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
SPDX = "/* SPDX-License-" "Identifier: MIT */\n"
API = SPDX + "#define FURWOCK_ABI 1\n#define FW_API __attribute__((visibility(\"default\")))\n"
HEADER = SPDX + """#include <furwock/bits/api.h>
#define FW_KNOT_INIT {0}
typedef struct fw_knot { unsigned word_; } fw_knot; /* a comment */
FW_API int fw_knot_tie(fw_knot *k, int hard);
static inline int fw_knot_is_tied(const fw_knot *k)
{
    return k->word_ != 0;
}
"""
SOURCE = ("#include <furwock/knot.h>\n"
          "int fw_knot_tie(fw_knot *k, int hard) { return k->word_ = hard; }\n")
HAS_ABIGAIL = shutil.which("abidiff") and shutil.which("abidw")


class Abi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("tools", "include/furwock/bits", "src", "rt", "build/src", "build/rt"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(TOP / "tools/abi", self.root / "tools/abi")
        self.write(API, HEADER, SOURCE)
        if HAS_ABIGAIL:
            self.tool(0, "renew")
        else:  # the part that needs no package
            (self.root / "src/inline.abi").write_text(self.inline(), encoding="utf-8")

    def inline(self):
        code = ("import importlib.machinery as m, sys; sys.dont_write_bytecode = True\n"
                "a = m.SourceFileLoader('abi', sys.argv[1]).load_module()\n"
                "a.write_inline(a.compiled_in()); print(a.INLINE.read_text())")
        return subprocess.run([sys.executable, "-W", "ignore", "-c", code,
                               self.root / "tools/abi"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout

    def write(self, api, header, source):
        (self.root / "include/furwock/bits/api.h").write_text(api, encoding="utf-8")
        (self.root / "include/furwock/knot.h").write_text(header, encoding="utf-8")
        (self.root / "knot.c").write_text(source, encoding="utf-8")
        first, second = (self.root / "build" / name
                         for name in ("src/libfurwock.so", "rt/libfurwock-rt.so"))
        subprocess.run(["cc", "-g", "-shared", "-fPIC", "-I", self.root / "include", "-o", first,
                        self.root / "knot.c"], check=True)
        shutil.copy(first, second)

    def tool(self, status, what):
        done = subprocess.run([sys.executable, "-B", self.root / "tools/abi", what, "--build",
                               self.root / "build"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        allowed = {status, 77} if status == 0 and not HAS_ABIGAIL else {status}
        self.assertIn(done.returncode, allowed, done.stdout)
        return done.stdout

    def test_the_same(self):
        self.tool(0, "check")
        self.write(API, HEADER.replace("a comment", "another"), SOURCE)
        self.tool(0, "check")

    def test_additions(self):
        more = "FW_API int fw_knot_cut(fw_knot *k);\n#define FW_KNOTS 7\n"
        self.write(API, HEADER + more, SOURCE + "int fw_knot_cut(fw_knot *k) { return !k; }\n")
        self.tool(0, "check")

    def test_an_inline_function(self):
        self.write(API, HEADER.replace("word_ != 0", "word_ == 1"), SOURCE)
        self.assertIn("fw_knot_is_tied, which programs have compiled in, differs",
                      self.tool(1, "check"))

    def test_a_macro(self):
        self.write(API, HEADER.replace("INIT {0}", "INIT {1}"), SOURCE)
        self.assertIn("FW_KNOT_INIT, which", self.tool(1, "check"))
        self.write(API, HEADER.replace("#define FW_KNOT_INIT {0}\n", ""), SOURCE)
        self.assertIn("FW_KNOT_INIT, which programs have compiled in, is gone",
                      self.tool(1, "check"))

    def test_another_number(self):
        self.write(API.replace("ABI 1", "ABI 2"), HEADER.replace("!= 0", "== 1"), SOURCE)
        self.assertIn("nothing to compare", self.tool(0, "check"))

    @unittest.skipUnless(HAS_ABIGAIL, "abigail-tools are not installed")
    def test_a_type(self):
        self.write(API, HEADER.replace("unsigned word_;", "unsigned long word_;"), SOURCE)
        self.assertIn("fw_knot", self.tool(1, "check"))

    @unittest.skipUnless(HAS_ABIGAIL, "abigail-tools are not installed")
    def test_a_signature(self):
        self.write(API, HEADER.replace("int hard", "long hard"),
                   SOURCE.replace("int hard", "long hard"))
        self.assertIn("fw_knot_tie", self.tool(1, "check"))

    @unittest.skipUnless(HAS_ABIGAIL, "abigail-tools are not installed")
    def test_a_function_that_is_gone(self):
        self.write(API, HEADER, SOURCE.replace("fw_knot_tie", "fw_knot_bind"))
        self.assertIn("fw_knot_tie", self.tool(1, "check"))


if __name__ == "__main__":
    unittest.main()
