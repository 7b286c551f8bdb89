#!/bin/sh
# Install the zip for every Python in Debian's Blenders, whose Pythons there are no wheels for, and bake there at once; then
# from an own repository, with an update:
# `test_debian.sh ZIP SUITE...`, see debian_blender.sh and try_zip.py.
set -eu
cd "$(dirname "$0")/.."
PYTHON="${PYTHON_FOR_BUILD:-.venv/bin/python}"
ZIP="$1"
shift

for suite in "$@"; do
    (
        SUITE="$suite"
        . tools/debian_blender.sh
        "$PYTHON" tools/try_zip.py "$ZIP" --chroot "$CHROOT"
        "$PYTHON" tools/try_repository.py "$ZIP" --chroot "$CHROOT"
    )
done
