/** What the server says of fixes; it may be of another version, so nothing about its answers is taken for granted. */

/** Names a fix to the server; opaque here. */
export type FixReference = Readonly<Record<string, unknown>>;

export interface OfferedFix {
  readonly title: string;
  /** Why it can't be applied, empty where it can. */
  readonly refusal: string;
  readonly fix: FixReference;
}

export interface PreviewedFile {
  readonly uri: string;
  readonly previewUri: string;
  /** Whether the file is there before the fix. */
  readonly exists: boolean;
}

export interface FixPreview {
  readonly title: string;
  /** What the user says by applying it, empty where nothing. */
  readonly promise: string;
  readonly files: readonly PreviewedFile[];
  /** An LSP WorkspaceEdit, undefined where it can't be applied here: `problem` then says why. */
  readonly edit: object | undefined;
  readonly problem: string;
}

export function offeredFixes(answer: unknown): readonly OfferedFix[] {
  return list(answer).flatMap((entry): OfferedFix[] => {
    const { title, refusal, fix } = entry;
    return typeof title === 'string' && isObject(fix) ? [{ title, refusal: text(refusal), fix }] : [];
  });
}

/** A fix in a list that shows no markup; `reason` as in OfferedFix. */
export interface FixRow {
  readonly label: string;
  readonly reason: string;
  readonly fix: FixReference;
}

/** Those that can be applied, and those that can't. */
export function fixRows(offered: readonly OfferedFix[]): { readonly applicable: readonly FixRow[]; readonly refused: readonly FixRow[] } {
  const rows = offered.map(({ title, refusal, fix }): FixRow => ({ label: plain(title), reason: plain(refusal), fix }));
  return { applicable: rows.filter(({ reason }) => reason === ''), refused: rows.filter(({ reason }) => reason !== '') };
}

/** Why nothing is offered, as the server says it. */
export function noFixesReason(answer: unknown): string {
  const reason = isObject(answer) ? text(answer['reason']) : '';
  return reason === '' ? 'no fix is offered for what stands at the cursor' : reason;
}

/** Without the quotes around code, where they would be shown as they are. */
export function plain(said: string): string {
  return said.replaceAll('`', '');
}

/** The answer to a request for a preview, or undefined where it is none. */
export function fixPreview(answer: unknown): FixPreview | undefined {
  if (!isObject(answer)) {
    return undefined;
  }
  const { title, promise, files, edit, problem } = answer;
  const previewed = list(files).flatMap(({ uri, previewUri, exists }): PreviewedFile[] =>
    typeof uri === 'string' && typeof previewUri === 'string' ? [{ uri, previewUri, exists: exists === true }] : [],
  );
  if (typeof title !== 'string' || previewed.length === 0) {
    return undefined;
  }
  return { title, promise: text(promise), files: previewed, edit: isObject(edit) ? edit : undefined, problem: text(problem) };
}

/** The argument of the command, or undefined: any extension can run a command with anything. */
export function fixReference(args: readonly unknown[]): FixReference | undefined {
  const [fix] = args;
  return isObject(fix) && typeof fix['uri'] === 'string' && typeof fix['code'] === 'string' ? fix : undefined;
}

/** The edit without questions to the user, who has seen and confirmed all of it. */
export function confirmed(edit: object): object {
  const annotations = (edit as Record<string, unknown>)['changeAnnotations'];
  if (!isObject(annotations)) {
    return edit;
  }
  const answered = Object.entries(annotations).map(([id, annotation]) => [id, { ...(annotation as object), needsConfirmation: false }]);
  return { ...edit, changeAnnotations: Object.fromEntries(answered) };
}

/** What the user is asked before a previewed fix is applied. */
export function question({ title, promise }: FixPreview): string {
  return promise === '' ? `Warplens: ${plain(title)}?` : `Warplens: ${plain(title)}? You promise: ${plain(promise)}.`;
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
