/** How many times as fast the GPU is, over the size of the problem, with the sizes from which it is faster. */

import { areaY, dot, line, ruleX, ruleY, text } from '@observablehq/plot';
import { chart } from './chart';
import type { BreakEven } from './data';
import { count, digits, factor, time } from './format';

interface Curve {
  name: string;
  gpu: 'gpu_cold_s' | 'gpu_resident_s';
  cpu: 'one_core_s' | 'all_cores_s';
  symbol: 'circle' | 'square' | 'triangle' | 'diamond';
  dash: string | undefined;
  colour: string;
}

const CURVES: Curve[] = [
  { name: 'data on the GPU, against one core', gpu: 'gpu_resident_s', cpu: 'one_core_s', symbol: 'circle', dash: undefined, colour: 'var(--colour-0)' },
  { name: 'with copies, against one core', gpu: 'gpu_cold_s', cpu: 'one_core_s', symbol: 'square', dash: undefined, colour: 'var(--colour-1)' },
  { name: 'data on the GPU, against all cores', gpu: 'gpu_resident_s', cpu: 'all_cores_s', symbol: 'triangle', dash: '5 3', colour: 'var(--colour-2)' },
  { name: 'with copies, against all cores', gpu: 'gpu_cold_s', cpu: 'all_cores_s', symbol: 'diamond', dash: '5 3', colour: 'var(--colour-3)' },
];

interface Point {
  size: number;
  speedup: number;
  at: number;
}

export function sizesChart(found: BreakEven): HTMLElement {
  return chart({
    id: 'sizes',
    title: `Speedup by ${found.name}`,
    says: `Faster on the GPU: ${(found.says ?? []).join('; ')}.`,
    notes: [
      `Shapes: ${CURVES.map(({ name, symbol }) => `${symbol}, ${name}`).join('; ')}. Above the dashed line at 1x the GPU is faster, for good from the ringed points on; the upright line is ${found.name} = ${count(found.current)}, as shown elsewhere.`,
      `${found.name} from ${count(found.least)} to ${count(found.most)} (${found.ends_at})${found.others.length ? `; ${found.others.map(([name, value]) => `${name} = ${count(value)}`).join(', ')}` : ''}.${found.has_band ? ' The band is where nine of ten measured times would put the first curve.' : ''}`,
    ],
    draw: (width) => drawing(width, found),
    table: {
      head: [found.name, ...CURVES.map((curve) => curve.name), 'GPU with copies', 'Data on the GPU', 'One core', 'All cores'],
      rows: () =>
        found.sizes.map((size, at) => [
          count(size),
          ...CURVES.map((curve) => `${digits((found[curve.cpu][at] ?? 0) / (found[curve.gpu][at] ?? 1))}x`),
          ...(['gpu_cold_s', 'gpu_resident_s', 'one_core_s', 'all_cores_s'] as const).map((name) => time(found[name][at] ?? 0)),
        ]),
    },
  });
}

function drawing(width: number, found: BreakEven) {
  const curves = CURVES.map((curve) => ({ curve, points: pointsOf(found, curve) }));
  const speedups = curves.flatMap(({ points }) => points.map((point) => point.speedup));
  const band = found.resident_band_s.map(([least, most], at) => {
    const core = found.one_core_s[at] ?? 0;
    return { size: found.sizes[at] ?? 1, low: core / most, high: core / least };
  });
  return {
    options: {
      height: Math.min(400, Math.max(260, width * 0.42)),
      marginLeft: 56,
      marginRight: 24,
      marginBottom: 40,
      x: { type: 'log' as const, label: `${found.name} →`, tickFormat: (value: number) => count(value), ticks: Math.min(7, width / 110), grid: true },
      y: { type: 'log' as const, domain: [Math.min(0.5, ...speedups), Math.max(2, ...speedups, ...band.map((each) => each.high)) * 1.3], label: '↑ times as fast', tickFormat: (value: number) => `${digits(value)}x`, ticks: 6, grid: true },
      marks: [
        found.has_band ? areaY(band, { x: 'size', y1: 'low', y2: 'high', fill: 'var(--colour-0)', fillOpacity: 0.18, clip: true }) : null,
        ruleY([1], { stroke: 'var(--text)', strokeDasharray: '4 3' }),
        ruleX([found.current], { stroke: 'var(--text)' }),
        text([found.current], { x: (each: number) => each, frameAnchor: 'top', text: () => 'now', dx: 4, textAnchor: 'start' }),
        ...curves.map(({ curve, points }) => dot(points.filter(({ size }) => size === breakEvenOf(found, curve)), { x: 'size', y: 'speedup', r: 9, stroke: curve.colour, strokeWidth: 2.5 })),
        ...curves.flatMap(({ curve, points }, at) => [
          line(points, { x: 'size', y: 'speedup', stroke: curve.colour, strokeWidth: 2, strokeDasharray: curve.dash }),
          dot(points, { x: 'size', y: 'speedup', symbol: curve.symbol, r: 4, fill: curve.colour, stroke: 'var(--text)', strokeWidth: 0.75, className: `curve-${at}` }),
        ]),
      ],
    },
    layers: curves.map(({ curve, points }, at) => ({
      className: `curve-${at}`,
      labels: points.map(({ size, speedup, at: index }) => `${found.name} = ${count(size)}, ${curve.name}\n${factor(speedup)}: ${time(found[curve.gpu][index] ?? 0)} on the GPU, ${time(found[curve.cpu][index] ?? 0)} on the CPU`),
      order: points.map((_, index) => at * 1000 + index),
    })),
  };
}

function breakEvenOf(found: BreakEven, { gpu, cpu }: Curve): number | null {
  const data = gpu === 'gpu_cold_s' ? 'cold' : 'resident';
  const cores = cpu === 'one_core_s' ? 'one core' : 'all cores';
  return found.wins.find((each) => each.data === data && each.cores === cores)?.size ?? null;
}

function pointsOf(found: BreakEven, { gpu, cpu }: Curve): Point[] {
  return found.sizes.flatMap((size, at) => {
    const speedup = (found[cpu][at] ?? 0) / (found[gpu][at] ?? 0);
    return Number.isFinite(speedup) && speedup > 0 ? [{ size, speedup, at }] : [];
  });
}
