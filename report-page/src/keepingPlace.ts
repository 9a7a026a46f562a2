/** What somebody who reads or types should not lose when the same is drawn anew: the keyboard's place, and what is unfolded. */

export function keepingPlace(root: HTMLElement, draw: () => void): void {
  const focused = document.activeElement;
  const name = focused && root.contains(focused) ? nameOf(focused) : undefined;
  const selection = focused instanceof HTMLInputElement && focused.type === 'search' ? [focused.selectionStart, focused.selectionEnd] : undefined;
  const open = new Set([...root.querySelectorAll('details[open]')].map(nameOf));
  draw();
  for (const details of root.querySelectorAll('details')) if (open.has(nameOf(details))) details.open = true;
  if (!focused || name === undefined || root.contains(focused)) return;
  const again = [...root.querySelectorAll<HTMLElement>(focused.localName)].find((element) => nameOf(element) === name);
  again?.focus({ preventScroll: true });
  if (again instanceof HTMLInputElement && selection) again.setSelectionRange(selection[0] ?? null, selection[1] ?? null);
}

/** Of what is drawn anew the same element has the same name: where it stands, and its id or its words. */
function nameOf(element: Element): string {
  const around = element.closest('figure, section');
  const words = element.querySelector('summary') ?? element;
  return [around?.id, around?.getAttribute('aria-labelledby'), element.id || words.textContent].join('\n');
}
