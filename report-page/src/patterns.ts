/** Fills that differ by pattern and by colour: each chart's parts can be told apart without seeing any colour. */

import { svg } from './dom';

const SIZE = 8;
const LINES: string[] = [
  '',
  'M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4',
  'M2,2 h1 v1 h-1 z M6,6 h1 v1 h-1 z',
  'M0,4 h8',
  'M4,0 v8',
  'M0,0 l8,8 M8,0 l-8,8',
  'M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4',
];

/** How many there are: `fill` takes 0 to PATTERNS - 1. */
export const PATTERNS = LINES.length;

export const fill = (pattern: number): string => (isOnPaper ? `var(--colour-${pattern % PATTERNS})` : `url(#pattern-${pattern % PATTERNS})`);

let isOnPaper = false;

/** Whether what is made now is for paper: there tables stand beside charts, in place of patterns, which browsers print slowly. */
export const isForPaper = (): boolean => isOnPaper;

/** Makes something for paper. */
export function forPaper<T>(make: () => T): T {
  isOnPaper = true;
  try {
    return make();
  } finally {
    isOnPaper = false;
  }
}

/** The definitions; they have to be part of the page before a chart is drawn. */
export function definitions(): SVGElement {
  const patterns = LINES.map((line, at) =>
    svg(
      'pattern',
      { id: `pattern-${at}`, width: SIZE, height: SIZE, patternUnits: 'userSpaceOnUse' },
      svg('rect', { width: SIZE, height: SIZE, class: `colour-${at}` }),
      line ? svg('path', { d: line, class: 'pattern-line' }) : null,
    ),
  );
  return svg('svg', { class: 'definitions', width: 0, height: 0, 'aria-hidden': 'true' }, svg('defs', {}, ...patterns));
}

export function swatch(pattern: number): SVGElement {
  return svg('svg', { class: 'swatch', width: 18, height: 14, 'aria-hidden': 'true' }, svg('rect', { width: 18, height: 14, fill: fill(pattern), class: 'edge' }));
}
