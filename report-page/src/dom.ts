/** Elements from values: every text is set as text, nothing is ever parsed as markup. */

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

let scope = '';

/** An id that is unique in the page, also where the same is shown twice: on the screen and on paper. */
export const scoped = (id: string): string => scope + id;

/** Makes elements whose ids begin with `name`. */
export function inScope<T>(name: string, make: () => T): T {
  const before = scope;
  scope = name;
  try {
    return make();
  } finally {
    scope = before;
  }
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/** A text with `code` in backquotes, as the hover's texts have it. */
export function coded(text: string): Node[] {
  const pieces = text.split('`');
  if (pieces.length % 2 === 0) return [document.createTextNode(text)];
  return pieces.map((piece, at) => (at % 2 ? el('code', {}, piece) : document.createTextNode(piece)));
}

/** The same text where no element can stand. */
export const plain = (text: string): string => text.replaceAll('`', '');

export function table(caption: string, head: string[], rows: (string | number)[][]): HTMLTableElement {
  const cells = (row: (string | number)[]) =>
    row.map((cell, at) => {
      const content = coded(String(cell));
      return at === 0 ? el('th', { scope: 'row' }, ...content) : el('td', {}, ...content);
    });
  return el(
    'table',
    {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, ...head.map((name) => (name ? el('th', { scope: 'col' }, name) : el('td'))))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...cells(row)))),
  );
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}
