"""Failures in the words of the protocol; the text of an exception never leaves."""

from collections.abc import Iterator
from contextlib import contextmanager

from a2a.utils.errors import A2AError, InternalError, InvalidParamsError, TaskNotFoundError

from arc_core import ArcError, Logger
from arc_core.serving import Problem, problem_of

__all__ = ["reporting_errors"]

_OURS = 500


@contextmanager
def reporting_errors(logger: Logger) -> Iterator[None]:
    """Report what is raised inside as an error of the protocol."""
    try:
        yield
    except A2AError:
        raise
    except (Problem, ArcError, OSError) as error:
        raise _to_error(problem_of(error)) from None
    except Exception as error:
        logger.exception("a request by A2A failed")
        raise InternalError(problem_of(error).message) from None


def _to_error(problem: Problem) -> A2AError:
    if problem.code == "not_found":
        return TaskNotFoundError(problem.message)
    kind = InternalError if problem.status >= _OURS else InvalidParamsError
    return kind(problem.message)
