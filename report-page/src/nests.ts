/** The list of nests that one is chosen from. */

import { coded, el } from './dom';
import type { FileData, NestData } from './data';

export const nestName = (nest: NestData): string => (nest.function ? `${nest.function}(), line ${nest.line}` : `line ${nest.line}`);

export function nestList(files: FileData[], chosen: NestData | undefined, choose: (nest: NestData) => void): HTMLElement {
  return el(
    'nav',
    { class: 'nests', 'aria-label': 'Loop nests' },
    ...files.map((file) =>
      el(
        'section',
        {},
        el('h2', {}, fileName(file.path)),
        file.nests.length === 0 && el('p', { class: 'note' }, 'No loop nest was found in this file.'),
        el('ul', {}, ...file.nests.map((nest) => el('li', {}, button(nest, nest === chosen, choose)))),
      ),
    ),
  );
}

/** On systems with `/` a backslash is part of a name. */
export const fileName = (path: string): string => path.split(path.startsWith('/') ? '/' : /[\\/]/).at(-1) ?? path;

function button(nest: NestData, isChosen: boolean, choose: (nest: NestData) => void): HTMLElement {
  const said = nest.failure ?? nest.headline ?? '';
  const entry = el('button', { type: 'button', 'aria-current': isChosen ? 'true' : undefined }, el('strong', {}, nestName(nest)), el('span', {}, ...coded(said)));
  entry.addEventListener('click', () => choose(nest));
  return entry;
}
