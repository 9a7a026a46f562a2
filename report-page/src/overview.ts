/** What the page opens on: what is gained in all, every loop in a table by what it gains, and what nobody could decide. */

import type { ReportData } from './data';
import { coded, el } from './dom';
import { aboutTime, count, plural } from './format';
import { COLUMNS, FIRST, NONE, UNFILTERED, counted, countedTexts, filtered, rowsOf, totalGain, totalNow, type Choice, type Column, type Row } from './overviewRows';
import { hashOf, type Place } from './places';

const REASONS_SHOWN = 5;
const CARRIED = 'not parallel';

export class OverviewTable {
  readonly element: HTMLElement;
  private readonly body = el('tbody');
  private readonly foot = el('tfoot');
  private readonly status = el('p', { class: 'note', role: 'status', id: 'shown' });
  private readonly heads = new Map<string, HTMLElement>();
  private shown: Row[] = [];

  /** `choice` is kept by who shows it: a new table of changed data is sorted and filtered as the old one was. */
  constructor(
    private readonly rows: Row[],
    private readonly choice: Choice,
    private readonly last: Place | undefined,
    private readonly open: (place: Place) => void,
  ) {
    this.body.addEventListener('click', (event) => this.clicked(event));
    const caption = el('caption', { class: 'visually-hidden' }, 'Loops, each with its verdict, its predicted times and what a GPU saves');
    const table = el('table', { class: 'loops' }, caption, el('thead', {}, el('tr', {}, ...COLUMNS.map((column) => this.head(column)))), this.body, this.foot);
    const region = el('div', { class: 'scroll all-rows', tabindex: 0, role: 'region', 'aria-label': 'Table of all loops' }, table);
    this.element = el('div', {}, this.filters(), this.status, region);
    this.update();
  }

  /** The link of a row, to go on from with the keyboard. */
  linkOf(place: Place | undefined): HTMLElement | undefined {
    const at = this.shown.findIndex(({ nest }) => nest === place?.nest);
    return this.body.querySelectorAll<HTMLElement>('th a')[at];
  }

  private update(): void {
    const { shown, hidden } = filtered(this.rows, this.choice);
    this.shown = shown;
    this.body.replaceChildren(...shown.map((row) => this.line(row)));
    this.foot.replaceChildren(...(shown.length > 1 ? [sums(shown)] : []));
    for (const { key } of COLUMNS) {
      const isSorted = key === this.choice.sort;
      this.heads.get(key)?.setAttribute('aria-sort', isSorted ? (this.choice.isDescending ? 'descending' : 'ascending') : 'none');
    }
    const out = hidden.map(({ by, count: each }) => `${count(each)} ${by}`).join(', ');
    this.status.textContent = out ? `${count(shown.length)} of ${plural(this.rows.length, 'loop')} shown; hidden: ${out}.` : `${plural(this.rows.length, 'loop')} shown. Choose one to see why.`;
  }

  private head({ key, title, meaning, isNumber }: Column): HTMLElement {
    const button = el('button', { type: 'button', title: meaning }, title);
    button.addEventListener('click', () => {
      const { choice } = this;
      choice.isDescending = choice.sort === key ? !choice.isDescending : isNumber;
      choice.sort = key;
      this.update();
    });
    const head = el('th', { scope: 'col', class: classOf(key, isNumber) }, button);
    this.heads.set(key, head);
    return head;
  }

  private line(row: Row): HTMLElement {
    const isLast = row.nest === this.last?.nest;
    const cells = COLUMNS.map((column) => {
      const { key, isNumber } = column;
      const attributes = { class: classOf(key, isNumber) };
      if (key === 'place') return el('th', { scope: 'row', ...attributes }, el('a', { href: `#${hashOf(row)}` }, row.text));
      if (key === 'share') return el('td', attributes, meter(row.share), column.text(row));
      if (key === 'word') return el('td', attributes, column.text(row), stepWord(row));
      if (key === 'step' && row.nest.step) return el('td', attributes, ...coded(row.nest.step.long));
      return el('td', attributes, column.text(row));
    });
    return el('tr', { 'aria-current': isLast ? 'true' : undefined, title: row.nest.verdict?.sentence ?? row.nest.failure ?? undefined }, ...cells);
  }

  /** A link with a key held goes where the browser takes it: another tab. */
  private clicked(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const line = (event.target as Element).closest('tr');
    const row = line ? this.shown[[...this.body.children].indexOf(line)] : undefined;
    if (!row) return;
    event.preventDefault();
    this.open(row);
  }

  private filters(): HTMLElement {
    const { choice, rows } = this;
    const words = select('verdict', 'Verdict', counted(rows, (row) => row.word), choice.word, (value) => this.change({ word: value }));
    const bounds = select('bound', 'Bound by', counted(rows, (row) => row.bound), choice.bound, (value) => this.change({ bound: value }));
    const steps = select('step', 'Do', counted(rows, (row) => row.step), choice.step, (value) => this.change({ step: value }));
    const search = el('input', { type: 'search', id: 'search', value: choice.text, placeholder: 'function, file or words' });
    search.addEventListener('input', () => this.change({ text: search.value }));
    const reset = el('button', { type: 'button', class: 'act' }, 'Show all loops');
    reset.addEventListener('click', () => {
      for (const field of [words, bounds, steps]) field.querySelector('select')!.value = '';
      search.value = '';
      this.change(UNFILTERED);
    });
    const form = el('form', { class: 'controls filters', role: 'search', 'aria-label': 'Loops to show' }, el('div', { class: 'field' }, el('label', { for: 'search' }, 'Search'), search), words, bounds, steps, reset);
    form.addEventListener('submit', (event) => event.preventDefault());
    return form;
  }

