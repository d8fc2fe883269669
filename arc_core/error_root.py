"""The root of the error tree, below the values that the errors speak of."""

__all__ = ["ArcError"]


class ArcError(Exception):
    """Root of the tree; `except ArcError` catches whatever Arc raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exception would call the constructor with `args`, which keyword-only ones do not take.
        return _restore, (type(self), self.args), vars(self)


def _restore(cls: type[ArcError], args: tuple[object, ...]) -> ArcError:
    return cls.__new__(cls, *args)
