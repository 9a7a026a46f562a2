/** Ways through the page: past its head, back to all loops, on to the next one. */

import { el } from './dom';
import { count } from './format';
import { button } from './nestView';
import { FIRST, sorted, type Row } from './overviewRows';
import type { Place } from './places';

/** The first stop of the keyboard: past what every view has in common. */
export function skipLink(): HTMLElement {
  const link = el('a', { class: 'skip', href: '#main' }, 'Skip to the loops');
  link.addEventListener('click', (event) => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  });
  return link;
}

/** Back, and to the neighbours in the order of the table. */
export function way(chosen: Place, rows: Row[], go: (to: Place | undefined) => void): HTMLElement {
  const order = sorted(rows, FIRST);
  const at = order.findIndex(({ nest }) => nest === chosen.nest);
  const step = (text: string, to: Row | undefined) => {
    const made = button(text, () => go(to));
    made.disabled = to === undefined;
    return made;
  };
  return el(
    'nav',
    { class: 'view way', 'aria-label': 'Loops' },
    button('All loops', () => go(undefined)),
    step('Previous loop', order[at - 1]),
    step('Next loop', order[at + 1]),
    el('span', { class: 'note' }, `${chosen.text}, ${count(at + 1)} of ${count(order.length)} by what it saves`),
  );
}
