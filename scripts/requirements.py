"""Reads the requirement list and finds the tests that name an ID; for check-tests, progress."""
import pathlib
import re
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parent.parent
ID = r"[A-Z]{3}-\d{2}"
PLACES = ["tests", "bindings/*/tests", "inspector/tests", "tools/tests"]
SUFFIXES = {".c", ".h", ".cpp", ".lua", ".py", ".js", ".mjs", ".sh", ".cmake"}


def listed():
    """The groups of docs/requirements.md: heading and its (ID, meaning) pairs."""
    groups = []
    for line in (ROOT / "docs" / "requirements.md").read_text().splitlines():
        heading = re.match(r"## (.*)", line)
        requirement = re.match(rf"- \*\*({ID})\*\* (.*)", line)
        if heading:
            groups.append((heading.group(1), []))
        elif requirement:
            groups[-1][1].append(requirement.groups())
    return [group for group in groups if group[1]]


def named():
    """From each ID to the test files that name it, by path."""
    tests = defaultdict(list)
    for place in PLACES:
        for folder in sorted(ROOT.glob(place)):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and (path.suffix in SUFFIXES or path.name == "CMakeLists.txt"):
                    text = path.read_text(errors="replace")
                    for name in sorted(set(re.findall(rf"\b{ID}\b", text))):
                        tests[name].append(path.relative_to(ROOT).as_posix())
    return tests


def count(groups, tests):
    """How many requirements of some groups are named by a test, and how many there are."""
    names = [name for _, requirements in groups for name, _ in requirements]
    return sum(name in tests for name in names), len(names)
