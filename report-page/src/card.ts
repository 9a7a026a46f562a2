/** The words of the hover: verdict, rows, and why. */

import { coded, el, table } from './dom';
import type { Card, FileData, Machine, NestData, Verdict } from './data';

/** What the loop is held against, in the words of every view. */
export function comparison(verdict: Verdict | null): HTMLElement | null {
  if (!verdict?.comparison) return null;
  const text = verdict.comparison;
  return el('p', { class: 'comparison' }, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

export function rows(card: Card): HTMLElement {
  return el(
    'div',
    {},
    el('dl', { class: 'rows' }, ...card.rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, ...coded(value))])),
  );
}

export function reasons(card: Card, ledger: string): HTMLElement {
  return el(
    'div',
    { class: 'reasons' },
    ...card.sections.map((section) =>
      el(
        'section',
        {},
        el('h3', {}, section.title),
        section.table.length > 1 && el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${section.title}, table` }, table(section.title, section.table[0] ?? [], section.table.slice(1))),
        section.items.length > 0 && el('ul', {}, ...section.items.map((item) => el('li', {}, ...coded(item)))),
      ),
    ),
    el('p', { class: 'note' }, ...coded(card.footer), `; measured errors: ${ledger}`),
  );
}

export function findings(nest: NestData): HTMLElement | null {
  if (nest.findings.length === 0) return null;
  return el('ul', { class: 'findings' }, ...nest.findings.map((finding) => el('li', {}, el('strong', {}, `${finding.code}, line ${finding.line}: `), ...coded(finding.message))));
}

export function notAnalysed(files: FileData[]): HTMLElement | null {
  const rows = files.flatMap((file) => [
    ...file.opaque.map(({ line, reason }) => [file.path, line, `not analysed: ${reason}`]),
    ...file.problems.map(({ line, message }) => [file.path, line, message]),
  ]);
  if (rows.length === 0) return null;
  return el('details', { class: 'numbers' }, el('summary', {}, `What was not understood (${rows.length})`), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What was not understood, table' }, table('What was not understood', ['File', 'Line', 'Why'], rows)));
}

/** Every value that the models were given of both machines, with its source. */
export function profiles(machine: Machine): HTMLElement {
  const head = ['Setting', 'Value', 'Unit', 'Kind', 'Source'];
  return el(
    'div',
    {},
    ...[machine.gpu, machine.cpu].map(({ name, profile }) => {
      const details = el('details', { class: 'numbers' }, el('summary', {}, `${name}: ${profile.length} values of its profile`));
      details.addEventListener('toggle', () => {
        if (details.open && details.children.length === 1) {
          const rows = profile.map(({ key, value, unit, kind, source, measured_on }) => [key, value, unit, measured_on ? `${kind} on ${measured_on}` : kind, source]);
          details.append(el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${name}, table` }, table(`Profile of the ${name}`, head, rows)));
        }
      });
      return details;
    }),
  );
}
