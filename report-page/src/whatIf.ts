/** What can be changed without editing, and what it would change (docs/what-if.md). */

import type { ChangedNest, Verdict } from './data';
import { coded, el } from './dom';
import { count } from './format';
import { PLACES } from './gpus';
import type { Host } from './host';
import { mappingOption, type MappingTime } from './mappings';

interface Choices {
  parameters: { name: string; value: number; origin: string; text: string }[];
  gpus: { id: string; name: string }[];
  cpus: { id: string; name: string }[];
  data: ('cold' | 'resident')[];
  mappings: MappingTime[];
  kernels: { line: number | null; blocks: number[][]; outputs_per_thread: number[]; shared: { array: string; size_bytes: number }[] }[];
}

interface Numbers {
  profiles: { gpu: { id: string; name: string }; cpu: { id: string; name: string } };
  total: { gpu_s: number } | null;
}

interface WhatIfAnswer {
  choices: Choices | null;
  base: Numbers | null;
  result: Numbers | null;
  differences: string[];
  problems: { change: string; message: string }[];
  page?: ChangedNest;
}

interface Changes {
  sizes?: Record<string, number>;
  gpu?: string;
  cpu?: string;
  mapping?: string;
  block?: number[];
  workPerThread?: number;
  shared?: string[];
  data?: string;
}

const STEPS_PER_DOUBLING = 8;
const AS_RECOMMENDED = '';
const AS_IN_FILE: [string, string] = ['', 'as in the file'];

export class WhatIf {
  readonly element = el('section', { id: 'what-if', 'aria-labelledby': 'what-if-heading', hidden: true });
  private readonly controls = el('form', { class: 'controls' });
  private readonly outcome = el('div', { class: 'outcome', role: 'status' });
  private changes: Changes = {};
  private mapping: HTMLSelectElement | null = null;
  private newest = 0;
  private timer: number | undefined;

  constructor(
    private readonly host: Host,
    private readonly reference: object,
    private readonly verdict: () => Verdict | null,
    private readonly onChange: (changed: ChangedNest | null) => void,
  ) {
    const heading = el('h2', { id: 'what-if-heading' }, 'What if?');
    const reset = el('button', { type: 'button', class: 'act' }, 'Back to the file');
    reset.addEventListener('click', () => this.reset());
    this.controls.addEventListener('submit', (event) => event.preventDefault());
    this.element.append(heading, this.controls, reset, this.outcome);
    void this.ask();
  }

  private reset(): void {
    this.changes = {};
    this.controls.replaceChildren();
    void this.ask();
  }

