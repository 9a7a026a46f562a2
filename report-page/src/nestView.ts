/** Everything about the chosen nest, chart by chart. */

import { coded, el, scoped } from './dom';
import { comparison, findings, reasons, rows } from './card';
import type { Detail, NestData, ReportData, Step, Verdict } from './data';
import { time } from './format';
import { gpusChart } from './gpus';
import { launchMapChart } from './launchMap';
import { mappingTable } from './mappings';
import { modelsChart } from './models';
import { nestName } from './places';
import { sizesChart } from './sizes';
import { timelineChart } from './timeline';
import { transfersChart } from './transfers';

export interface NestActions {
  /** Which kernel of the nest is looked at. */
  kernel: number;
  /** Whether what is shown is with changes: then some of it is still of the file. */
  isChanged: boolean;
  chooseKernel: (at: number) => void;
  compare: (() => void) | undefined;
  reveal: (() => void) | undefined;
}

export function section(id: string, title: string, ...children: (Node | null | false)[]): HTMLElement {
  return el('section', { id: scoped(id), 'aria-labelledby': scoped(`${id}-heading`) }, el('h2', { id: scoped(`${id}-heading`), tabindex: -1 }, title), ...children);
}

/** The sentence first, then what it is held against, then the numbers. */
export function nestHead(data: ReportData, nest: NestData, verdict: Verdict | null, detail: Detail | null, actions: NestActions): HTMLElement {
  return section(
    'nest',
    nestName(nest),
    el('p', { class: 'headline' }, nest.failure ?? verdict?.sentence ?? detail?.card.headline ?? nest.headline),
    comparison(verdict),
    nest.step && !actions.isChanged ? whatToDo(nest.step, data.steps[nest.step.kind]) : null,
    actions.reveal ? button('Show in the editor', actions.reveal) : null,
    findings(nest),
    detail ? rows(detail.card) : null,
  );
}

function whatToDo(step: Step, meaning: string | undefined): HTMLElement {
  return el('p', { class: 'step' }, 'What to do: ', ...coded(step.long), meaning ? el('span', { class: 'note' }, ' (', ...coded(meaning), ')') : null, '.');
}

export function nestCharts(data: ReportData, nest: NestData, verdict: Verdict | null, detail: Detail, actions: NestActions): HTMLElement[] {
  const kernel = detail.kernels[Math.min(actions.kernel, detail.kernels.length - 1)];
  const why = section('why', 'Why, and how sure', reasons(detail.card, data.ledger));
  if (!kernel || !detail.offload) return [why];
  return [
    section('sum', 'On the GPU and on the CPU', detail.grounds.has_ground ? transfersChart(detail, detail.offload) : guessed(detail)),
    ...(nest.break_even && !nest.break_even.why_not ? [section('size', 'From which size the GPU is faster', ofTheFile(actions), sizesChart(nest.break_even))] : []),
    ...(detail.grounds.has_ground ? [gpus(nest, detail, verdict, actions)] : []),
    ...(detail.mappings.length > 1 ? [section('mapping', 'Which loop becomes what', mappingTable(detail.mappings))] : []),
    ...(detail.kernels.length > 1 ? [kernelChoice(detail, actions)] : []),
    section('model', 'Time by model', modelsChart(kernel)),
    ...(kernel.launches_map && kernel.launches_map.cells.length > 0 ? [section('launch', 'Launches', launchMapChart(kernel.launches_map))] : []),
    section('warps', 'Warps on one multiprocessor', timelineChart(kernel.timeline)),
    why,
  ];
}

/** In place of a comparison that would be one of guesses. */
function guessed({ grounds }: Detail): HTMLElement {
  const names = grounds.guesses.map(({ name }) => name).join(', ');
  return el('p', { class: 'note' }, `GPU and CPU are not compared, for these sizes are guessed: ${names}. Say them in a comment, or try some under “What if?”. The charts below are of the guesses.`);
}

const ofTheFile = (actions: NestActions): HTMLElement | null => (actions.isChanged ? el('p', { class: 'note' }, 'Without the changes: as in the file.') : null);

/** The best of the CPU, as the sentence names it. */
export const bestCpu = (detail: Detail, verdict: Verdict | null): string => (verdict?.against === 'all cores' ? `all ${detail.cpu.cores} CPU cores` : 'one CPU core');

function gpus(nest: NestData, detail: Detail, verdict: Verdict | null, actions: NestActions): HTMLElement {
  if (nest.gpus && nest.gpus.length > 1) return section('gpu', 'GPUs compared', ofTheFile(actions), gpusChart(nest.gpus, bestCpu(detail, verdict)));
  const ask = actions.compare ? button('Compare GPUs', actions.compare) : null;
  return section('gpu', 'GPUs compared', ask, ask ? null : el('p', { class: 'note' }, 'No other GPU was named for this report (--gpus).'));
}

function kernelChoice(detail: Detail, actions: NestActions): HTMLElement {
  const select = el(
    'select',
    { id: 'kernel' },
    ...detail.kernels.map((kernel, at) => el('option', { value: at, selected: at === actions.kernel }, `line ${kernel.line}: ${time(kernel.time_s)}, ${kernel.launch.text}`)),
  );
  select.addEventListener('change', () => actions.chooseKernel(Number(select.value)));
  return el('p', { class: 'choice' }, el('label', { for: 'kernel' }, 'Kernel of this nest, for the charts below: '), select);
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const made = el('button', { type: 'button', class: 'act' }, text);
  made.addEventListener('click', act);
  return made;
}
