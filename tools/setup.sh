#!/bin/sh
# Make the virtual environment with everything the two commands of the README need; says what is missing and how to get it.
set -eu
PYTHON="${PYTHON:-python3.11}"
VENV="${VENV:-.venv}"

if ! command -v "$PYTHON" >/dev/null 2>&1; then
    echo "stiction: $PYTHON is missing; run: apt-get install python3.11 python3.11-venv" >&2
    exit 1
fi
if ! "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    echo "stiction: $PYTHON cannot make virtual environments; run: apt-get install python3.11-venv" >&2
    exit 1
fi
[ -x "$VENV/bin/python" ] || "$PYTHON" -m venv "$VENV"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "setuptools>=77" wheel
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation -c tools/constraints.txt -e ".[dev,blender,conic]"

# Blender's module needs a few system libraries that pip cannot bring.
if ! problem=$("$VENV/bin/python" -c 'import bpy' 2>&1); then
    library=$(printf '%s' "$problem" | sed -n 's/.*ImportError: \(lib[^:]*\): cannot open.*/\1/p' | tail -n 1)
    if [ -n "$library" ]; then
        echo "stiction: Blender's module needs the system library $library; run: apt-get install libx11-6 libxi6 libxxf86vm1 libxfixes3 libxrender1 libxkbcommon0 libsm6 libice6 libgl1 libegl1 libgl1-mesa-dri libgomp1" >&2
    else
        printf 'stiction: Blender'"'"'s module does not start:\n%s\n' "$problem" >&2
    fi
    exit 1
fi
