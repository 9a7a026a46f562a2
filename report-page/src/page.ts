/** The page: an overview of all loops, or everything about the one that is chosen. */

import { notAnalysed, profiles } from './card';
import type { ChangedNest, NestData, ReportData, Verdict } from './data';
import { el } from './dom';
import { plural } from './format';
import { Glossary } from './glossary';
import { Host, type Report } from './host';
import { keepingPlace } from './keepingPlace';
import { skipLink, way } from './navigation';
import { nestCharts, nestHead, section, type NestActions } from './nestView';
import { offlineWhatIf, whatIfCommand } from './offlineWhatIf';
import { OverviewTable, summary, undecided } from './overview';
import { FIRST, UNFILTERED, rowsOf, type Row } from './overviewRows';
import { definitions } from './patterns';
import { around, fileName, hashOf, nestName, placeAt, placesOf, type Place } from './places';
import { printWhole } from './print';
import { rooflineChart } from './roofline';
import { hasSameContent, sameIn, takeOver } from './sameLoops';
import { attachTip } from './tip';
import { WhatIf } from './whatIf';

class Page {
  private readonly root = el('div', { class: 'page' });
  private readonly status = el('p', { class: 'visually-hidden', role: 'status' });
  private data: ReportData | null = null;
  private uri = '';
  private places: Place[] = [];
  /** The loop that is shown; undefined: the overview. */
  private chosen: Place | undefined;
  /** The one that was shown last: where the overview goes on. */
  private last: Place | undefined;
  private readonly choice = { ...FIRST };
  private overview: OverviewTable | undefined;
  private rows: Row[] = [];
  private glossary = new Glossary([]);
  private kernel = 0;
  /** Those whose detail was made before their break-even was found, which its words speak of. */
  private readonly older = new WeakSet<NestData>();
  private whatIf: WhatIf | undefined;
  /** What is shown in place of the chosen loop's own numbers: those with changes. */
  private changed: ChangedNest | null = null;

  constructor(private readonly host: Host | undefined) {
    document.body.append(skipLink(), definitions(), this.status, this.root);
    attachTip();
    window.addEventListener('hashchange', () => this.followHash());
    printWhole(this.root, () => this.data, (data) => [el('h2', {}, 'All loops'), summary(data, this.rows)]);
  }

  show({ data, uri, line }: Report): void {
    const isOtherFile = uri !== this.uri;
    const [shown, before] = [this.chosen, this.places];
    this.data = data;
    this.uri = uri;
    this.places = data ? placesOf(data.files) : [];
    this.rows = data ? rowsOf(data) : [];
    this.glossary = new Glossary(data?.glossary ?? []);
    this.last = isOtherFile ? undefined : this.sameAs(this.last);
    if (isOtherFile) Object.assign(this.choice, UNFILTERED);
    if (!isOtherFile) for (const nest of takeOver(before, this.places)) this.older.add(nest);
    this.chosen = this.toShow(line, isOtherFile);
    this.last = this.chosen ?? this.last;
    if (!isOtherFile && shown && this.chosen && hasSameContent(shown.nest, this.chosen.nest)) {
      this.renderAgain();
    } else {
      this.forgetChanges();
      if (isOtherFile) this.render();
      else keepingPlace(this.root, () => this.render());
      this.writeHash();
      this.fetch();
    }
  }

  /** The loop that is shown stays: what is changed there, and where the keyboard is. Around it all may be new. */
  private renderAgain(): void {
    this.writeHash();
    keepingPlace(this.root, () => {
      if (this.chosen) this.root.querySelector('.way')?.replaceWith(way(this.chosen, this.rows, (to) => this.go(this.sameAs(to))));
      if (this.data) {
        const end = this.end(this.data);
        this.root.querySelector('#end')?.replaceWith(end);
        this.glossary.link(end);
      }
      this.renderNest();
    });
    this.fetchParts();
  }

