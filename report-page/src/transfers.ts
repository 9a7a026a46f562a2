/** The whole nest: copies, launches and kernels on the GPU against one core and all of them. */

import { barX, text } from '@observablehq/plot';
import { chart } from './chart';
import type { Detail, Offload } from './data';
import { bytes, factor, time } from './format';
import { fill } from './patterns';

interface Part {
  row: string;
  part: string;
  begin: number;
  end: number;
}

const PARTS = ['CPU', 'copy in', 'kernels', 'launches', 'rest on one core', 'copy out'] as const;

export function transfersChart(detail: Detail, offload: Offload): HTMLElement {
  const { cpu } = detail;
  const rows: [row: string, parts: [part: (typeof PARTS)[number], seconds: number][]][] = [
    ['one core', [['CPU', cpu.one_core_s]]],
    [`all ${cpu.cores} cores`, [['CPU', cpu.all_cores_s]]],
    ['GPU with copies', [['copy in', offload.transfer_in_s], ...resident(offload), ['copy out', offload.transfer_out_s]]],
    ['data on the GPU', resident(offload)],
  ];
  const pieces = rows.flatMap(([row, parts]) => stacked(row, parts));
  const totals = rows.map(([row, parts]) => ({ row, total: parts.reduce((sum, [, seconds]) => sum + seconds, 0) }));
  const used = PARTS.filter((part) => pieces.some((piece) => piece.part === part));
  return chart({
    id: 'transfers',
    title: 'On the GPU and on the CPU',
    says: 'What the times are made of: with the copies of the data there and back, and with the data on the GPU already.',
    legend: used.map((part) => ({ pattern: PARTS.indexOf(part), text: part })),
    notes: [`${bytes(offload.bytes_in)} go in and ${bytes(offload.bytes_out)} come out. Once per process the GPU's context takes ${time(offload.context_init_s)} more, which is not counted. CPU: ${cpu.name}, bound by ${cpu.bound_by}.`],
    draw: (width) => drawing(width, rows.map(([row]) => row), pieces, totals, used),
    table: {
      head: ['Where', 'Total', 'against one core', ...PARTS],
      rows: () =>
        rows.map(([row, parts]) => {
          const total = totals.find((each) => each.row === row)?.total ?? 0;
          const compared = row === 'one core' || total <= 0 ? '' : factor(cpu.one_core_s / total);
          return [row, time(total), compared, ...PARTS.map((part) => timeOf(parts, part))];
        }),
    },
  });
}

function resident(offload: Offload): [(typeof PARTS)[number], number][] {
  return [
    ['kernels', offload.kernels_s],
    ['launches', offload.launch_overhead_s],
    ['rest on one core', offload.host_s],
  ];
}

function drawing(width: number, rows: string[], pieces: Part[], totals: { row: string; total: number }[], used: readonly string[]) {
  const byPart = used.map((part) => pieces.filter((piece) => piece.part === part));
  const patterns = used.map((part) => PARTS.indexOf(part as (typeof PARTS)[number]));
  const most = Math.max(...totals.map((each) => each.total));
  return {
    options: {
      height: 66 + 38 * rows.length,
      marginBottom: 42,
      marginLeft: 116,
      marginRight: 70,
      x: { domain: [0, most], label: 'time →', tickFormat: time, ticks: Math.min(7, width / 110), grid: true },
      y: { type: 'band' as const, domain: rows, label: null, tickSize: 0, padding: 0.25 },
      marks: [
        ...byPart.map((data, at) =>
          barX(data, { y: 'row', x1: 'begin', x2: 'end', fill: fill(patterns[at] ?? 0), stroke: 'var(--text)', strokeWidth: 0.75, className: `piece-${at}` }),
        ),
        text(totals, { y: 'row', x: 'total', text: (each: { total: number }) => time(each.total), textAnchor: 'start', dx: 5, className: 'bar-total' }),
      ],
    },
    layers: byPart.map((data, at) => ({
      className: `piece-${at}`,
      labels: data.map(({ row, part, begin, end }) => `${row}: ${part === 'CPU' ? 'the whole nest' : part}\n${time(end - begin)}`),
      order: data.map(({ row, begin }) => rows.indexOf(row) * 2 * most + begin),
    })),
  };
}

function stacked(row: string, parts: [string, number][]): Part[] {
  let begin = 0;
  return parts.flatMap(([part, seconds]) => {
    const piece = { row, part, begin, end: begin + seconds };
    begin += seconds;
    return seconds > 0 ? [piece] : [];
  });
}

function timeOf(parts: [string, number][], wanted: string): string {
  const found = parts.find(([part]) => part === wanted);
  return found ? time(found[1]) : '';
}
