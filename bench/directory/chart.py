# SPDX-License-Identifier: MIT
"""The results as a picture: a panel for each figure on each back end, bars in parts of native.

SVG without anything from elsewhere; its colours follow the reader's choice of light or dark.
"""
import html

NATIVE_BAR_PARTS = 1.5      # the longest bar there is, in parts of native
LABEL_WIDTH, BAR_WIDTH, VALUE_WIDTH = 190, 210, 60
ROW_HEIGHT, HEAD_HEIGHT, GAP = 15, 34, 18
PANEL_WIDTH = LABEL_WIDTH + BAR_WIDTH + VALUE_WIDTH
STYLE = '''
  svg { background: #ffffff; font: 11px system-ui, sans-serif; }
  text { fill: #24292f; } .quiet { fill: #57606a; } .title { font-weight: 600; }
  .native { fill: #8c959f; } .tacit { fill: #0969da; } .peer { fill: #bf8700; }
  line { stroke: #8c959f; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; }
    text { fill: #e6edf3; } .quiet { fill: #9198a1; }
    .native { fill: #6e7681; } .tacit { fill: #4493f8; } .peer { fill: #d29922; }
    line { stroke: #6e7681; }
  }'''


def text(x, y, content, *classes, anchor='start'):
    """A line of text."""
    names = f' class="{" ".join(classes)}"' if classes else ''
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{names}>'
            f'{html.escape(content)}</text>')


def bar(row, x, y):
    """A contestant's name, bar and value."""
    yield text(x + LABEL_WIDTH - 6, y + ROW_HEIGHT - 4, row.contestant, anchor='end')
    left = x + LABEL_WIDTH
    if row.of_native is None:
        yield text(left + 4, y + ROW_HEIGHT - 4, 'failed' if row.error else 'no ratio', 'quiet')
        return
    width = min(row.of_native, NATIVE_BAR_PARTS) / NATIVE_BAR_PARTS * BAR_WIDTH
    yield (f'<rect class="{row.family}" x="{left:.1f}" y="{y + 2:.1f}" width="{width:.1f}" '
           f'height="{ROW_HEIGHT - 4}"/>')
    yield text(left + width + 4, y + ROW_HEIGHT - 4, f'{row.of_native:.2f}', 'quiet')


def panel(back_end, figure, rows, x, y):
    """A figure on a back end."""
    yield text(x, y + 12, f'{figure.title}', 'title')
    native = next((row.median for row in rows if row.family == 'native'), None)
    hint = f'; native: {native:,.0f} {figure.unit}' if native else ''
    yield text(x, y + 26, f'on {back_end}, in parts of native{hint}', 'quiet')
    one = x + LABEL_WIDTH + BAR_WIDTH / NATIVE_BAR_PARTS
    bottom = y + HEAD_HEIGHT + len(rows) * ROW_HEIGHT
    yield f'<line x1="{one:.1f}" y1="{y + HEAD_HEIGHT}" x2="{one:.1f}" y2="{bottom}"/>'
    for place, row in enumerate(rows):
        yield from bar(row, x, y + HEAD_HEIGHT + place * ROW_HEIGHT)


def chart(results, back_ends, figures, caption):
    """The whole picture: a row of panels for each figure."""
    parts, y = [text(GAP, GAP + 4, caption, 'quiet')], GAP * 2
    for figure in figures:
        height = 0
        for column, back_end in enumerate(back_ends):
            rows = results.rows(back_end, figure.key)
            if rows:
                x = GAP + column * (PANEL_WIDTH + GAP)
                parts.extend(panel(back_end, figure, rows, x, y))
                height = max(height, HEAD_HEIGHT + len(rows) * ROW_HEIGHT + GAP)
        y += height
    width = GAP + len(back_ends) * (PANEL_WIDTH + GAP)
    body = '\n'.join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" '
            f'viewBox="0 0 {width} {y}">\n<style>{STYLE}\n</style>\n{body}\n</svg>\n')
