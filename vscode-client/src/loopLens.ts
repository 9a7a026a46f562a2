/** What a press on a code lens does: the server sends lenses without a command, since few editors can show a hover on demand. */

export interface Lens {
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
  command?: { title: string; command: string; arguments?: unknown[] } | undefined;
}

/** Give each lens that would do nothing the command that shows its loop. */
export function showLoopWhenPressed<L extends Lens>(lenses: L[], uri: string, command: string): L[] {
  for (const lens of lenses) {
    if (lens.command?.command === '') {
      const { line, character } = lens.range.start;
      lens.command = { title: lens.command.title, command, arguments: [uri, line, character] };
    }
  }
  return lenses;
}
