/** A chart that can be looked at, walked through by keyboard and read as a table. */

import { plot, type PlotOptions } from '@observablehq/plot';
import { coded, el, plain, scoped, table } from './dom';
import { isForPaper, swatch } from './patterns';
import { hideTip, showTip } from './tip';

/** Marks of one class name, one element for each label, in the order of the mark's data. */
export interface Layer {
  className: string;
  labels: string[];
  /** Where each stands when one walks through the chart; as drawn unless said. */
  order?: number[];
  activate?: (at: number) => void;
}

export interface Drawing {
  options: PlotOptions;
  layers: Layer[];
}

export interface LegendEntry {
  pattern: number;
  text: string;
  meaning?: string;
}

export interface ChartSpec {
  id: string;
  title: string;
  /** What the chart says, in one sentence. */
  says: string;
  legend?: LegendEntry[];
  notes?: (string | false)[];
  /** A chart that says nothing in less is scrolled. */
  leastWidth?: number;
  draw: (width: number) => Drawing;
  table: { head: string[]; rows: () => (string | number)[][] };
}

const MOST_WIDTH = 1000;

/** How to draw a chart at a width at once: paper does not wait for what is drawn when it is looked at. */
const drawers = new WeakMap<Element, (width: number) => void>();

/** Draws every chart of a part at a width. */
export function drawAll(part: Element, width: number): void {
  for (const figure of part.querySelectorAll('figure')) drawers.get(figure)?.(width);
}

/** Of charts that were drawn before, by id: their place is kept while another nest's is drawn, so that nothing jumps. */
const heights = new Map<string, number>();

export function chart(spec: ChartSpec): HTMLElement {
  const stage = el('div', { class: 'plot' });
  stage.style.minHeight = `${heights.get(spec.id) ?? 0}px`;
  const figure = el(
    'figure',
    { 'aria-labelledby': scoped(`${spec.id}-title`) },
    el('figcaption', { id: scoped(`${spec.id}-title`) }, ...coded(spec.says)),
    spec.legend && el('ul', { class: 'legend' }, ...spec.legend.map(legendItem)),
    stage,
    ...(spec.notes ?? []).map((note) => (note ? el('p', { class: 'note' }, ...coded(note)) : '')),
    isForPaper() ? spec.legend && tableOf(spec) : numbers(spec),
  );
  drawers.set(figure, (width) => draw(stage, spec, width));
  if (!isForPaper()) drawWhenSeen(stage, spec);
  return figure;
}

function drawWhenSeen(stage: HTMLElement, spec: ChartSpec): void {
  let drawnWidth = 0;
  const redraw = () => {
    const room = Math.min(MOST_WIDTH, stage.clientWidth);
    const width = room && Math.max(room, spec.leastWidth ?? 0);
    stage.classList.toggle('wide', width > room);
    if (!stage.isConnected || width === 0 || width === drawnWidth) return;
    drawnWidth = width;
    draw(stage, spec, width);
    heights.set(spec.id, stage.scrollHeight);
  };
  new ResizeObserver(() => {
    // What is looked at comes first.
    if (isVisible(stage)) requestAnimationFrame(redraw);
    else window.setTimeout(redraw);
  }).observe(stage);
}

function isVisible(stage: HTMLElement): boolean {
  const { top, bottom } = stage.getBoundingClientRect();
  return bottom >= 0 && top <= window.innerHeight;
}

function draw(stage: HTMLElement, spec: ChartSpec, width: number): void {
  const hadFocus = [...stage.querySelectorAll('.item')].indexOf(document.activeElement as Element);
  const { options, layers } = spec.draw(width);
  const drawn = plot({ ...options, width, ariaLabel: spec.title, className: 'chart' });
  // The library's own style element would break the page's policy; page.css has what is needed of it.
  for (const style of drawn.querySelectorAll('style')) style.remove();
  drawn.setAttribute('role', 'group');
  const items = layers.flatMap((layer) => itemsOf(drawn, layer)).sort((a, b) => a.order - b.order);
  // Not the picture itself hears of the focus: with that, Chromium takes it for something to be focused.
  const listener = el('div', {}, drawn);
  makeWalkable(listener, items);
  nameOnlyItems(drawn);
  stage.style.minHeight = '';
  stage.replaceChildren(listener);
  if (hadFocus >= 0) items[Math.min(hadFocus, items.length - 1)]?.element.focus();
}

