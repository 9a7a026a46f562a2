/** Arguments of the command `warplens.showLoop`. */

export interface LoopPosition {
  readonly uri: string;
  /** From 0. */
  readonly line: number;
  /** From 0, in UTF-16 units; undefined means the line's first character that is no blank. */
  readonly character: number | undefined;
}

/** The arguments checked, or undefined: any extension can run a command with anything. */
export function loopPosition(args: readonly unknown[]): LoopPosition | undefined {
  const [uri, line, character] = args;
  if (typeof uri !== 'string' || !isIndex(line) || !(character === undefined || isIndex(character))) {
    return undefined;
  }
  return { uri, line, character };
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
