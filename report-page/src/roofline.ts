/** The roofline: every nest's kernels under what the GPU reaches at most. */

import { dot, gridX, gridY, line, link, text } from '@observablehq/plot';
import { chart } from './chart';
import type { NestData, Roof, RooflineKernel } from './data';
import { digits, percent, rate, time } from './format';
import { nestName } from './places';

interface Point {
  nest: NestData;
  kernel: RooflineKernel;
  x: number;
  y: number;
  isChosen: boolean;
}

const HALO = { fill: 'var(--text)', stroke: 'var(--bg)', strokeWidth: 4 };

/** The highest rate at an intensity under one bandwidth and one peak. */
const reached = (bandwidth: Roof, peak: Roof, intensity: number): number => Math.min(bandwidth.per_s * intensity, peak.per_s);

export function rooflineChart(machine: { name: string; roofs: Roof[] }, nests: NestData[], chosen: NestData | undefined, choose: (nest: NestData) => void): HTMLElement {
  const points = nests.flatMap((nest) => nest.kernels.filter(isPlaced).map((kernel) => pointOf(nest, kernel, nest === chosen)));
  points.sort((a, b) => Number(a.isChosen) - Number(b.isChosen) || a.x - b.x);
  const without = nests.filter((nest) => nest.kernels.length > 0 && !nest.kernels.some(isPlaced));
  const bandwidths = machine.roofs.filter((roof) => roof.kind === 'bandwidth');
  const peaks = machine.roofs.filter((roof) => roof.kind === 'computation');
  const dram = bandwidths[0];
  return chart({
    id: 'roofline',
    title: 'Roofline',
    says: `Each point is a kernel on the ${machine.name}: operations per byte of device memory across, operations per second up. On a sloping line memory is the limit, on a level one arithmetic.`,
    notes: [
      `Circle: bound by memory; square: by computation; triangle: by something else, such as launching.${chosen ? ' The diamond is the chosen loop per byte from L2 or beyond: how far it stands left of its point is what the L2 cache saves.' : ''}`,
      without.length > 0 && `Without floating-point operations, so not in this chart: ${without.map(nestName).join(', ')}.`,
    ],
    draw: (width) => drawing(width, bandwidths, peaks, points, choose),
    table: {
      head: ['Kernel', 'FLOP per byte of DRAM', 'FLOP per byte of L2', 'FLOP/s', 'of what is reached at most', 'Time', 'Bound by'],
      rows: () =>
        points.map(({ nest, kernel, x, y }) => {
          const most = mostAt(dram, peaks, kernel, x);
          return [nestName(nest), digits(x), kernel.l2_flops_per_byte === null ? '' : digits(kernel.l2_flops_per_byte), rate(y, 'FLOP/s'), most ? percent(y / most) : '', time(kernel.time_s), kernel.bound];
        }),
    },
  });
}

