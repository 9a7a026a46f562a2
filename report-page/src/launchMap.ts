/** The heat map of launches: block size across, work per thread up. */

import { cell, text } from '@observablehq/plot';
import { chart } from './chart';
import type { Cell, LaunchMap } from './data';
import { count, digits, time } from './format';

const LEAST_TEXT_WIDTH = 30;
const LEAST_BAND_WIDTH = 13;
const MARGINS = 54;

export function launchMapChart(map: LaunchMap): HTMLElement {
  const cells = [...map.cells];
  const labels = cells.map((each) => label(map, each));
  const bands = map.bands.map((band, at) => `${at + 1} ${band.label}`).join(', ');
  const best = cells.find((each) => isAt(each, map.best));
  return chart({
    id: 'launches',
    title: 'Launches',
    says: `The shortest time that ${map.model} predicts for each block size and work per thread, as a factor of the best of ${count(map.possible)} possible launches.`,
    notes: [
      `Bands, as factors of the best: ${bands}. The frame is the best${map.current ? `, the dashed frame is what is there now${map.current_origin ? ` (${map.current_origin})` : ''}` : ''}; an empty place cannot be launched.`,
      map.reasons.length > 0 && best !== undefined && `Why the best: ${map.reasons.join('; ')}.`,
    ],
    leastWidth: MARGINS + (LEAST_BAND_WIDTH + 1) * map.threads_per_block.length,
    draw: (width) => drawing(width, map, cells, labels),
    table: {
      head: ['Threads per block', 'Outputs per thread', 'Time', 'Times the best'],
      rows: () => cells.map(([threads, outputs, seconds, ratio]) => [threads, outputs, time(seconds), digits(ratio)]),
    },
  });
}

function drawing(width: number, map: LaunchMap, cells: Cell[], labels: string[]) {
  const columnWidth = (width - MARGINS) / Math.max(1, map.threads_per_block.length);
  const every = Math.max(1, Math.ceil(34 / columnWidth));
  const written = (each: Cell) => (columnWidth >= LEAST_TEXT_WIDTH ? ratioText(each[3]) : columnWidth >= LEAST_BAND_WIDTH ? String(each[4] + 1) : '');
  const place = { x: (each: Cell) => each[0], y: (each: Cell) => each[1] };
  const frame = { ...place, fill: 'none', pointerEvents: 'none' } as const;
  const current = cells.filter((each) => isAt(each, map.current));
  const bands = map.bands.map((band, at) => ({ band, data: cells.filter((each) => each[4] === at) }));
  return {
    options: {
      height: 64 + 34 * map.outputs_per_thread.length,
      marginLeft: MARGINS - 10,
      marginRight: 10,
      marginBottom: 40,
      x: { type: 'band' as const, domain: map.threads_per_block, label: `${map.x_label} →`, tickFormat: (value: number, at: number) => (at % every ? '' : String(value)), tickSize: 0 },
      y: { type: 'band' as const, domain: [...map.outputs_per_thread].reverse(), label: `↑ ${map.y_label}`, tickSize: 0 },
      marks: [
        ...bands.map(({ band, data }, at) => cell(data, { ...place, fill: band.colour, inset: 0.5, rx: 2, className: `band-${at}` })),
        ...bands.map(({ band, data }) => text(data, { ...place, text: written, fill: band.text_colour, pointerEvents: 'none' })),
        cell(cells.filter((each) => isAt(each, map.best)), { ...frame, stroke: 'var(--text)', strokeWidth: 3, inset: -1 }),
        cell(current, { ...frame, stroke: map.bands[current[0]?.[4] ?? 0]?.text_colour ?? 'var(--text)', strokeWidth: 1.5, strokeDasharray: '3 3', inset: 3 }),
      ],
    },
    layers: bands.map(({ data }, at) => {
      const indices = data.map((each) => cells.indexOf(each));
      return { className: `band-${at}`, labels: indices.map((index) => labels[index] ?? ''), order: indices };
    }),
  };
}

const isAt = (each: Cell, place: [number, number] | null): boolean => place !== null && each[0] === place[0] && each[1] === place[1];

const ratioText = (ratio: number): string => (ratio >= 999.5 ? '>999' : ratio.toFixed(ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0));

function label(map: LaunchMap, each: Cell): string {
  const [threads, outputs, seconds, ratio] = each;
  const marks = [isAt(each, map.best) && 'the best', isAt(each, map.current) && 'what is there now'].filter(Boolean).join(', ');
  return `${threads} threads per block, ${outputs} output${outputs === 1 ? '' : 's'} per thread\n${time(seconds)}, ${ratioText(ratio)} times the best${marks ? `\n${marks}` : ''}`;
}
