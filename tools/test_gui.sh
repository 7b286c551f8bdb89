#!/bin/sh
# Walk through the panel in a real Blender window without a screen (Xvfb, software OpenGL). Pictures go to out/.
#
# Uses Debian's Blender, see debian_blender.sh. WALK: the script to run; that of tests/gui/first_walk.py is the first three
# minutes by real clicks, EXAMPLE=1 the wall of bricks, EXAMPLE=2 the monkeys. LONGEST: seconds after
# which a walk is ended. SIZE: width and height of the window; what is small is drawn quickly.
set -eu
cd "$(dirname "$0")/.."
SUITE="${SUITE:-trixie}"
PYTHON="${PYTHON_FOR_BUILD:-.venv/bin/python}"

. tools/debian_blender.sh

# ZIP: one that is built. LIBRARY: a folder with the library of kernels of this state, which is linked otherwise.
[ -n "${ZIP:-}" ] || ZIP=$("$PYTHON" tools/build_extension.py --wheels --python any --output build ${LIBRARY:+--library "$LIBRARY"})
# A folder for each walk: two may run at once.
GUI="/root/gui-$$"
trap 'rm -rf "$CHROOT$GUI" "$CHROOT/tmp/blender-user-$$"; unmount' EXIT
mkdir -p "$CHROOT$GUI/tmp" "$CHROOT/tmp/blender-user-$$" out
cp "$ZIP" "$CHROOT$GUI/stiction.zip"
cp "${WALK:-tests/gui/walk.py}" "$CHROOT$GUI/walk.py"
cp tests/gui/driver.py tests/blender/monkey.py tests/blender/monkey_steps.py tests/blender/hands.py \
    tests/blender/panel_layout.py "$CHROOT$GUI"
status=0
# Where Blender crashes it writes what led there, and C's calls, into its folder of temporary files: kept beside the pictures,
# as is a core where the shell allows one (ulimit -c unlimited).
rm -f out/gui_*.crash.txt
chroot "$CHROOT" env HOME=/root TMPDIR="$GUI/tmp" XDG_RUNTIME_DIR=/tmp/xdg LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe \
    BLENDER_USER_RESOURCES="/tmp/blender-user-$$" STICTION_GUI_ZIP="$GUI/stiction.zip" STICTION_CACHE_DIR=/root/kernels \
    EXAMPLE="${EXAMPLE:-1}" FRAMES="${FRAMES:-60}" PACE="${PACE:-2}" BODIES="${BODIES:-300}" DRAW="${DRAW:-1}" GUI="$GUI" \
    STEPS="${STEPS:-200}" SEED="${SEED:-1}" LONGEST="${LONGEST:-900}" SIZE="${SIZE:-1280 1040}" \
    sh -c 'mkdir -p -m 700 /tmp/xdg; cd "$GUI"; exec timeout "$LONGEST" \
        xvfb-run -a -s "-screen 0 1280x1040x24 +extension GLX" blender --factory-startup --window-geometry 0 0 $SIZE \
        -P walk.py' || status=$?
cp "$CHROOT$GUI"/gui_*.png "$CHROOT$GUI"/gui_*.log out/ 2>/dev/null || true
for kept in "$CHROOT$GUI"/tmp/*.crash.txt "$CHROOT$GUI"/core*; do
    [ ! -e "$kept" ] || cp --sparse=always "$kept" "out/gui_$(basename "$kept")"
done
exit $status
