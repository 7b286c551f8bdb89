#!/bin/sh
# Make the virtual environment: `setup.sh demo` with what `make demo` needs and its kernels, `setup.sh` with everything.
# Says what is missing and how to get it.
set -eu
PYTHON="${PYTHON:-python3.11}"
VENV="${VENV:-.venv}"
WHAT="${1:-all}"

say() {
    echo "stiction: $1" >&2
}

# An installer's output is shown where it fails: what it warns of otherwise means nothing here.
install() {
    log=$(mktemp)
    if ! "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-compile "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        exit 1
    fi
    rm -f "$log"
}

if ! command -v "$PYTHON" >/dev/null 2>&1; then
    say "$PYTHON is missing; run: apt-get install python3.11 python3.11-venv"
    exit 1
fi
if ! "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    say "$PYTHON cannot make virtual environments; run: apt-get install python3.11-venv"
    exit 1
fi
if [ ! -x "$VENV/bin/python" ]; then
    say "making $VENV"
    "$PYTHON" -m venv "$VENV"
fi

if [ "$WHAT" = demo ]; then
    blender=$("$PYTHON" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["blender"])')
    say "installing the solver: numpy, numba, scipy, matplotlib"
    install "setuptools>=77" wheel
    install --no-build-isolation -c tools/constraints.txt -e . $(printf '%s\n' $blender | grep ^numpy)
    # The compiler works while Blender's module, 350 MB, is on its way.
    say "installing Blender's module, and compiling what the demo needs meanwhile"
    "$VENV/bin/python" -m stiction compile --use demo --library &
    compiling=$!
    install -c tools/constraints.txt $blender
    wait "$compiling"
else
    say "installing what tests and the extension need besides"
    install "setuptools>=77" wheel
    install --no-build-isolation -c tools/constraints.txt -e ".[dev,blender,conic]"
fi

# Blender's module needs a few system libraries that pip cannot bring.
if ! problem=$("$VENV/bin/python" -c 'import bpy' 2>&1); then
    library=$(printf '%s' "$problem" | sed -n 's/.*ImportError: \(lib[^:]*\): cannot open.*/\1/p' | tail -n 1)
    if [ -n "$library" ]; then
        say "Blender's module needs the system library $library; run: apt-get install libx11-6 libxi6 libxxf86vm1 libxfixes3 libxrender1 libxkbcommon0 libsm6 libice6 libgl1 libegl1 libgl1-mesa-dri libgomp1"
    else
        printf 'stiction: Blender'"'"'s module does not start:\n%s\n' "$problem" >&2
    fi
    exit 1
fi