  /** The loop at the line that is asked for; else the one that was shown, or that the address names. */
  private toShow(line: number | undefined, isOtherFile: boolean): Place | undefined {
    if (line !== undefined) return around(this.places, line) ?? (isOtherFile ? undefined : this.sameAs(this.chosen));
    return this.sameAs(this.chosen) ?? (this.host ? undefined : placeAt(this.places, window.location.hash));
  }

  private sameAs(before: Place | undefined): Place | undefined {
    return before && sameIn(this.places, before);
  }

  private forgetChanges(): void {
    this.kernel = 0;
    this.changed = null;
    this.whatIf = undefined;
  }

  /** The browser's own way: a link, its back button, an address that somebody wrote. */
  private followHash(): void {
    const wanted = placeAt(this.places, window.location.hash);
    if (wanted?.nest !== this.chosen?.nest) this.go(wanted);
  }

  private writeHash(): void {
    const hash = this.chosen ? hashOf(this.chosen) : '';
    if (placeAt(this.places, window.location.hash)?.nest !== this.chosen?.nest) window.location.hash = hash;
  }

  /** Shows a loop or, without one, the overview; the keyboard goes on there. */
  private go(place: Place | undefined): void {
    this.chosen = place;
    this.last = place ?? this.last;
    this.forgetChanges();
    this.render();
    this.writeHash();
    this.fetch();
    if (place) {
      window.scrollTo(0, 0);
      this.root.querySelector<HTMLElement>('#nest h2')?.focus({ preventScroll: true });
      this.status.textContent = `${nestName(place.nest)}: ${place.nest.verdict?.sentence ?? place.nest.failure ?? ''}`;
    } else {
      (this.overview?.linkOf(this.last) ?? this.root.querySelector<HTMLElement>('#overview h2'))?.focus();
      this.status.textContent = 'All loops';
    }
  }

  /** Asks for what a host has not sent with the report: the detail of one loop, and what can be changed. */
  private fetch(): void {
    const { host } = this;
    const nest = this.chosen?.nest;
    this.fetchParts();
    if (host && nest && !nest.failure && nest.kernels.length > 0) {
      this.whatIf = new WhatIf(host, this.reference(nest), () => this.chosen?.nest.verdict ?? null, (changed) => {
        if (changed === this.changed) return;
        this.changed = changed;
        this.renderNest();
      });
    }
  }

  private fetchParts(): void {
    const nest = this.chosen?.nest;
    if (!this.host || !nest || nest.failure) return;
    if (!nest.detail || this.older.delete(nest)) void this.askFor(nest, 'detail');
    if (!nest.break_even && nest.kernels.length > 0) void this.askFor(nest, 'break_even');
  }

