"""Progress as callers ask for it: their own function, or True for a bar."""
import sys
from contextlib import contextmanager


@contextmanager
def shown(progress):
    """The function that a search tells of its progress, or None."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        if not callable(progress):
            raise TypeError(f"progress must be a function (doing, share, seconds_left), True or None, not {type(progress).__name__}")
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield from _line()
        else:
            with tqdm(total=100, bar_format="{l_bar}{bar}| {elapsed}") as bar:
                def tell(doing, share, seconds_left):
                    bar.set_description(doing, refresh=False)
                    bar.update(100 * share - bar.n)

                yield tell


def _line():
    width = 0

    def tell(doing, share, seconds_left):
        nonlocal width
        left = "" if seconds_left is None else f", about {seconds_left:.0f} s left"
        text = f"{doing} ({100 * share:.0f} %{left})"
        sys.stderr.write("\r" + text.ljust(width))
        sys.stderr.flush()
        width = len(text)

    try:
        yield tell
    finally:
        if width:
            sys.stderr.write("\n")
