"""Rules for every implementation of an interface, as tests that an author's class inherits.

    class TestPiiGuard(GuardConformance):
        def make_guard(self) -> Guard:
            return PiiGuard()

Needs the extra `testing`.
"""
