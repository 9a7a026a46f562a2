/** What the page's words mean: the first mention in a section leads to its entry at the page's end, and shows it. */

import { coded, el } from './dom';
import type { Term } from './data';
import { hideTip, showTip } from './tip';

/** In these a word becomes no link: code, what is one already, and the numbers of tables and pictures. */
const LEFT = 'code, a, button, select, option, label, summary, svg, table, h1, h2, h3, .entry';
const FIRST_SENTENCES = 2;

export class Glossary {
  private readonly entries = new Map<string, HTMLElement>();
  private readonly byForm = new Map<string, Term>();
  private readonly pattern: RegExp | undefined;
  private from: HTMLElement | undefined;
  private readonly details: HTMLDetailsElement;
  readonly element: HTMLElement;

  constructor(terms: Term[]) {
    for (const term of terms) for (const form of [term.name, ...term.forms]) this.byForm.set(form, term);
    const forms = [...this.byForm.keys()].sort((a, b) => b.length - a.length);
    this.pattern = forms.length > 0 ? new RegExp(`(?<![\\w/'’-])(?:${forms.map((form) => escaped(form)).join('|')})(?![\\w/-])`, 'gi') : undefined;
    const list = el('dl', { class: 'words' }, ...terms.flatMap((term) => this.entry(term)));
    this.details = el('details', { class: 'numbers' }, el('summary', {}, `The words of this page (${terms.length})`), list);
    this.element = el('section', { id: 'words', 'aria-labelledby': 'words-heading', hidden: terms.length === 0 }, el('h2', { id: 'words-heading' }, 'Words'), this.details);
  }

  private entry(term: Term): HTMLElement[] {
    const back = el('button', { type: 'button', class: 'act back', hidden: true }, 'Back to the text');
    back.addEventListener('click', () => this.from?.focus());
    const name = el('dt', { tabindex: -1, class: 'entry' }, term.name, back);
    this.entries.set(term.name, name);
    return [name, el('dd', { class: 'entry' }, ...coded(term.meaning))];
  }

  /** Makes links in each section of `part`. */
  link(part: Element): void {
    const sections = part.querySelectorAll('section, .summary');
    for (const section of sections.length > 0 ? sections : [part]) this.linkIn(section);
  }

  private linkIn(section: Element): void {
    const seen = new Set<Term>();
    const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT, (node) => {
      const parent = node.parentElement;
      const isLeft = !parent || parent.closest(LEFT) !== null || (parent.closest('section, .summary') ?? section) !== section;
      return isLeft ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    });
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) this.linkText(text, seen);
  }

  private linkText(text: Text, seen: Set<Term>): void {
    const { pattern } = this;
    if (!pattern) return;
    const said = text.data;
    const pieces: (Node | string)[] = [];
    let at = 0;
    for (const found of said.matchAll(pattern)) {
      const term = this.termOf(found[0].replace(/\s+/g, ' '));
      if (!term || seen.has(term)) continue;
      seen.add(term);
      pieces.push(said.slice(at, found.index), this.mention(found[0], term));
      at = found.index + found[0].length;
    }
    if (pieces.length > 0) text.replaceWith(...pieces, said.slice(at));
  }

  /** A form that has a capital is meant as it is written. */
  private termOf(word: string): Term | undefined {
    return this.byForm.get(word) ?? this.byForm.get(word.toLowerCase());
  }

  private mention(word: string, term: Term): HTMLElement {
    const link = el('a', { class: 'term', href: '#words' }, word);
    const show = () => showTip(link, `${term.name}\n${shortened(term.meaning)}`);
    link.addEventListener('mouseover', show);
    link.addEventListener('focus', show);
    link.addEventListener('mouseout', hideTip);
    link.addEventListener('blur', hideTip);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      this.goTo(term, link);
    });
    return link;
  }

  private goTo(term: Term, from: HTMLElement): void {
    this.from = from;
    this.details.open = true;
    for (const back of this.element.querySelectorAll<HTMLElement>('.back')) back.hidden = true;
    const name = this.entries.get(term.name);
    const back = name?.querySelector<HTMLElement>('.back');
    if (back) back.hidden = false;
    name?.focus();
  }
}

const escaped = (form: string): string => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');

const shortened = (meaning: string): string => meaning.replace(/\s+/g, ' ').split(/(?<=\.) (?=[A-Z])/).slice(0, FIRST_SENTENCES).join(' ');
