"""Compiles atmost._atmost against the libatmost that pkg-config finds."""
import glob
import os
import shlex
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


def pkg_config(what: str) -> "list[str]":
    program = os.environ.get("PKG_CONFIG", "pkg-config")
    return shlex.split(subprocess.check_output([program, what, "atmost"], text=True))


class Build(build_ext):
    def build_extensions(self) -> None:  # only here: an sdist is made without the library
        for extension in self.extensions:
            extension.extra_compile_args += pkg_config("--cflags")
            extension.extra_link_args += pkg_config("--libs")
        super().build_extensions()


setup(cmdclass={"build_ext": Build},
      ext_modules=[Extension("atmost._atmost", sorted(glob.glob("native/*.c")),
                             depends=glob.glob("native/*.h"),
                             extra_compile_args=["-std=c11", "-Wall", "-Wextra",
                                                 "-fvisibility=hidden"])])
