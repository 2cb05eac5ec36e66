"""Draws a terminal session as SVG: python3 data/picture.py TITLE <typescript. tests/demo/picture makes data/terminal.svg by it.

Handles line ends and basic colours; drops other escape sequences.
"""
import re
import sys
from xml.sax.saxutils import escape

COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "34": "#61afef", "36": "#56b6c2"}
LINE, CELL, LEFT, TOP = 20, 8.43, 18, 56
WIDTH = 80  # at least


def spans(line):
    """Pieces of text with their style: [(text, attributes)]."""
    style, result = "", []
    for part in re.split(r"(\x1b\[[0-9;?]*[a-zA-Z])", line):
        colours = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if colours:
            codes = colours.group(1).split(";")
            bold = ' font-weight="bold"' if "1" in codes else ""
            fill = "".join(f' fill="{COLOURS[c]}"' for c in codes if c in COLOURS)
            style = bold + fill
        elif part and not part.startswith("\x1b"):
            result.append((part, style))
    return result


def draw(title, lines):
    height = TOP + LINE * len(lines) + 8
    cells = max([WIDTH] + [sum(len(part) for part, _ in spans(line)) for line in lines])
    width = round(LEFT * 2 + CELL * cells)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="14" fill="#d7dae0" role="img" aria-label="{escape(title)}">'
    )
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#20242b"/>'
    for i, colour in enumerate(("#e06c75", "#e5c07b", "#98c379")):
        yield f'<circle cx="{20 + 20 * i}" cy="20" r="6" fill="{colour}"/>'
    yield f'<text x="{width / 2}" y="25" text-anchor="middle" fill="#8a919e">{escape(title)}</text>'
    for row, line in enumerate(lines):
        text = "".join(f"<tspan{style}>{escape(part)}</tspan>" for part, style in spans(line))
        yield f'<text x="{LEFT}" y="{TOP + LINE * row}" xml:space="preserve">{text}</text>'
    yield "</svg>"


def main():
    text = sys.stdin.buffer.read().decode("utf-8", "replace").replace("\r", "").expandtabs()
    print("\n".join(draw(sys.argv[1], text.rstrip("\n").split("\n"))))


main()
