/** Which loop becomes what: the mappings that were tried, as a table and as what can be chosen. */

import { el, table } from './dom';
import { digits, time } from './format';

/** One that was tried, the fastest first; `source` is the source's own order. */
export interface MappingTime {
  name: string;
  time_s: number;
  is_recommended: boolean;
  is_pinned: boolean;
}

const TITLE = 'Mappings';

export function mappingTable(mappings: MappingTime[]): HTMLElement {
  const least = mappings[0]?.time_s ?? 0;
  const rows = mappings.map((each) => [`\`${each.name}\``, time(each.time_s), least > 0 ? `${digits(each.time_s / least)}x` : '', marks(each).join(', ')]);
  return el(
    'div',
    {},
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${TITLE}, table` }, table(TITLE, ['Mapping', 'Time', 'Against the first', 'Mark'], rows)),
    el('p', { class: 'note' }, 'Time of all launches of the nest with their overheads. The comment ', el('code', {}, '// warplens: mapping = NAME'), ' above the loop pins one; ', el('code', {}, 'source'), ' is the order of the source.'),
  );
}

/** `warp:j, 27.3 µs`. */
export const mappingOption = (each: MappingTime): [string, string] => [each.name, [each.name, time(each.time_s), ...marks(each)].join(', ')];

function marks({ is_recommended, is_pinned }: MappingTime): string[] {
  return [...(is_recommended ? ['recommended'] : []), ...(is_pinned ? ['pinned'] : [])];
}