  private change(changes: Partial<Choice>): void {
    Object.assign(this.choice, changes);
    this.update();
  }
}

const classOf = (key: string, isNumber: boolean): string => `column-${key}${isNumber ? ' number' : ''}`;

/** What to do in a word, below the verdict: seen where there is no room for a column. */
const stepWord = (row: Row): HTMLElement | null => (row.stepText ? el('span', { class: 'step-word' }, row.stepText) : null);

function sums(rows: Row[]): HTMLElement {
  const texts: Partial<Record<string, string>> = { place: 'Together', now: aboutTime(totalNow(rows)), gain: aboutTime(totalGain(rows)) };
  return el('tr', {}, ...COLUMNS.map(({ key, isNumber }) => el(key === 'place' ? 'th' : 'td', { scope: key === 'place' ? 'row' : undefined, class: classOf(key, isNumber) }, texts[key] ?? '')));
}

function meter(share: number | null): HTMLElement | null {
  if (share === null) return null;
  const bar = el('span', { class: 'meter', 'aria-hidden': 'true' });
  bar.style.width = `${Math.max(1, Math.round(44 * share))}px`;
  return bar;
}

function select(id: string, title: string, values: [string, number][], chosen: string, act: (value: string) => void): HTMLElement {
  const all = el('option', { value: '' }, 'all');
  const made = el('select', { id: `filter-${id}` }, all, ...values.map(([value, times]) => el('option', { value, selected: value === chosen }, `${value} (${times})`)));
  made.addEventListener('change', () => act(made.value));
  return el('div', { class: 'field' }, el('label', { for: `filter-${id}` }, title), made);
}

/** The first lines: how many loops are worth porting, and what that saves. */
export function summary(data: ReportData, rows: Row[]): HTMLElement {
  const { sentence, counting } = data.overview;
  const guessed = rows.some((row) => row.nest.is_guessed && row.nowS !== null);
  const marks = guessed && 'A time with ? is of a size that is guessed: say it, and the numbers are yours.';
  return el(
    'div',
    { class: 'summary' },
    el('p', { class: 'headline' }, sentence),
    el('p', { class: 'note' }, [counting, marks].filter(Boolean).join(' ')),
    legend('What the verdicts mean', data.words, counted(rows, (row) => row.word)),
    legend('What the words under “Do” mean', data.steps, counted(rows, (row) => row.step)),
  );
}

/** Words that the rows have, in the order of their meanings. */
function legend(title: string, meanings: Record<string, string>, present: [word: string, times: number][]): HTMLElement | null {
  const order = Object.keys(meanings);
  const sorted = present.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const words = sorted.map(([word, times]) => el('li', {}, el('strong', {}, `${word}: ${count(times)}`), ...coded(meanings[word] ? `, ${meanings[word]}` : '')));
  return words.length > 0 ? el('details', { class: 'numbers' }, el('summary', {}, title), el('ul', { class: 'meanings' }, ...words)) : null;
}

/** Loops that cannot run in parallel, and those of which something is open: how many, and the reasons that most share. */
export function undecided(data: ReportData, rows: Row[]): HTMLElement | null {
  const open = rows.filter((row) => !data.overview.decided_words.includes(row.word));
  const reasonOf = ({ nest }: Row) => nest.reason ?? 'no reason is known';
  const [carried, others] = [open.filter((row) => row.word === CARRIED), open.filter((row) => row.word !== CARRIED)];
  const unread = countedTexts(data.files.flatMap((file) => file.opaque.map(({ reason }) => reason)));
  const parts = [reasons('Not parallel', counted(carried, reasonOf)), reasons('Not decided', counted(others, reasonOf)), reasons('Not read as loops', unread)];
  return parts.some((part) => part !== null) ? el('div', {}, ...parts) : null;
}

function reasons(title: string, all: [string, number][]): HTMLElement | null {
  if (all.length === 0) return null;
  const sum = (some: [string, number][]) => some.reduce((total, [, times]) => total + times, 0);
  const rest = all.slice(REASONS_SHOWN);
  return el(
    'div',
    { class: 'open-loops' },
    el('h3', {}, `${title}: ${count(sum(all))}`),
    el(
      'ul',
      {},
      ...all.slice(0, REASONS_SHOWN).map(([reason, times]) => el('li', {}, `${count(times)} × `, ...coded(reason))),
      rest.length > 0 && el('li', {}, `${count(sum(rest))} × ${plural(rest.length, 'other reason')}`),
    ),
  );
}

/** For paper: every row, in the order of what it gains. */
export function printedTable(data: ReportData): HTMLElement {
  const rows = filtered(rowsOf(data), { ...FIRST }).shown;
  const head = COLUMNS.map(({ key, title, isNumber }) => el('th', { scope: 'col', class: classOf(key, isNumber) }, title));
  const lines = rows.map((row) => el('tr', {}, ...COLUMNS.map((column) => el(column.key === 'place' ? 'th' : 'td', { class: classOf(column.key, column.isNumber) }, column.text(row) || NONE))));
  return el('table', { class: 'loops' }, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...lines), el('tfoot', {}, sums(rows)));
}
