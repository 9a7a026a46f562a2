/** On paper stands everything: the overview, and each loop with its sentence, its numbers and its charts. */

import { drawAll } from './chart';
import type { ReportData } from './data';
import { el, inScope } from './dom';
import { printedTable } from './overview';
import { nestCharts, nestHead, type NestActions } from './nestView';
import { forPaper } from './patterns';
import { placesOf, type Place } from './places';

const WIDTH = 660;
const NOTHING_TO_DO: NestActions = { kernel: 0, isChanged: false, chooseKernel: () => undefined, compare: undefined, reveal: undefined };

/** Sections of a loop that would be most of the paper and say least of it. */
const SCREEN_ONLY = ['launch', 'warps', 'why'];

/** `overview` makes the first lines; what is made for paper is removed again behind it. */
export function printWhole(root: HTMLElement, dataNow: () => ReportData | null, overview: (data: ReportData) => HTMLElement[]): void {
  let paper: HTMLElement | undefined;
  window.addEventListener('beforeprint', () => {
    const data = dataNow();
    if (!data || paper) return;
    forPaper(() => {
      paper = el('div', { class: 'paper' }, ...inScope('paper-', () => overview(data)), printedTable(data), ...placesOf(data.files).map((place, at) => inScope(`paper-${at}-`, () => loop(data, place))));
      root.append(paper);
      drawAll(paper, WIDTH);
    });
  });
  window.addEventListener('afterprint', () => {
    paper?.remove();
    paper = undefined;
  });
}

function loop(data: ReportData, { nest, text }: Place): HTMLElement {
  const { verdict, detail } = nest;
  const charts = detail && verdict ? nestCharts(data, nest, verdict, detail, NOTHING_TO_DO) : [];
  const shown = charts.filter(({ id }) => !SCREEN_ONLY.some((each) => id.endsWith(`-${each}`)));
  return el('article', { class: 'paper-loop' }, el('p', { class: 'note' }, text), nestHead(data, nest, verdict, detail, NOTHING_TO_DO), ...shown);
}
