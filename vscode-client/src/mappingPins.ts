/** The server's code actions that pin a mapping; it may be of another version, so nothing about them is taken for granted. */

import { plain } from './fixes';
import { PIN_KIND } from './names';

type Json = Readonly<Record<string, unknown>>;

export interface MappingPin {
  readonly label: string;
  readonly note: string;
  /** The action as it came, to be resolved. */
  readonly action: Json;
}

/** Those of an answer to `textDocument/codeAction`, as rows of a list: `warp:j` with its time beside it. */
export function mappingPins(answer: unknown): readonly MappingPin[] {
  return (Array.isArray(answer) ? answer : []).flatMap((action: unknown): MappingPin[] => {
    if (typeof action !== 'object' || action === null) {
      return [];
    }
    const { title, kind, command } = action as Json;
    if (typeof title !== 'string' || kind !== PIN_KIND || command !== undefined) {
      return [];
    }
    const [, label, note] = /^Pin (?:mapping )?(.*) \((.*)\)$/.exec(plain(title)) ?? [];
    return [{ label: label ?? plain(title), note: note ?? '', action: action as Json }];
  });
}

/** The WorkspaceEdit of a resolved action; undefined where it has none. */
export function pinEdit(resolved: unknown): object | undefined {
  const edit: unknown = typeof resolved === 'object' && resolved !== null ? (resolved as Json)['edit'] : undefined;
  return typeof edit === 'object' && edit !== null ? edit : undefined;
}
