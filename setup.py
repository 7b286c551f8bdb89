"""Finds the packages: the folder of this file is the package `stiction` itself, which no setting of setuptools says."""

import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOMS = ("solver", "blender_addon", "operators", "ui")
ROOT = Path(__file__).parent


def packages():
    """Names of all packages of the wheel."""
    found = find_packages(str(ROOT), include=[*ROOMS, *(f"{room}.*" for room in ROOMS)])
    return ["stiction", *(f"stiction.{name}" for name in found)]


class WithoutThisFile(build_py):
    """It lies in the folder of the package, and is no module of it."""

    def find_package_modules(self, package, package_dir):
        """(package, module, file) of all modules of a package."""
        found = super().find_package_modules(package, package_dir)
        return [one for one in found if Path(one[2]).resolve() != Path(__file__).resolve()]


if sys.argv[1:] == ["--packages"]:
    print("\n".join(packages()))
else:
    setup(packages=packages(), cmdclass={"build_py": WithoutThisFile})
