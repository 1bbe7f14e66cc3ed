# SPDX-License-Identifier: MIT
"""The results for a terminal, under 120 columns."""

NAME_WIDTH = 34
HEADINGS = f'{"median":>11}{"min - max":>25}{"of native":>11}{"of best peer":>14}{"server us":>11}'
ERROR_WIDTH = 80


def number(value):
    """Three digits at the least, thousands apart."""
    if value is None:
        return ''
    return f'{value:,.0f}' if value >= 100 else f'{value:.3g}'


def times(value):
    """A ratio."""
    return '' if value is None else f'{value:.2f}' if value < 100 else f'{value:.0f}'


def cost(value):
    """Microseconds for an operation."""
    return '' if value is None else f'{value:.1f}'


def line(row):
    """One contestant."""
    name = f'  {row.contestant:<{NAME_WIDTH}}'
    if row.median is None:
        return f'{name}  {(row.error or "")[:ERROR_WIDTH]}'
    span = f'{number(row.low)} - {number(row.high)}'
    text = (f'{name}{number(row.median):>11}{span:>25}{times(row.of_native):>11}'
            f'{times(row.of_best_peer):>14}{cost(row.server_us):>11}')
    return (text + ('  (!)' if row.error else '')).rstrip()


def table(results, back_ends, figures):
    """A block of lines for each figure on each back end."""
    for figure in figures:
        for back_end in back_ends:
            rows = results.rows(back_end, figure.key)
            if not rows:
                continue
            yield ''
            yield f'{back_end}: {figure.title}, {figure.unit}'
            yield f'  {"":<{NAME_WIDTH}}{HEADINGS}'
            yield from map(line, rows)


def notes(absent):
    """Who could not take part."""
    if absent:
        yield ''
        yield 'not measured:'
        for name, reason in absent.items():
            yield f'  {name:<{NAME_WIDTH}}  {reason[:ERROR_WIDTH]}'
