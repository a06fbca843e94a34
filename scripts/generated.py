"""Writes a generated page, or checks that it is current; for cheatsheet and progress."""
import difflib
import sys


def main(path, text, script):
    """Writes text to path; with --check compares, and ends the program if they differ."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(f"usage: {script} [--check]")
    old = path.read_text() if path.exists() else ""
    name = f"{path.parent.name}/{path.name}"
    if sys.argv[1:]:
        if old != text:
            pages = old.splitlines(), text.splitlines()
            lines = difflib.unified_diff(*pages, name, "as it should be", lineterm="", n=0)
            print("\n".join(list(lines)[:40]))
            sys.exit(f"{name} is not current: run {script}")
        print(f"{name} is current")
    elif old != text:
        path.write_text(text)
        print(f"{name} written")
