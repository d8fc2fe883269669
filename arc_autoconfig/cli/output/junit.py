"""Reports of evaluations in the form of JUnit, which build servers read."""

from xml.etree import ElementTree as ET

from arc_autoconfig.visible_text import visible
from arc_core.evaluation.report import EvalReport
from arc_core.evaluation.sequential import EvalVerdict

_ELEMENTS = {EvalVerdict.FAILS: "failure", EvalVerdict.CANNOT_TELL: "error"}


def write_junit(report: EvalReport, regressions: frozenset[str]) -> str:
    """Return the report as XML; a case that cannot tell is an error, not a failure.

    Args:
        report: Of an evaluation.
        regressions: Names of cases that are worse than before, which are failures.
    """
    elements = {
        each.name: ("failure" if each.name in regressions else _ELEMENTS.get(each.verdict))
        for each in report.cases
    }
    counts = list(elements.values())
    suite = ET.Element(
        "testsuite",
        name="arc eval",
        tests=str(len(report.cases)),
        failures=str(counts.count("failure")),
        errors=str(counts.count("error")),
    )
    for case in report.cases:
        name = visible(case.name, one_line=True)
        node = ET.SubElement(suite, "testcase", classname="arc.eval", name=name)
        if element := elements[case.name]:
            message = "it is worse than before" if case.name in regressions else case.why
            text = visible(str(EvalReport(cases=(case,))))
            ET.SubElement(node, element, message=message or case.verdict).text = text
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)
