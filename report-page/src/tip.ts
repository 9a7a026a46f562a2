/** What a part of a chart says while the pointer or the keyboard is on it. Read aloud it is the part's own label. */

import { coded, el } from './dom';

const tip = el('div', { id: 'tip', 'aria-hidden': 'true', hidden: true });
const GAP = 8;
let shownAt: Element | undefined;

export function attachTip(): void {
  document.body.append(tip);
  // The keyboard scrolls to what it reaches: the tip goes along.
  document.addEventListener('scroll', () => (shownAt && shownAt === document.activeElement ? place(shownAt) : hideTip()), { passive: true });
}

export function showTip(at: Element, text: string): void {
  shownAt = at;
  tip.replaceChildren(...text.split('\n').map((line) => el('p', {}, ...coded(line))));
  tip.hidden = false;
  place(at);
}

export function hideTip(): void {
  shownAt = undefined;
  tip.hidden = true;
}

function place(at: Element): void {
  const target = at.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - size.width - GAP;
  const middle = Math.min(Math.max(target.left, 0) + Math.min(target.width, 200) / 2 - size.width / 2, room);
  const above = target.top - size.height - GAP;
  tip.style.left = `${Math.max(GAP, middle)}px`;
  tip.style.top = `${above >= GAP ? above : target.bottom + GAP}px`;
}
