"""Reads the public headers: every declaration with its `///` lines; for check-docs, cheatsheet."""
import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclass
class Declaration:
    kind: str  # function, type or macro
    name: str
    text: str  # one line: signature of a function or macro, name of a type
    doc: list  # the lines above, with their slashes
    line: int  # from 1


def headers():
    """The public headers, by name."""
    return sorted((ROOT / "include").rglob("*.h"))


def opening(path):
    """The first paragraph of the comment a header opens with."""
    match = re.match(r"/\*\s*(.*?)\s*(?:\*/|\n \*\n)", path.read_text(), re.DOTALL)
    return re.sub(r"\n \* ?", " ", match.group(1)) if match else ""


def statement(lines, start):
    """The declaration that begins at a line, up to its `;` or last brace; and the line after."""
    text, depth = "", 0
    for i in range(start, len(lines)):
        line = re.sub(r"/\*.*?\*/|//.*", "", lines[i])
        if line.lstrip().startswith("#"):
            continue
        text += " " + line.strip()
        depth += line.count("{") - line.count("}")
        if depth == 0 and re.search(r"[;}]\s*$", line):
            return text.strip(), i + 1
    return text.strip(), len(lines)


def describe(text):
    """Kind, name and one-line form of a declaration; None for what needs no line of its own."""
    if re.match(r"(struct|enum|union)\s+\w+\s*;$", text):
        return None
    head = text.split("{")[0]
    pointer = re.match(r"typedef [^{]*\(\*(\w+)\)", head)
    if text.startswith("typedef"):
        name = pointer.group(1) if pointer else re.search(r"(\w+)\s*;$", text).group(1)
        return "type", name, name
    tag = re.match(r"(?:struct|enum|union)\s+(\w+)\s*\{", text)
    if tag:
        return "type", tag.group(1), tag.group(1)
    call = re.search(r"(\w+)\s*\(", head)
    if call:
        signature = re.sub(r"\s*STOA_PRINTF\([^)]*\)", "", head).rstrip("; ")
        signature = re.sub(r"^static inline ", "", signature)
        return "function", call.group(1), re.sub(r"\s+", " ", signature)
    variable = re.search(r"(\w+)(\[\w*\])?\s*(=.*)?;$", text)
    return ("variable", variable.group(1), variable.group(1)) if variable else None


def declarations(path):
    """Every public declaration of a header, in order."""
    lines = path.read_text().splitlines()
    undefined = set(re.findall(r"^#undef\s+(\w+)", path.read_text(), re.MULTILINE))
    guard = re.search(r"^#ifndef\s+(\w+)\n#define\s+\1$", path.read_text(), re.MULTILINE)
    found, doc, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        macro = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?", line)
        if line.startswith("///"):
            doc.append(line)
            i += 1
            continue
        if macro:
            name, arguments = macro.group(1), macro.group(2) or ""
            if name not in undefined and not (guard and name == guard.group(1)):
                found.append(Declaration("macro", name, name + arguments, doc, i + 1))
            while lines[i].endswith("\\"):
                i += 1
            i += 1
        elif line.startswith("/*"):
            while "*/" not in lines[i]:
                i += 1
            i += 1
        elif not line.strip() or re.match(r"#|//(?!/)|\s*(STOA_BEGIN|STOA_END)\s*$", line):
            while lines[i].endswith("\\"):
                i += 1
            i += 1
        else:
            text, after = statement(lines, i)
            described = describe(text)
            if described:
                found.append(Declaration(*described, doc, i + 1))
            i = after
        doc = []
    return found
