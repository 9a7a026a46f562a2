/** What a part of a chart says while the pointer or the keyboard is on it. Read aloud it is the part's own label. */

import { coded, el } from './dom';

const tip = el('div', { id: 'tip', 'aria-hidden': 'true', hidden: true });
const GAP = 8;

export function attachTip(): void {
  document.body.append(tip);
  document.addEventListener('scroll', hideTip, { passive: true });
}

export function showTip(at: Element, text: string): void {
  tip.replaceChildren(...text.split('\n').map((line) => el('p', {}, ...coded(line))));
  tip.hidden = false;
  const place = at.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - size.width - GAP;
  const middle = Math.min(Math.max(place.left, 0) + Math.min(place.width, 200) / 2 - size.width / 2, room);
  const above = place.top - size.height - GAP;
  tip.style.left = `${Math.max(GAP, middle)}px`;
  tip.style.top = `${above >= GAP ? above : place.bottom + GAP}px`;
}

export function hideTip(): void {
  tip.hidden = true;
}
