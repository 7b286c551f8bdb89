"""Compiled code in one file that many processes read and write: SQLite keeps it whole, whoever is killed when.

Each entry has a digest of its content, so that what a disk damaged is compiled anew. Who misses an entry claims it and
makes it; others wait for it, as long as the process that has the claim lives: it holds a lock that the system gives
back when it ends. Where the file cannot be written, that is said once, and each process compiles for itself.
"""

import contextlib
import hashlib
import os
import sqlite3
import sys
import threading
import time
import uuid

from .file_lock import FileLock

# How long to wait for another process that compiles the same function [s], and how often to look. The largest kernel
# takes 20 s on a slow core; a process that is stopped, not ended, holds nobody up for longer.
LONGEST_WAIT, POLL = 120.0, 0.02
# Size of the file at which entries that were made first go [bytes]: some fifteen versions of all kernels.
LARGEST = 500_000_000
_DIGEST = 16
_CONTENT = "select content from entry where name = ?"
_TABLES = """
create table if not exists entry (name text primary key, content blob, made real) without rowid;
create table if not exists claim (name text primary key, owner text) without rowid;
"""


class Store:
    """Compiled code by name, in the file `path`; what is not there may be in the file `shipped`.
    said: what is called with a sentence where `path` cannot be written."""

    def __init__(self, path, shipped=None, said=None):
        self.path, self._owner, self._alive = path, f"{os.getpid()}-{uuid.uuid4().hex[:8]}", None
        self._shipped = None
        if shipped is not None and shipped.is_file():
            self._shipped = sqlite3.connect(f"{shipped.as_uri()}?immutable=1", uri=True, check_same_thread=False)
        self._said = said or (lambda line: print(f"stiction: {line}", file=sys.stderr))
        self._lock, self._database, self._broken = threading.RLock(), None, False

    def read(self, name):
        """The content of an entry; None where there is none, or it is damaged."""
        content = _sound(self._do(_CONTENT, name))
        return content if content is not None or self._shipped is None else self._read_shipped(name)

    def _read_shipped(self, name):
        try:
            with self._lock:
                return _sound(self._shipped.execute(_CONTENT, (name,)).fetchall())
        except sqlite3.DatabaseError:
            return None

    def write(self, name, content):
        """Keep an entry, and give back the claim on it."""
        self._do("insert or replace into entry values (?, ?, ?)", name, _digest(content) + content, time.time())
        self.release(name)

    def names(self):
        """Names of all entries."""
        return {row[0] for row in self._do("select name from entry")}

    def read_or_claim(self, name):
        """The content of an entry, waiting while another process makes it; None where this process is to make it."""
        end = time.monotonic() + LONGEST_WAIT
        while True:
            content = self.read(name)
            if content is not None or self._claim(name) or time.monotonic() > end:
                return content
            time.sleep(POLL)

    def is_claimed(self, name):
        """Whether another process that lives is making an entry."""
        owner = self._claimant(name)
        return owner not in (None, self._owner) and self._lives(owner)

    def release(self, name):
        """Give back the claim on an entry."""
        self._do("delete from claim where name = ? and owner = ?", name, self._owner)

    def _claim(self, name):
        """Whether the claim is this process's now, or there is nobody to share with."""
        if self._broken:
            return True
        if self._alive is None:
            self._alive = self._lock_of(self._owner)
            self._alive.take()
        other = self._claimant(name)
        if other not in (None, self._owner):
            if self._lives(other):
                return False
            self._do("delete from claim where name = ? and owner = ?", name, other)
        self._do("insert or ignore into claim values (?, ?)", name, self._owner)
        # Another process may have made the entry between the look at it and the claim.
        return self._broken or (self._claimant(name) == self._owner and self.read(name) is None)

    def _claimant(self, name):
        rows = self._do("select owner from claim where name = ?", name)
        return rows[0][0] if rows else None

    def _lives(self, owner):
        lock = self._lock_of(owner)
        ended = lock.take()
        lock.release()
        return not ended

    def _lock_of(self, owner):
        return FileLock(self.path.with_name(f"{self.path.name}.{owner}.alive"))

    def trim(self):
        """Remove the oldest entries of a file that has grown too large, and what ended processes left beside it."""
        for left in self.path.parent.glob(f"{self.path.name}.*.alive"):
            if (lock := FileLock(left)).take():
                lock.release()
        if self.path.exists() and self.path.stat().st_size > LARGEST:
            self._do("delete from entry where made < (select avg(made) from entry)")
            self._do("vacuum")

    def close(self):
        """Let go of the file; the next call opens it again."""
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None
            if self._alive is not None:
                self._alive.release()
            self._alive = None

    def _do(self, statement, *values):
        """Rows of a statement; none where the file cannot be used."""
        with self._lock:
            if self._broken:
                return []
            try:
                return self._opened().execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                self._give_up(error)
            except sqlite3.DatabaseError:
                self._begin_again()
            return []

    def _opened(self):
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=60.0, isolation_level=None, check_same_thread=False)
            # A computer that fails may leave a damaged file, which is noticed and made anew.
            self._database.execute("pragma synchronous = off")
            self._database.executescript(_TABLES)
        return self._database

    def _begin_again(self):
        """Put a damaged file out of the way."""
        self.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def _give_up(self, error):
        self._broken = True
        self._said(f"compiled kernels cannot be kept in {self.path} ({error}): every process compiles its own. "
                   "Make room there, or set STICTION_CACHE_DIR to a folder that can be written.")  # fmt: skip


def _digest(content):
    return hashlib.sha256(content).digest()[:_DIGEST]


def _sound(rows):
    """The content in the first row; None where there is none, or it is damaged."""
    content = rows[0][0] if rows else b""
    return content[_DIGEST:] if content and _digest(content[_DIGEST:]) == content[:_DIGEST] else None
