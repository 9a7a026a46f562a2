/** The same nest on several GPUs: how much faster than one core, cold and resident. */

import { dot, link, ruleX, text } from '@observablehq/plot';
import { chart } from './chart';
import type { ComparedGpu } from './data';
import { digits, factor, time } from './format';

interface Point {
  gpu: ComparedGpu;
  data: 'cold' | 'resident';
  speedup: number;
}

export function gpusChart(gpus: ComparedGpu[]): HTMLElement {
  const points = gpus.flatMap((gpu) => (['cold', 'resident'] as const).flatMap((data) => pointOf(gpu, data)));
  const order = [...gpus].sort((a, b) => (b.offload?.speedup_resident_vs_one_core ?? 0) - (a.offload?.speedup_resident_vs_one_core ?? 0));
  return chart({
    id: 'gpus',
    title: 'GPUs compared',
    says: `The nest against one core on ${gpus.length} GPUs, each with its own best launch; resident, the ${order[0]?.name ?? ''} is fastest.`,
    notes: ['Square: cold, copies included. Circle: resident, the data is on the GPU already.'],
    draw: (width) => drawing(width, order, points),
    table: {
      head: ['GPU', 'Kernels', 'Cold', 'against one core', 'Resident', 'against one core', 'Launch', 'Bound by', 'Model', 'Values of the profile that are assumed'],
      rows: () =>
        order.map(({ name, offload, launch, bound, model, values_assumed }) => [
          name,
          time(offload?.kernels_s ?? 0),
          time(offload?.cold_s ?? 0),
          versus(offload?.speedup_cold_vs_one_core),
          time(offload?.resident_s ?? 0),
          versus(offload?.speedup_resident_vs_one_core),
          launch,
          bound,
          model,
          values_assumed,
        ]),
    },
  });
}

const versus = (speedup: number | null | undefined): string => (speedup ? factor(speedup) : '');

function drawing(width: number, order: ComparedGpu[], points: Point[]) {
  const speedups = points.map((point) => point.speedup);
  const pairs = order.flatMap((gpu) => {
    const [cold, resident] = [gpu.offload?.speedup_cold_vs_one_core, gpu.offload?.speedup_resident_vs_one_core];
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
      x: { type: 'log' as const, domain: [Math.min(0.8, ...speedups) / 2, Math.max(1.25, ...speedups) * 2], label: 'times as fast as one core →', tickFormat: (value: number) => `${digits(value)}x`, ticks: Math.min(7, width / 110), grid: true },
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
      return { className: `gpu-${data}`, labels: shown.map(label), order: shown.map((point) => 2 * order.indexOf(point.gpu) + Number(data === 'resident')) };
    }),
  };
}

function pointOf(gpu: ComparedGpu, data: Point['data']): Point[] {
  const speedup = gpu.offload?.[`speedup_${data}_vs_one_core`];
  return speedup ? [{ gpu, data, speedup }] : [];
}

function label({ gpu, data, speedup }: Point): string {
  const seconds = data === 'cold' ? gpu.offload?.cold_s : gpu.offload?.resident_s;
  return `${gpu.name}, ${data}: ${factor(speedup)} than one core\n${time(seconds ?? 0)}, ${gpu.launch}\nbound by ${gpu.bound} (${gpu.model})`;
}
