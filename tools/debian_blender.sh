# Debian's Blender in a chroot, for test_gui.sh and test_debian.sh, which source this: SUITE in; CHROOT and a mounted
# chroot out, until the end of the script. Made on the first call (about 2 minutes, 2 GB, needs root), so that the machine
# stays as it is. SUITE=trixie is Blender 4.3, SUITE=sid the newest.
CHROOT="${CHROOTS:-/var/tmp/blender-chroots}/$SUITE"

unmount() {
    for place in dev/shm dev proc; do
        # Busy while another walk runs: that one unmounts it.
        if mountpoint -q "$CHROOT/$place"; then umount "$CHROOT/$place" 2>/dev/null || true; fi
    done
}

mount_all() {
    mountpoint -q "$CHROOT/proc" || mount -t proc proc "$CHROOT/proc"
    mountpoint -q "$CHROOT/dev" || mount --bind /dev "$CHROOT/dev"
    mountpoint -q "$CHROOT/dev/shm" || mount -t tmpfs tmpfs "$CHROOT/dev/shm"
}

# Once the last package is there, so that what was interrupted is made anew.
make_chroot() {
    command -v debootstrap >/dev/null 2>&1 || apt-get install -y --no-install-recommends debootstrap
    mirror=$(grep -hm1 -oP '^URIs: \K\S+' /etc/apt/sources.list.d/debian.sources)
    [ -x "$CHROOT/usr/bin/apt-get" ] || debootstrap --variant=minbase "$SUITE" "$CHROOT" "$mirror"
    mount_all
    chroot "$CHROOT" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        blender xvfb xauth libgl1 libgl1-mesa-dri x11-utils xdotool imagemagick python3-pip ca-certificates
    cp -L /etc/ssl/certs/ca-certificates.crt "$CHROOT/etc/ssl/certs/"
    cp /etc/hosts "$CHROOT/etc/hosts"
    # Debian's Blender comes without numpy; cattrs, requests and zstandard are what its own extension manager imports.
    chroot "$CHROOT" env PIP_FIND_LINKS= python3 -m pip install -q --break-system-packages \
        numpy numba scipy fastjsonschema cattrs requests zstandard
    touch "$CHROOT/ready"
}

if [ "$(id -u)" != 0 ]; then
    echo "stiction: Debian's Blender lives in a chroot; run this as root" >&2
    exit 2
fi
trap unmount EXIT
[ -e "$CHROOT/ready" ] || make_chroot
mount_all