function drawing(width: number, bandwidths: Roof[], peaks: Roof[], points: Point[], choose: (nest: NestData) => void) {
  const [least, most] = extent(points, bandwidths, peaks);
  const highest = peaks.reduce((a, b) => (a.per_s > b.per_s ? a : b));
  const fastest = bandwidths.reduce((a, b) => (a.per_s > b.per_s ? a : b));
  const slopes = bandwidths.map((roof) => [least, highest.per_s / roof.per_s].map((x) => ({ x, y: reached(roof, highest, x) })));
  const levels = peaks.map((roof) => [roof.per_s / fastest.per_s, most].map((x) => ({ x, y: roof.per_s })));
  const bottom = Math.min(...points.map((point) => point.y), ...slopes.map((slope) => slope[0]?.y ?? Infinity)) / 2;
  const chosen = points.filter((point) => point.isChosen && point.kernel.l2_flops_per_byte);
  const l2 = (point: Point) => point.kernel.l2_flops_per_byte ?? point.x;
  const labels = points.map(label);
  return {
    options: {
      height: Math.min(440, Math.max(300, width * 0.5)),
      marginLeft: 62,
      marginRight: 24,
      marginBottom: 42,
      x: { type: 'log' as const, domain: [least, most], label: 'FLOP per byte →', tickFormat: digits, ticks: Math.min(9, width / 80) },
      y: { type: 'log' as const, domain: [bottom, highest.per_s * 2.5], label: '↑ FLOP/s', tickFormat: (value: number) => rate(value, ''), ticks: 6 },
      marks: [
        gridX({ ticks: Math.min(9, width / 80) }),
        gridY({ ticks: 6 }),
        ...slopes.map((slope) => line(slope, { x: 'x', y: 'y', stroke: 'var(--text)', strokeWidth: 1.5 })),
        ...levels.map((level) => line(level, { x: 'x', y: 'y', stroke: 'var(--text)', strokeWidth: 1.5, strokeDasharray: '6 3' })),
        // The first bandwidth's name stands below its line, the others' above theirs: the lines are close.
        ...bandwidths.map((roof, at) =>
          text([{ x: (0.3 * highest.per_s) / roof.per_s, y: 0.3 * highest.per_s }], { x: 'x', y: 'y', text: () => `${roof.name} ${rate(roof.per_s, 'B/s')}`, textAnchor: at === 0 ? 'start' : 'end', dx: at === 0 ? 9 : -9, dy: at === 0 ? 5 : -5, ...HALO, className: 'roof-name' }),
        ),
        text(
          peaks.map((roof) => ({ x: most, y: roof.per_s, text: `${roof.name} ${rate(roof.per_s, 'FLOP/s')}` })),
          { x: 'x', y: 'y', text: 'text', textAnchor: 'end', dy: -7, ...HALO, className: 'roof-name' },
        ),
        link(chosen, { x1: 'x', x2: l2, y1: 'y', y2: 'y', stroke: 'var(--accent)', strokeWidth: 1.5, strokeDasharray: '2 2' }),
        dot(chosen, { x: l2, y: 'y', symbol: 'diamond', r: 6, stroke: 'var(--accent)', strokeWidth: 2, fill: 'var(--bg)' }),
        dot(points, { x: 'x', y: 'y', r: (point: Point) => (point.isChosen ? 8 : 6), symbol: (point: Point) => symbolOf(point.kernel), fill: 'var(--colour-0)', stroke: 'var(--text)', sort: null, className: 'roof-point' }),
        ...(['start', 'end'] as const).map((side) =>
          text(points.filter((point) => point.isChosen && (point.x < Math.sqrt(least * most)) === (side === 'start')), { x: 'x', y: 'y', text: (point: Point) => nestName(point.nest), textAnchor: side, dx: side === 'start' ? 13 : 8, dy: side === 'start' ? 1 : 20, fontWeight: 'bold', ...HALO, pointerEvents: 'none' }),
        ),
      ],
      symbol: { type: 'identity' as const },
      r: { type: 'identity' as const },
    },
    layers: [{ className: 'roof-point', labels, order: points.map((point) => point.x), activate: (at: number) => choose((points[at] as Point).nest) }],
  };
}

/** Bound by memory or by something else: told apart by shape. */
const symbolOf = (kernel: RooflineKernel): string => (kernel.bound.startsWith('memory') ? 'circle' : kernel.bound.startsWith('comp') ? 'square' : 'triangle');

function isPlaced(kernel: RooflineKernel): boolean {
  return kernel.flops_per_s > 0 && kernel.dram_flops_per_byte !== null && kernel.dram_flops_per_byte > 0;
}

function pointOf(nest: NestData, kernel: RooflineKernel, isChosen: boolean): Point {
  return { nest, kernel, x: kernel.dram_flops_per_byte ?? 0, y: kernel.flops_per_s, isChosen };
}

function extent(points: Point[], bandwidths: Roof[], peaks: Roof[]): [number, number] {
  const ridges = peaks.flatMap((peak) => bandwidths.map((roof) => peak.per_s / roof.per_s));
  const xs = points.flatMap((point) => [point.x, point.kernel.l2_flops_per_byte ?? point.x]);
  return [Math.min(0.1, ...xs) / 2, Math.max(...ridges, ...xs) * 4];
}

function mostAt(bandwidth: Roof | undefined, peaks: Roof[], kernel: RooflineKernel, intensity: number): number {
  const peak = peaks.find((roof) => roof.name === kernel.peak);
  return bandwidth && peak ? reached(bandwidth, peak, intensity) : 0;
}

function label({ nest, kernel, x, y }: Point): string {
  const how = `${rate(y, 'FLOP/s')} at ${digits(x)} FLOP per byte of device memory`;
  return `${nestName(nest)}\n${how}\n${time(kernel.time_s)}${kernel.launches > 1 ? ` in each of ${kernel.launches} launches` : ''}, bound by ${kernel.bound}`;
}
