"""A lock between processes that the system gives back when its holder ends, however it ends."""

import contextlib
import errno
import os

if os.name == "nt":
    import msvcrt

    def _lock(descriptor):
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


# What a file system says that has no locks.
NO_LOCKS = errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP


class FileLock:
    """A lock on the file `path`, which is made for it and removed with it."""

    def __init__(self, path):
        self.path = path
        self._descriptor = None

    def take(self):
        """True if the lock is this object's now; False while another has it.

        Where files cannot be made there is nothing to share, and the lock is given, as it is by a file system without
        locks.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT)
        except OSError:
            return True
        try:
            _lock(descriptor)
            # Its last holder may have removed the file between the two calls.
            if not os.path.samestat(os.fstat(descriptor), os.stat(self.path)):
                raise OSError
        except OSError as error:
            os.close(descriptor)
            return error.errno in NO_LOCKS
        self._descriptor = descriptor
        return True

    def release(self):
        """Give the lock back; nothing happens where it is not held."""
        if self._descriptor is None:
            return
        # Windows removes no open file: there it stays, empty.
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(self._descriptor)
        self._descriptor = None
