/** What can be tried in a file that can ask nobody: another size on the curve, another GPU at the size of the file. */

import type { BreakEven, Detail, ReportData } from './data';
import { el } from './dom';
import { aboutTime, count, speed } from './format';
import { PLACES } from './gpus';
import { timesAt } from './interpolation';
import type { Place } from './places';

type DataPlace = keyof typeof PLACES;
type Cores = 'one_core_s' | 'all_cores_s';

interface Asked {
  size: number | null;
  gpu: string;
  data: DataPlace;
  cores: Cores;
}

/** Nothing where there is no number to start from. */
export function offlineWhatIf(data: ReportData, place: Place): HTMLElement | null {
  const { nest } = place;
  const { detail } = nest;
  if (!detail?.offload || !detail.grounds.has_ground) return null;
  return new Offline(data, place, detail).element;
}

class Offline {
  readonly element: HTMLElement;
  private readonly outcome = el('div', { class: 'outcome', role: 'status' });
  private readonly asked: Asked;
  private readonly found: BreakEven | null;

  constructor(
    private readonly data: ReportData,
    private readonly place: Place,
    private readonly detail: Detail,
  ) {
    const found = place.nest.break_even;
    this.found = found && !found.why_not && found.sizes.length > 1 ? found : null;
    this.asked = { size: this.found?.current ?? null, gpu: detail.gpu.id, data: 'cold', cores: 'all_cores_s' };
    this.element = el('div', {}, this.form(), this.outcome, el('p', { class: 'note' }, 'For any other size, CPU or launch, run ', el('code', {}, this.command([])), ' with ', el('code', {}, '--size'), ', ', el('code', {}, '--cpu'), ', ', el('code', {}, '--mapping'), ' or ', el('code', {}, '--block'), '.'));
    this.answer();
  }

  private form(): HTMLElement {
    const { nest } = this.place;
    const form = el('form', { class: 'controls' }, this.found && this.size(this.found));
    form.addEventListener('submit', (event) => event.preventDefault());
    const gpus: [string, string][] = nest.gpus && nest.gpus.length > 0 ? nest.gpus.map(({ gpu, name }) => [gpu, name]) : [[this.detail.gpu.id, this.detail.gpu.name]];
    form.append(
      this.select('gpu', 'GPU', gpus, this.asked.gpu, (gpu) => this.change({ gpu })),
      this.select('data', 'Data', Object.entries(PLACES), this.asked.data, (data) => this.change({ data: data as DataPlace })),
      this.select('cores', 'Against', [['all_cores_s', `all ${this.detail.cpu.cores} CPU cores`], ['one_core_s', 'one CPU core']], this.asked.cores, (cores) => this.change({ cores: cores as Cores })),
    );
    return form;
  }

  private size({ name, current, sizes }: BreakEven): HTMLElement {
    const least = sizes[0] ?? 1;
    const most = sizes.at(-1) ?? current;
    const number = el('input', { type: 'number', id: 'offline-size', min: least, max: most, step: 1, value: current });
    number.addEventListener('input', () => this.change({ size: number.value === '' ? null : Number(number.value) }));
    return el('div', { class: 'field' }, el('label', { for: 'offline-size' }, name), number);
  }

  private select(id: string, title: string, options: [string, string][], value: string, act: (value: string) => void): HTMLElement {
    const select = el('select', { id: `offline-${id}` }, ...options.map(([key, text]) => el('option', { value: key, selected: key === value }, text)));
    select.addEventListener('change', () => act(select.value));
    return el('div', { class: 'field' }, el('label', { for: `offline-${id}` }, title), select);
  }

  private change(changes: Partial<Asked>): void {
    Object.assign(this.asked, changes);
    this.answer();
  }

  private answer(): void {
    const { asked, found, detail } = this;
    const isOther = asked.gpu !== detail.gpu.id;
    const isMoved = found !== null && asked.size !== found.current;
    if (found && (asked.size === null || !Number.isInteger(asked.size))) this.say(`${found.name} is a whole number.`);
    else if (isOther && isMoved) this.refuse('The page has the other GPUs at the size of the file only.');
    else if (isMoved) this.atSize(found, asked.size ?? found.current);
    else this.atFile();
  }

  private atSize(found: BreakEven, size: number): void {
    const { asked } = this;
    const times = timesAt(found, size, asked.data === 'cold' ? 'gpu_cold_s' : 'gpu_resident_s', asked.cores);
    if (!times) {
      this.refuse(`The page has times for ${found.name} from ${count(found.sizes[0] ?? 0)} to ${count(found.sizes.at(-1) ?? 0)}.`);
      return;
    }
    const how = times.isInterpolated ? 'Interpolated between the sizes that were worked out' : 'Worked out for this size';
    this.show(`${found.name} = ${count(size)}`, times.gpuS, times.cpuS, `${how}; the launch is the best for each size.`);
  }

  /** At the size of the file, on any of the GPUs. */
  private atFile(): void {
    const { asked, detail, found } = this;
    const offload = asked.gpu === detail.gpu.id ? detail.offload : this.place.nest.gpus?.find(({ gpu }) => gpu === asked.gpu)?.offload;
    if (!offload) return;
    const cpuS = asked.cores === 'one_core_s' ? detail.cpu.one_core_s : detail.cpu.all_cores_s;
    const where = found ? `${found.name} = ${count(found.current)}, as in the file` : 'the sizes of the file';
    this.show(where, asked.data === 'cold' ? offload.cold_s : offload.resident_s, cpuS, 'Worked out when the file was written.');
  }

  private show(where: string, gpuS: number, cpuS: number, how: string): void {
    const { asked, detail } = this;
    const than = asked.cores === 'one_core_s' ? 'one CPU core' : `all ${detail.cpu.cores} CPU cores`;
    const gpu = this.place.nest.gpus?.find(({ gpu: id }) => id === asked.gpu)?.name ?? detail.gpu.name;
    const said = `At ${where}: ${aboutTime(gpuS)} on the ${gpu}, ${PLACES[asked.data]}; ${aboutTime(cpuS)} on ${than}: the GPU is ${speed(cpuS / gpuS)}.`;
    this.outcome.replaceChildren(el('p', { class: 'headline' }, said), el('p', { class: 'note' }, how));
  }

  private say(text: string): void {
    this.outcome.replaceChildren(el('p', { class: 'problem' }, text));
  }

  /** With the command that answers just this. */
  private refuse(why: string): void {
    const { asked, found, detail } = this;
    const size = found && asked.size !== found.current ? ['--size', `${found.name}=${asked.size}`] : [];
    const gpu = asked.gpu === detail.gpu.id ? [] : ['--gpu', asked.gpu];
    const data = asked.data === 'cold' ? [] : ['--data', asked.data];
    this.outcome.replaceChildren(el('p', { class: 'problem' }, `${why} This needs Warplens: run `, el('code', {}, this.command([...gpu, ...size, ...data])), '.'));
  }

  private command(changes: string[]): string {
    return whatIfCommand(this.data, this.place, changes);
  }
}

/** A command of a shell that asks this of the loop, in the folder that the report was written in. */
export function whatIfCommand(data: ReportData, { file, nest }: Pick<Place, 'file' | 'nest'>, changes: string[]): string {
  const gpu = changes.includes('--gpu') || data.machine.gpu.id === 'a100' ? [] : ['--gpu', data.machine.gpu.id];
  const words = ['warplens', 'what-if', `${file.path}:${nest.line}`, ...gpu].map(quoted);
  return [...words, ...(data.options ? [data.options] : []), ...changes.map(quoted)].join(' ');
}

/** As a POSIX shell takes one word. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
