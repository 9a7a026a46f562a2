/** The page: a list of nests, the roofline of all, everything about the chosen one. */

import { notAnalysed, profiles } from './card';
import type { ComparedGpu, Detail, NestData, ReportData } from './data';
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
  /** What is shown in place of the chosen nest's own detail: that with changes. */
  private changed: Detail | null = null;

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
    if (!chosen.detail) {
      void this.ask<Detail>('warplens/reportNest', chosen, (detail) => {
        chosen.detail = detail;
      });
    }
    if (chosen.kernels.length > 0) {
      this.whatIf = new WhatIf(host, this.reference(chosen), (detail) => {
        this.changed = detail;
        this.renderNest();
      });
    }
  }

  private async ask<T>(method: string, nest: NestData, use: (result: T) => void): Promise<void> {
    try {
      const result = (await this.host?.ask(method, this.reference(nest))) as T;
      use(result);
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
      el('main', {}, el('div', { id: 'chosen' }), el('div', { id: 'rest' }, section('machines', 'Where the machines’ numbers come from', profiles(data.machine)), notAnalysed(data.files))),
    );
    this.renderNest();
  }

  /** All that depends on the chosen nest. */
  private renderNest(): void {
    const { data, chosen } = this;
    const place = this.root.querySelector('#chosen');
    if (!data || !place) return;
    if (!chosen) {
      place.replaceChildren(el('p', { class: 'headline' }, 'No loop nest was found.'));
      return;
    }
    const detail = this.changed ?? chosen.detail;
    const actions = this.actions(chosen);
    const hasPoints = this.nests().some((nest) => nest.kernels.some((kernel) => kernel.flops_per_s > 0));
    place.replaceChildren(
      nestHead(chosen, detail, actions),
      ...(chosen.kernels.length > 0 ? [this.whatIfSection()] : []),
      ...(hasPoints ? [section('roof', 'Roofline of all loop nests', rooflineChart(data.machine.gpu, this.nests(), chosen, (nest) => this.choose(nest, '#nest h2')))] : []),
      ...(detail ? nestCharts(data, chosen, detail, actions) : []),
    );
  }

  private whatIfSection(): HTMLElement {
    if (this.whatIf) return this.whatIf.element;
    return section('what-if', 'What if?', el('p', { class: 'note' }, 'Another size, GPU or launch can be tried where the page is shown by an editor (VS Code: “Warplens: Open Report”). This file has nobody to ask: it shows what was worked out when it was written.'));
  }

  private actions(nest: NestData): NestActions {
    return {
      kernel: this.kernel,
      chooseKernel: (at) => {
        this.kernel = at;
        this.renderNest();
        this.root.querySelector<HTMLElement>('#kernel')?.focus();
      },
      compare: this.host && (() => void this.ask<{ gpus: ComparedGpu[] }>('warplens/compareGpus', nest, ({ gpus }) => {
        nest.gpus = gpus;
      })),
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