interface Item {
  element: SVGElement;
  label: string;
  order: number;
  activate: (() => void) | undefined;
}

function itemsOf(drawn: Element, layer: Layer): Item[] {
  const elements = drawn.querySelectorAll<SVGElement & { __data__: number }>(`.${layer.className} > *`);
  return [...elements].map((element) => {
    const at = element.__data__;
    const activate = layer.activate;
    return { element, label: layer.labels[at] ?? '', order: layer.order?.[at] ?? at, activate: activate && (() => activate(at)) };
  });
}

/** Axes, lines and labels are for the eye: what they say is in the items' own labels and in the table. */
function nameOnlyItems(drawn: Element): void {
  for (const group of drawn.querySelectorAll(':scope > g')) {
    group.removeAttribute('aria-label');
    if (!group.querySelector('.item')) group.setAttribute('aria-hidden', 'true');
  }
}

/** One stop of the tab key for the whole chart; the arrows go on from there. */
function makeWalkable(listener: Element, items: Item[]): void {
  const places = new Map<EventTarget | null, number>();
  items.forEach(({ element, label, activate }, at) => {
    places.set(element, at);
    element.classList.add('item');
    element.setAttribute('role', activate ? 'button' : 'img');
    element.setAttribute('aria-label', plain(label));
    element.setAttribute('tabindex', at === 0 ? '0' : '-1');
  });
  const itemAt = (event: Event) => items[places.get(event.target) ?? -1];
  const show = (event: Event) => {
    const item = itemAt(event);
    if (item) showTip(item.element, item.label);
  };
  listener.addEventListener('mouseover', show);
  listener.addEventListener('focusin', show);
  listener.addEventListener('mouseout', hideTip);
  listener.addEventListener('focusout', hideTip);
  listener.addEventListener('click', (event) => itemAt(event)?.activate?.());
  listener.addEventListener('keydown', (event) => {
    const item = itemAt(event);
    if (item && press(items, item, (event as KeyboardEvent).key)) event.preventDefault();
  });
}

/** Whether the key means something to an item of a chart. */
function press(items: Item[], item: Item, key: string): boolean {
  const next = nextItem(items, items.indexOf(item), key);
  if (key === 'Escape') hideTip();
  else if (item.activate && (key === 'Enter' || key === ' ')) item.activate();
  else if (next) move(item.element, next);
  else return false;
  return true;
}

function move(from: SVGElement, to: SVGElement): void {
  from.setAttribute('tabindex', '-1');
  to.setAttribute('tabindex', '0');
  to.focus();
}

function nextItem(items: Item[], at: number, key: string): SVGElement | undefined {
  switch (key) {
    case 'ArrowRight':
      return items[at + 1]?.element;
    case 'ArrowLeft':
      return items[at - 1]?.element;
    case 'Home':
      return items[0]?.element;
    case 'End':
      return items.at(-1)?.element;
    case 'ArrowUp':
      return nearest(items, at, -1);
    case 'ArrowDown':
      return nearest(items, at, 1);
    default:
      return undefined;
  }
}

/** The item above or below that is closest. */
function nearest(items: Item[], at: number, direction: number): SVGElement | undefined {
  const middles = items.map(({ element }) => {
    const box = element.getBoundingClientRect();
    return { element, x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
  const from = middles[at];
  if (!from) return undefined;
  const distance = (to: { x: number; y: number }) => 4 * Math.abs(to.y - from.y) + Math.abs(to.x - from.x);
  const beyond = middles.filter((each) => direction * (each.y - from.y) > 2);
  return beyond.sort((a, b) => distance(a) - distance(b))[0]?.element;
}

function legendItem({ pattern, text, meaning }: LegendEntry): HTMLLIElement {
  return el('li', meaning ? { title: meaning } : {}, swatch(pattern), text);
}

const tableOf = (spec: ChartSpec): HTMLElement => table(plain(spec.says), spec.table.head, spec.table.rows());

/** The table is made when it is opened: some have a thousand rows. */
function numbers(spec: ChartSpec): HTMLElement {
  const details = el('details', { class: 'numbers' }, el('summary', {}, `${spec.title}: the numbers as a table`));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) {
      details.append(el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${spec.title}, table` }, tableOf(spec)));
    }
  });
  return details;
}
