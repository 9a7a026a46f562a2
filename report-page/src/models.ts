/** The four models side by side: what their times are made of, and how far each was off where it was measured. */

import { barX, ruleY, text, tickX } from '@observablehq/plot';
import { chart } from './chart';
import type { Kernel, ModelTime } from './data';
import { between, percent, time } from './format';
import { fill } from './patterns';

interface Part {
  model: string;
  part: string;
  begin: number;
  end: number;
}

export function modelsChart(kernel: Kernel): HTMLElement {
  const { models } = kernel;
  const parts = [...new Set(models.flatMap((model) => model.breakdown.filter((each) => each.time_s > 0).map((each) => each.part)))];
  const chosen = models.find((model) => model.is_chosen);
  return chart({
    id: 'models',
    title: 'Time by model',
    says: `One launch takes ${models.map((model) => `${time(model.time_s)} by ${model.name}${model === chosen ? ' (shown everywhere else)' : ''}`).join(', ')}.`,
    legend: parts.map((part, at) => ({ pattern: at, text: part })),
    notes: [models.some((model) => model.range_s) ? 'The line across a bar is where nine of ten measured times are expected, by what was measured of that model on kernels like this one.' : 'None of the models has been held against measurements of kernels like this one.'],
    draw: (width) => drawing(width, models, parts),
    table: {
      head: ['Model', 'Time', ...parts, '9 of 10 measured', 'Mean error', 'Measured on'],
      rows: () =>
        models.map((model) => [
          model.name,
          time(model.time_s),
          ...parts.map((part) => time(model.breakdown.find((each) => each.part === part)?.time_s ?? 0)),
          model.range_s ? between(model.range_s) : 'not checked',
          model.error ? percent(model.error.mape) : '',
          model.error ? `${model.error.measurements} measurements on ${model.error.gpus.join(', ')}` : '',
        ]),
    },
  });
}

function drawing(width: number, models: ModelTime[], parts: string[]) {
  const stacks = parts.map((part) => models.flatMap((model) => stacked(model).filter((each) => each.part === part)));
  const ranged = models.flatMap((model) => (model.range_s ? [{ model, least: model.range_s[0], most: model.range_s[1] }] : []));
  const most = Math.max(...models.map((model) => model.time_s), ...ranged.map((each) => each.most));
  const name = (model: ModelTime) => `${model.name}${model.is_chosen ? ' ✓' : ''}`;
  return {
    options: {
      height: 66 + 46 * models.length,
      marginBottom: 42,
      marginLeft: 84,
      marginRight: 20,
      x: { domain: [0, most * 1.02], label: 'time of one launch →', tickFormat: time, ticks: Math.min(7, width / 110), grid: true },
      y: { type: 'band' as const, domain: models.map(name), label: null, tickSize: 0, padding: 0.35 },
      marks: [
        ...stacks.map((data, at) =>
          barX(data, { y: (part: Part) => named(models, part.model, name), x1: 'begin', x2: 'end', fill: fill(at), stroke: 'var(--text)', strokeWidth: 0.75, className: `part-${at}` }),
        ),
        ruleY(ranged, { y: (each) => name(each.model), x1: 'least', x2: 'most', stroke: 'var(--bg)', strokeWidth: 6 }),
        ruleY(ranged, { y: (each) => name(each.model), x1: 'least', x2: 'most', stroke: 'var(--text)', strokeWidth: 2.5, className: 'model-range' }),
        ...(['least', 'most'] as const).map((end) => tickX(ranged, { y: (each) => name(each.model), x: end, stroke: 'var(--text)', strokeWidth: 2, inset: 6 })),
        text(models, { y: name, x: 0, text: (model: ModelTime) => time(model.time_s), textAnchor: 'start', dx: 2, dy: -22, className: 'bar-total' }),
      ],
    },
    layers: [
      ...stacks.map((data, at) => ({
        className: `part-${at}`,
        labels: data.map(({ model, part, begin, end }) => `${named(models, model, (each) => each.name)}: ${part}\n${time(end - begin)} of ${time(models.find((each) => each.model === model)?.time_s ?? 0)}`),
        order: data.map(({ model }) => models.findIndex((each) => each.model === model) * 100 + at),
      })),
      {
        className: 'model-range',
        labels: ranged.map(({ model, least, most: last }) => `${model.name}: ${between([least, last])}${model.error ? `\n${percent(model.error.mape)} off on average in ${model.error.measurements} measurements (${model.error.gpus.join(', ')})` : ''}`),
        order: ranged.map(({ model }) => models.indexOf(model) * 100 + 99),
      },
    ],
  };
}

function stacked(model: ModelTime): Part[] {
  let begin = 0;
  return model.breakdown.flatMap(({ part, time_s }) => {
    const end = begin + time_s;
    const piece = time_s > 0 ? [{ model: model.model, part, begin, end }] : [];
    begin = end;
    return piece;
  });
}

function named(models: ModelTime[], id: string, name: (model: ModelTime) => string): string {
  const model = models.find((each) => each.model === id);
  return model ? name(model) : id;
}
