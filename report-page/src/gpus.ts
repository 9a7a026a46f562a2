/** The same nest on several GPUs: how much faster than the best of the CPU, with the copies and without. */

import { dot, link, ruleX, text } from '@observablehq/plot';
import { chart } from './chart';
import type { ComparedGpu } from './data';
import { compared, digits, factor, plural, time } from './format';

type Place = 'cold' | 'resident';

/** What the two are called: `cold` is with the copies there and back. */
export const PLACES: Record<Place, string> = { cold: 'with copies', resident: 'data on the GPU' };

interface Point {
  gpu: ComparedGpu;
  data: Place;
  speedup: number;
}

/** `than` is the best of the CPU: one core, or all of them. */
export function gpusChart(gpus: ComparedGpu[], than: string): HTMLElement {
  const points = gpus.flatMap((gpu) => (['cold', 'resident'] as const).flatMap((data) => pointOf(gpu, data)));
  const order = [...gpus].sort((a, b) => (speedup(b, 'resident') ?? 0) - (speedup(a, 'resident') ?? 0));
  return chart({
    id: 'gpus',
    title: 'GPUs compared',
    says: `The loop on ${plural(gpus.length, 'GPU')} against ${than}, each GPU with its own best launch; with the data on the GPU, the ${order[0]?.name ?? ''} takes least.`,
    notes: ['Square: with the copies there and back. Circle: the data is on the GPU already. Left of the dashed line the GPU is slower.'],
    draw: (width) => drawing(width, order, points, than),
    table: {
      head: ['GPU', 'Kernels', 'With copies', `against ${than}`, 'Data on the GPU', `against ${than}`, 'Launch', 'Bound by', 'Model', 'Values of the profile that are assumed'],
      rows: () =>
        order.map((gpu) => [
          gpu.name,
          time(gpu.offload?.kernels_s ?? 0),
          time(gpu.offload?.cold_s ?? 0),
          factor(speedup(gpu, 'cold') ?? 0),
          time(gpu.offload?.resident_s ?? 0),
          factor(speedup(gpu, 'resident') ?? 0),
          gpu.launch,
          gpu.bound,
          gpu.model,
          gpu.values_assumed,
        ]),
    },
  });
}

/** Against the best of the CPU, as the verdict has it; undefined without a ground. */
export function speedup({ offload }: ComparedGpu, data: Place): number | undefined {
  const [one, all] = [offload?.[`speedup_${data}_vs_one_core`], offload?.[`speedup_${data}_vs_all_cores`]];
  return one && all ? Math.min(one, all) : undefined;
}

function drawing(width: number, order: ComparedGpu[], points: Point[], than: string) {
  const speedups = points.map((point) => point.speedup);
  const pairs = order.flatMap((gpu) => {
    const [cold, resident] = [speedup(gpu, 'cold'), speedup(gpu, 'resident')];
    return cold && resident ? [{ gpu, cold, resident }] : [];
  });
  const mark = (data: Point['data'], symbol: 'circle' | 'square', colour: string) =>
    dot(points.filter((point) => point.data === data), { y: (point: Point) => point.gpu.name, x: 'speedup', symbol, r: 7, fill: colour, stroke: 'var(--text)', className: `gpu-${data}` });
  return {
    options: {
      height: 66 + 34 * order.length,
      marginBottom: 42,
      marginLeft: Math.min(165, width * 0.42),
      marginRight: 40,
      x: { type: 'log' as const, domain: [Math.min(0.8, ...speedups) / 2, Math.max(1.25, ...speedups) * 2], label: `times as fast as ${than} →`, tickFormat: (value: number) => `${digits(value)}x`, ticks: Math.min(7, width / 110), grid: true },
      y: { type: 'band' as const, domain: order.map((gpu) => gpu.name), label: null, tickSize: 0 },
      marks: [
        ruleX([1], { stroke: 'var(--text)', strokeDasharray: '4 3' }),
        link(pairs, { y1: (pair) => pair.gpu.name, y2: (pair) => pair.gpu.name, x1: 'cold', x2: 'resident', stroke: 'var(--faint)' }),
        mark('cold', 'square', 'var(--colour-1)'),
        mark('resident', 'circle', 'var(--colour-0)'),
        ...(['cold', 'resident'] as const).map((data) =>
          text(points.filter((point) => point.data === data), { y: (point: Point) => point.gpu.name, x: 'speedup', text: (point: Point) => `${digits(point.speedup)}x`, textAnchor: data === 'cold' ? 'end' : 'start', dx: data === 'cold' ? -11 : 11, pointerEvents: 'none' }),
        ),
      ],
    },
    layers: (['cold', 'resident'] as const).map((data) => {
      const shown = points.filter((point) => point.data === data);
      return { className: `gpu-${data}`, labels: shown.map((point) => label(point, than)), order: shown.map((point) => 2 * order.indexOf(point.gpu) + Number(data === 'resident')) };
    }),
  };
}

function pointOf(gpu: ComparedGpu, data: Place): Point[] {
  const found = speedup(gpu, data);
  return found ? [{ gpu, data, speedup: found }] : [];
}

function label({ gpu, data, speedup: found }: Point, than: string): string {
  const seconds = data === 'cold' ? gpu.offload?.cold_s : gpu.offload?.resident_s;
  return `${gpu.name}, ${PLACES[data]}: ${compared(found, than)}\n${time(seconds ?? 0)}, ${gpu.launch}\nbound by ${gpu.bound} (${gpu.model})`;
}
