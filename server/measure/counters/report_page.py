"""The page of `warplens counters report --html`: every kernel with its tables and plots, in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import matplotlib as mpl
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.server.measure.counters.plots import dependence_plots, fitted_plot, importance_plot, loadings_plot
from warplens.server.measure.counters.study_sections import heading, sections
from warplens.server.render.card import Section
from warplens.server.render.visible_text import visible_html

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; background: #fff; color: #1a1a1a; }
@media (prefers-color-scheme: dark) { :root { background: #1c1c1c; color: #e4e4e4; } a { color: #8ab4f8; } }
body { margin: 1.5rem auto; max-width: 78rem; padding: 0 1rem; }
h2 { border-top: 2px solid #ccc; font-size: 1.25rem; margin-top: 2.5rem; padding-top: .6rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; } th { border-bottom: 1px solid #999; }
figure { margin: 0; } figcaption { font-size: .9rem; } svg { height: auto; max-width: 100%; }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
.plots figure:first-child { grid-column: 1 / -1; }
nav a { margin-right: 1rem; }
"""
_PLOTS_OF = {"What the time goes with": "importance", "What the counters measure together": "loadings",
             "How well times are predicted": "fitted"}  # fmt: skip
_NAMES = re.compile(r'(\bid="|href="#|url\(#)')


def report_page(kernels: Sequence[StudiedKernel], titles: Mapping[str, str]) -> str:
    """HTML that fetches and runs nothing; every text of the files is escaped."""
    names = [f"{kernel.fit.kernel} on {kernel.gpu}" for kernel in kernels]
    title = f"Measured kernels: {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}"
    links = "".join(f'<a href="#k{place}">{_text(name)}</a>' for place, name in enumerate(names) if len(names) > 1)
    # Matplotlib names what each drawing defines as if it were alone on its page: here each gets names of its own.
    numbers = count()
    # Salted, as the names are random otherwise and the page another one every time.
    with mpl.rc_context():
        mpl.rcdefaults()  # a folder's, or a user's, matplotlibrc may name programs to run and files to put in
        mpl.rcParams.update({"svg.hashsalt": "warplens", "svg.fonttype": "path", "font.size": 9})
        body = "\n".join(_kernel(kernel, titles, place, numbers) for place, kernel in enumerate(kernels))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{_text(title)}</title>\n<style>{_STYLE}</style>'
        f"</head>\n<body><h1>{_text(title)}</h1>\n<nav>{links}</nav>\n{body}\n</body></html>\n"
    )


def _kernel(kernel: StudiedKernel, titles: Mapping[str, str], place: int, numbers: Iterator[int]) -> str:
    parts = [f'<h2 id="k{place}">{_text(heading(kernel))}</h2>']
    for section in sections(kernel, titles):
        parts.append(_section(section))
        plots = _plots(kernel, titles, _PLOTS_OF.get(section.title, ""))
        drawn = "".join(_shown(_NAMES.sub(rf"\1d{next(numbers)}-", drawing), caption) for drawing, caption in plots)
        parts.append(f'<div class="plots">{drawn}</div>' if drawn else "")
    return "\n".join(parts)


def _plots(kernel: StudiedKernel, titles: Mapping[str, str], which: str) -> Iterator[tuple[str, str]]:
    if which == "importance" and kernel.fit.groups:
        yield importance_plot(kernel.fit, titles), "Importance of each group of quantities"
        for name, curve in dependence_plots(kernel.fit, titles):
            yield curve, f"How the time goes with {name}: nine of ten resampled forests lie in the band"
    elif which == "loadings":
        yield loadings_plot(kernel.fit, titles), "Loadings of the rotated components"
    elif which == "fitted" and kernel.fit.fitted:
        yield fitted_plot(kernel.fit), "Each run's time as measured, and as a forest without that run predicts it"


def _shown(drawing: str, caption: str) -> str:
    return f"<figure><figcaption>{_text(caption)}</figcaption>{drawing}</figure>"


def _section(section: Section) -> str:
    parts = [f"<h3>{_text(section.title)}</h3>"]
    if section.table:
        head, *rows = section.table
        cells = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
        parts.append(f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>")
    if section.items:
        parts.append(f"<ul>{''.join(f'<li>{_text(item)}</li>' for item in section.items)}</ul>")
    return "\n".join(parts)


def _text(text: str) -> str:
    return visible_html(text)
