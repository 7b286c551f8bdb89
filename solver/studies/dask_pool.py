"""The same runs on a Dask cluster; dask.distributed is optional."""

import asyncio
import importlib.util
from urllib.parse import urlsplit

from ..base.refusal import StudyError
from .measures import TRIES
from .spread.scene_files import files_of, unpacked

# Seconds until a scheduler that does not answer is given up.
PATIENCE = 3.0


class DaskPool:
    """What LocalPool does, on the workers behind a scheduler's address. They need this package installed; scene files
    are sent to them."""

    def __init__(self, address, limit=0.0, timeout=PATIENCE):
        if importlib.util.find_spec("distributed") is None:
            raise StudyError("--scheduler needs dask.distributed: pip install 'dask[distributed]'")
        _knock(address, timeout)
        from dask.distributed import Client, as_completed

        try:
            self._client = Client(address, timeout=timeout)
        except (OSError, ValueError, MemoryError) as error:
            # What another program says is read as the length of a message, which no memory holds.
            raise _unanswered(address, error) from None
        cores = sum(self._client.ncores().values())
        self.size, self.without_workers, self.limit = max(1, cores), cores == 0, limit
        self._tasks, self._tries, self._done, self._files = {}, {}, as_completed([]), {}

    def submit(self, tasks):
        """Queue tasks that are done one after another by one worker."""
        tasks = tuple(tasks)
        future = self._client.submit(_perform, tasks, self._sent(tasks[0]), self.limit, pure=False)
        self._tasks[future.key] = tasks
        self._done.add(future)

    def _sent(self, task):
        """The files of a task's scene, once a study in the cluster: as a task of its own, so that they are there again
        when the workers that had them are gone."""
        digest = task.scene.get("digest")
        if digest is not None and digest not in self._files:
            self._files[digest] = self._client.submit(_same, files_of(task.scene), key=f"stiction-scene-{digest}")
        return self._files.get(digest)

    def take(self):
        """(tasks, results) of the next ones that are done; results are None if the cluster lost them TRIES times."""
        while True:
            future = next(self._done)
            tasks = self._tasks.pop(future.key)
            if future.status == "finished":
                return tasks, future.result()
            tried = self._tries[tasks[0].key] = self._tries.get(tasks[0].key, 0) + 1
            if tried >= TRIES:
                return tasks, None
            self.submit(tasks)

    def close(self):
        """Let go of the cluster."""
        self._client.close()


def _same(files):
    return files


def _perform(tasks, files, limit):
    """Results of tasks, in a worker."""
    from .task import perform

    return perform(unpacked(tasks, files), limit)


def _knock(address, timeout):
    """Refuse an address at which nothing listens, or, where schedulers speak first, says a word: a client goes on
    asking for half a minute, or for ever."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in ("tcp", "tls"):
        return
    try:
        if parts.port is None:
            raise ValueError("it has no port")
        asyncio.run(asyncio.wait_for(_reached(parts.hostname, parts.port, parts.scheme == "tcp"), timeout))
    except TimeoutError:
        raise _unanswered(address, f"no word in {timeout:g} s") from None
    except (OSError, ValueError, EOFError) as error:
        raise _unanswered(address, error) from None


async def _reached(host, port, speaks):
    reader, writer = await asyncio.open_connection(host, port)
    if speaks:
        await reader.readexactly(1)
    writer.close()


def _unanswered(address, error):
    return StudyError(f"--scheduler {address}: nobody answers there ({error}); start `dask scheduler`")
