/** The page: a list of nests, the roofline of all, everything about the chosen one. */

import { notAnalysed, profiles } from './card';
import type { ChangedNest, NestData, ReportData } from './data';
import { el } from './dom';
import { Host, type Report } from './host';
import { fileName, nestList } from './nests';
import { nestCharts, nestHead, section, type NestActions } from './nestView';
import { definitions } from './patterns';
import { rooflineChart } from './roofline';
import { attachTip } from './tip';
import { WhatIf } from './whatIf';

class Page {
  private readonly root = el('div', { class: 'page' });
  private readonly status = el('p', { class: 'visually-hidden', role: 'status' });
  private data: ReportData | null = null;
  private uri = '';
  private chosen: NestData | undefined;
  private kernel = 0;
  private whatIf: WhatIf | undefined;
  /** What is shown in place of the chosen nest's own numbers: those with changes. */
  private changed: ChangedNest | null = null;

  constructor(private readonly host: Host | undefined) {
    document.body.append(definitions(), this.status, this.root);
    attachTip();
  }

  show({ data, uri, line }: Report): void {
    const before = this.chosen;
    this.data = data;
    this.uri = uri;
    this.changed = null;
    this.whatIf = undefined;
    const nests = this.nests();
    this.chosen =
      (line === undefined ? undefined : nests.find((nest) => nest.line <= line && line <= nest.last_line)) ??
      nests.find((nest) => nest.function === before?.function && nest.ordinal === before?.ordinal) ??
      nests.find((nest) => nest.kernels.length > 0) ??
      nests[0];
    this.render();
    this.fetch();
  }

  private nests(): NestData[] {
    return this.data?.files.flatMap((file) => file.nests) ?? [];
  }

  /** `from` is where the keyboard goes on: in the list, or with what was chosen in a chart. */
  private choose(nest: NestData, from: 'nav [aria-current]' | '#nest h2'): void {
    if (nest === this.chosen) return;
    this.chosen = nest;
    this.kernel = 0;
    this.changed = null;
    this.whatIf = undefined;
    this.render();
    this.root.querySelector<HTMLElement>(from)?.focus();
    this.status.textContent = `${nest.function}(), line ${nest.line}: ${nest.headline ?? nest.failure ?? ''}`;
    this.fetch();
  }

  /** Asks for what a host has not sent with the report: the detail of one nest, and what can be changed. */
  private fetch(): void {
    const { host, chosen } = this;
    if (!host || !chosen || chosen.failure) return;
    if (!chosen.detail) void this.askFor(chosen, 'detail');
    if (!chosen.break_even && chosen.kernels.length > 0) void this.askFor(chosen, 'break_even');
    if (chosen.kernels.length > 0) {
      this.whatIf = new WhatIf(host, this.reference(chosen), (changed) => {
        if (changed === this.changed) return;
        this.changed = changed;
        this.renderNest();
      });
    }
  }

  private async askFor(nest: NestData, part: 'detail' | 'gpus' | 'break_even'): Promise<void> {
    try {
      const answer = await this.host?.ask('warplens/reportNest', { ...this.reference(nest), parts: [part] });
      Object.assign(nest, answer);
      if (nest === this.chosen) this.renderNest();
    } catch (error) {
      this.status.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private reference({ function: name, ordinal }: NestData): object {
    return { textDocument: { uri: this.uri }, nest: { function: name, ordinal } };
  }

  private render(): void {
    const { data } = this;
    if (!data) {
      this.root.replaceChildren(el('p', { class: 'note waiting' }, this.host ? 'Nothing was analysed yet.' : 'This page has no data.'));
      return;
    }
    const files = data.files.map((file) => fileName(file.path)).join(', ');
    document.title = `Warplens: ${files}`;
    this.root.replaceChildren(
      el(
        'header',
        {},
        el('h1', {}, 'Warplens report'),
        el('p', {}, `${files} on the ${data.machine.gpu.name}, compared with the ${data.machine.cpu.name}. Predicted by Warplens ${data.warplens}; nothing was run.`),
      ),
      nestList(data.files, this.chosen, (nest) => this.choose(nest, 'nav [aria-current]')),
      el('main', {}, el('div', { id: 'head' }), el('div', { id: 'between' }), el('div', { id: 'charts' }), section('machines', 'Where the machines’ numbers come from', profiles(data.machine)), notAnalysed(data.files)),
    );
    this.renderNest();
  }

  /** All that depends on the chosen nest. */
  private renderNest(): void {
    const { data, chosen } = this;
    const [head, between, charts] = ['#head', '#between', '#charts'].map((place) => this.root.querySelector(place));
    if (!data || !head || !between || !charts) return;
    if (!chosen) {
      head.replaceChildren(el('p', { class: 'headline' }, 'No loop nest was found.'));
      return;
    }
    const detail = this.changed?.detail ?? chosen.detail;
    const actions = this.actions(chosen);
    head.replaceChildren(nestHead(chosen, detail, actions));
    const asked = chosen.kernels.length > 0 ? this.whatIfSection() : undefined;
    // Somebody may be moving a slider of it: it stays where it is.
    if (!asked || asked !== between.firstChild) between.replaceChildren(...(asked ? [asked] : []));
    charts.replaceChildren(...this.roofline(data, chosen), ...(detail ? nestCharts(data, chosen, detail, actions) : []));
  }

  /** All nests on the report's GPU; with changes the chosen one's are new, and on another GPU it stands alone. */
  private roofline(data: ReportData, chosen: NestData): HTMLElement[] {
    const { changed } = this;
    const shown = changed ? { ...chosen, kernels: changed.kernels } : chosen;
    const gpu = changed?.detail.gpu ?? data.machine.gpu;
    const others = gpu.id === data.machine.gpu.id ? this.nests() : [chosen];
    const nests = others.map((nest) => (nest === chosen ? shown : nest));
    if (!nests.some((nest) => nest.kernels.some((kernel) => kernel.flops_per_s > 0))) return [];
    const choose = (nest: NestData) => nest !== shown && this.choose(nest, '#nest h2');
    return [section('roof', 'Roofline of all loop nests', rooflineChart(gpu, nests, shown, choose))];
  }

  private whatIfSection(): HTMLElement {
    if (this.whatIf) return this.whatIf.element;
    return section('what-if', 'What if?', el('p', { class: 'note' }, 'Another size, GPU or launch can be tried where the page is shown by an editor (VS Code: “Warplens: Open Report”). A file can ask nobody: it shows what was worked out when it was written.'));
  }

  private actions(nest: NestData): NestActions {
    return {
      kernel: this.kernel,
      isChanged: this.changed !== null,
      chooseKernel: (at) => {
        this.kernel = at;
        this.renderNest();
        this.root.querySelector<HTMLElement>('#kernel')?.focus();
      },
      compare: this.host && (() => void this.askFor(nest, 'gpus')),
      reveal: this.host && (() => this.host?.reveal(this.uri, nest.line)),
    };
  }
}

const host = Host.find();
const page = new Page(host);
const embedded = document.getElementById('report-data')?.textContent ?? 'null';
const data = JSON.parse(embedded) as ReportData | null;
if (data || !host) page.show({ data, uri: '' });
host?.listen((report) => page.show(report));
