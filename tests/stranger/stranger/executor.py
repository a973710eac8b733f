"""An executor that an address names: ``post://OFFICE`` sends everything as bytes."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Office:
    def __init__(self, letters: Path) -> None:
        self.letters = letters

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        letter = pickle.dumps((function, args))
        with self.letters.open("a") as stamps:
            stamps.write(f"{len(letter)}\n")
        call, given = pickle.loads(letter)
        answer: Future[Any] = Future()
        answer.set_result(pickle.loads(pickle.dumps(call(*given))))
        return answer


@contextmanager
def connected(office: str) -> Iterator[Office]:
    yield Office(Path(office))
