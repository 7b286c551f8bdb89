"""The same runs on a Dask cluster; dask.distributed is optional."""

from ..base.refusal import StudyError


class DaskPool:
    """What LocalPool does, on the workers behind a scheduler's address. They need this package installed."""

    def __init__(self, address, timeout="10s"):
        try:
            from dask.distributed import Client, as_completed
        except ImportError:
            raise StudyError("--scheduler needs dask.distributed: pip install 'dask[distributed]'") from None
        try:
            self._client = Client(address, timeout=timeout)
        except (OSError, ValueError) as error:
            raise StudyError(f"--scheduler {address}: nobody answers there ({error}); start `dask scheduler`") from None
        self.size = max(1, sum(self._client.ncores().values()))
        self._tasks, self._done = {}, as_completed([])

    def submit(self, tasks):
        """Queue tasks that are done one after another by one worker."""
        from .task import perform

        future = self._client.submit(perform, tuple(tasks), pure=False)
        self._tasks[future.key] = tuple(tasks)
        self._done.add(future)

    def take(self):
        """(tasks, results) of the next ones that are done; results are None if the cluster lost them."""
        future = next(self._done)
        tasks = self._tasks.pop(future.key)
        if future.status != "finished":
            return tasks, None
        return tasks, future.result()

    def close(self):
        """Let go of the cluster."""
        self._client.close()
