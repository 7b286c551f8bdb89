"""Threads: the same results in the same order for any number of them."""

import threading

import pytest

from stiction.solver.base.threads import concurrently, in_chunks


@pytest.mark.parametrize("workers", [0, 1, 2, 5])
def test_chunks_come_in_order(workers):
    chunks = in_chunks(lambda first, last: (first, last), 10, 4, workers)
    assert chunks == [(0, 4), (4, 8), (8, 10)]
    assert in_chunks(lambda first, last: 1 / 0, 0, 4, workers) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_work_aside_is_done_once_and_waited_for(workers):
    done = []

    def work():
        done.append(threading.current_thread())
        return 7

    result = concurrently(work, workers)
    assert [result(), result()] == [7, 7]
    assert len(done) == 1
    assert (done[0] is threading.main_thread()) == (workers == 1)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_aside_fails_where_it_is_waited_for(workers):
    result = concurrently(lambda: 1 / 0, workers)
    with pytest.raises(ZeroDivisionError):
        result()