  /** Asks at once for the first change, then at most once for those that come before the answer. */
  private change(changes: Changes): void {
    this.changes = { ...this.changes, ...changes };
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), 15);
  }

  private async ask(): Promise<void> {
    const id = ++this.newest;
    const isChanged = Object.keys(this.changes).length > 0;
    try {
      const answer = (await this.host.ask('warplens/whatIf', { ...this.reference, changes: this.changes, page: isChanged })) as WhatIfAnswer;
      if (id !== this.newest) return;
      this.show(answer);
      this.onChange(answer.page ?? null);
    } catch (error) {
      if (id === this.newest) this.outcome.replaceChildren(el('p', { class: 'note' }, error instanceof Error ? error.message : String(error)));
    }
  }

  private show({ choices, base, result, differences, problems, page }: WhatIfAnswer): void {
    if (!choices || !base || !result) {
      this.outcome.replaceChildren(...problems.map((problem) => el('p', {}, ...coded(problem.message))));
      return;
    }
    this.element.hidden = false;
    if (this.controls.childElementCount === 0) this.controls.append(...this.fields(choices, base));
    this.showMappings(choices.mappings);
    const verdict = this.verdict();
    this.outcome.replaceChildren(
      page ? el('p', { class: 'headline' }, page.verdict.sentence) : '',
      page && verdict ? el('p', { class: 'note' }, `In the file: ${verdict.sentence}`) : '',
      el('ul', {}, ...differences.map((difference) => el('li', {}, ...coded(difference)))),
      ...problems.map((problem) => el('p', { class: 'problem' }, ...coded(problem.message))),
    );
  }

  private fields(choices: Choices, base: Numbers): HTMLElement[] {
    const kernel = choices.kernels[0];
    const fields = choices.parameters.map((parameter) => this.size(parameter));
    fields.push(this.select('gpu', 'GPU', choices.gpus.map(({ id, name }) => [id, name]), base.profiles.gpu.id, (gpu) => this.change({ gpu })));
    if (choices.data.length > 1) {
      fields.push(this.select('data', 'Data', choices.data.map((data) => [data, PLACES[data]]), 'cold', (data) => this.change({ data })));
    }
    if (choices.mappings.length > 1) {
      const field = this.select('mapping', 'Mapping', [AS_IN_FILE], '', (mapping) => this.pin('mapping', mapping || undefined));
      this.mapping = field.querySelector('select');
      fields.push(field);
    }
    if (kernel) {
      const blocks: [string, string][] = kernel.blocks.map((block) => [block.join('x'), block.join('x')]);
      const outputs: [string, string][] = kernel.outputs_per_thread.map((each) => [String(each), String(each)]);
      fields.push(
        this.select('block', 'Block', [[AS_RECOMMENDED, 'as recommended'], ...blocks], AS_RECOMMENDED, (block) => this.pin('block', block === AS_RECOMMENDED ? undefined : block.split('x').map(Number))),
        this.select('outputs', 'Outputs per thread', [[AS_RECOMMENDED, 'as recommended'], ...outputs], AS_RECOMMENDED, (each) => this.pin('workPerThread', each === AS_RECOMMENDED ? undefined : Number(each))),
      );
      if (kernel.shared.length > 0) fields.push(this.shared(kernel.shared));
    }
    return fields;
  }

  /** Sets the mapping or one part of the launch, or leaves it to the search again. */
  private pin<K extends 'mapping' | 'block' | 'workPerThread' | 'shared'>(name: K, value: Changes[K] | undefined): void {
    const { [name]: _, ...others } = this.changes;
    this.changes = others;
    this.change(value === undefined ? {} : { [name]: value });
  }

  /** Their times are those at the sizes and on the GPU of the newest answer; what is chosen stays, be it in the list or not. */
  private showMappings(mappings: MappingTime[]): void {
    const { mapping } = this;
    if (!mapping) return;
    const chosen = mapping.value;
    const options = [AS_IN_FILE, ...mappings.map(mappingOption)];
    if (!options.some(([name]) => name === chosen)) options.push([chosen, chosen]);
    const isSame = options.length === mapping.options.length && options.every(([, text], at) => mapping.options[at]?.text === text);
    if (!isSame) mapping.replaceChildren(...options.map(([value, text]) => el('option', { value, selected: value === chosen }, text)));
  }

  private size({ name, value, text }: Choices['parameters'][number]): HTMLElement {
    const most = Math.max(4096, value * 64);
    const position = (size: number) => Math.round(Math.log2(Math.max(1, size)) * STEPS_PER_DOUBLING);
    const number = el('input', { type: 'number', id: `size-${name}`, min: 0, step: 1, value, title: text.replaceAll('`', '') });
    const slider = el('input', { type: 'range', min: 0, max: position(most), value: position(value), 'aria-label': `${name}, on a logarithmic scale` });
    const describe = () => slider.setAttribute('aria-valuetext', `${name} = ${count(Number(number.value))}`);
    slider.addEventListener('input', () => {
      number.value = String(Math.round(2 ** (Number(slider.value) / STEPS_PER_DOUBLING)));
      describe();
      this.changeSize(name, Number(number.value));
    });
    number.addEventListener('input', () => {
      if (number.value === '' || !number.checkValidity()) return;
      slider.value = String(position(Number(number.value)));
      describe();
      this.changeSize(name, Number(number.value));
    });
    describe();
    return el('div', { class: 'field' }, el('label', { for: `size-${name}` }, name), number, slider);
  }

  private changeSize(name: string, value: number): void {
    this.change({ sizes: { ...this.changes.sizes, [name]: value } });
  }

  private select(id: string, title: string, options: [string, string][], value: string, act: (value: string) => void): HTMLElement {
    const select = el('select', { id: `what-if-${id}` }, ...options.map(([key, text]) => el('option', { value: key, selected: key === value }, text)));
    select.addEventListener('change', () => act(select.value));
    return el('div', { class: 'field' }, el('label', { for: `what-if-${id}` }, title), select);
  }

  private shared(arrays: { array: string }[]): HTMLElement {
    const choices: [string, string][] = [[AS_RECOMMENDED, 'as recommended'], ['none', 'none'], ...subsets(arrays.map((each) => each.array))];
    return this.select('shared', 'Shared memory', choices, AS_RECOMMENDED, (value) => this.pin('shared', value === AS_RECOMMENDED ? undefined : value === 'none' ? [] : value.split(',')));
  }
}

/** Each array alone, and all of them. */
function subsets(arrays: string[]): [string, string][] {
  const each: [string, string][] = arrays.map((name) => [name, name]);
  return arrays.length > 1 ? [...each, [arrays.join(','), arrays.join(', ')]] : each;
}