  private async askFor(nest: NestData, part: 'detail' | 'gpus' | 'break_even'): Promise<void> {
    try {
      const answer = await this.host?.ask('warplens/reportNest', { ...this.reference(nest), parts: [part] });
      Object.assign(nest, answer);
      if (this.data) this.rows = rowsOf(this.data);
      if (nest !== this.chosen?.nest) return;
      keepingPlace(this.root, () => this.renderNest());
      if (part === 'break_even' && nest.break_even) void this.askFor(nest, 'detail'); // its words speak of it
    } catch (error) {
      this.status.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private reference({ function: name, ordinal }: NestData): object {
    return { textDocument: { uri: this.uri }, nest: { function: name, ordinal } };
  }

  private render(): void {
    const { data } = this;
    this.overview = undefined;
    if (!data) {
      this.root.replaceChildren(el('main', { id: 'main', tabindex: -1 }, el('p', { class: 'note waiting' }, this.host ? 'Nothing was analysed yet.' : 'This page has no data.')));
      return;
    }
    const files = data.files.length > 3 ? plural(data.files.length, 'file') : data.files.map((file) => fileName(file.path)).join(', ');
    document.title = `Warplens: ${this.chosen ? this.chosen.text : files}`;
    this.root.replaceChildren(
      el(
        'header',
        {},
        el('h1', {}, 'Warplens report'),
        el('p', {}, `${files} on the ${data.machine.gpu.name}, compared with the ${data.machine.cpu.name}. Predicted by Warplens ${data.warplens}; nothing was run.`),
      ),
      el(
        'main',
        { id: 'main', tabindex: -1 },
        ...(this.chosen ? [way(this.chosen, this.rows, (to) => this.go(this.sameAs(to))), el('div', { class: 'view', id: 'head' }), el('div', { class: 'view', id: 'between' }), el('div', { class: 'view', id: 'charts' })] : this.overviewOf(data)),
        this.end(data),
      ),
    );
    for (const view of this.root.querySelectorAll('.view')) this.glossary.link(view);
    this.renderNest();
  }

  private end(data: ReportData): HTMLElement {
    return el('div', { class: 'view', id: 'end' }, section('machines', 'Where the machines’ numbers come from', profiles(data.machine)), notAnalysed(data.files), this.glossary.element);
  }

  private overviewOf(data: ReportData): HTMLElement[] {
    const { rows } = this;
    this.overview = new OverviewTable(rows, this.choice, this.last, (place) => this.go(this.sameAs(place)));
    const open = undecided(data, rows);
    return [
      el('div', { class: 'view' }, section('overview', 'All loops', summary(data, rows), rows.length > 0 ? this.overview.element : null)),
      el('div', { class: 'view' }, ...(open ? [section('open', 'What is not for the GPU, or open', open)] : []), ...this.roofline(data, undefined)),
    ];
  }

  /** All that depends on the chosen loop. */
  private renderNest(): void {
    const { data, chosen } = this;
    const [head, between, charts] = ['#head', '#between', '#charts'].map((place) => this.root.querySelector(place));
    if (!data || !chosen || !head || !between || !charts) return;
    const { nest } = chosen;
    const detail = this.changed?.detail ?? nest.detail;
    const verdict: Verdict | null = this.changed?.verdict ?? nest.verdict;
    const actions = this.actions(nest);
    head.replaceChildren(nestHead(data, nest, verdict, detail, actions));
    const asked = this.whatIfSection(data, chosen);
    // Somebody may be moving a slider of it: it stays where it is.
    if (!asked || asked !== between.firstChild) between.replaceChildren(...(asked ? [asked] : []));
    charts.replaceChildren(...(detail ? nestCharts(data, nest, verdict, detail, actions) : []), ...this.roofline(data, nest));
    this.glossary.link(head);
    this.glossary.link(charts);
  }

  /** All loops on the report's GPU; with changes the chosen one's are new, and on another GPU it stands alone. */
  private roofline(data: ReportData, chosen: NestData | undefined): HTMLElement[] {
    const { changed } = this;
    const shown = chosen && changed ? { ...chosen, kernels: changed.kernels } : chosen;
    const gpu = changed?.detail.gpu ?? data.machine.gpu;
    const all = this.places.map(({ nest }) => nest);
    const others = gpu.id === data.machine.gpu.id || !chosen ? all : [chosen];
    const nests = others.map((nest) => (nest === chosen && shown ? shown : nest));
    if (!nests.some((nest) => nest.kernels.some((kernel) => kernel.flops_per_s > 0))) return [];
    const choose = (nest: NestData) => nest !== shown && this.go(this.places.find((place) => place.nest === nest));
    return [section('roof', 'Roofline of all loops', rooflineChart(gpu, nests, shown, choose))];
  }

  private whatIfSection(data: ReportData, place: Place): HTMLElement | undefined {
    if (place.nest.kernels.length === 0) return undefined;
    if (this.host) return this.whatIf?.element;
    if (this.offline?.nest !== place.nest) {
      const form = offlineWhatIf(data, place);
      const none = el('p', { class: 'note' }, 'This page has no times to start from, as nothing says the sizes. To try some, run ', el('code', {}, whatIfCommand(data, place, [])), ' with ', el('code', {}, '--size'), '.');
      this.offline = { nest: place.nest, element: section('what-if', 'What if?', form ?? none) };
    }
    return this.offline.element;
  }

  private offline: { nest: NestData; element: HTMLElement } | undefined;

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
