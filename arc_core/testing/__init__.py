"""For tests of agents and plugins: a scripted chat model, fakes, conformance suites."""
