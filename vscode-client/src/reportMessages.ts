/** What the report's page and this extension say to each other (docs/report.md); the page shows C code that anybody wrote. */

/** What the page may ask the server for. */
const ASKABLE: ReadonlySet<string> = new Set(['warplens/reportNest', 'warplens/whatIf']);

/** Names this panel to the server: of its what-ifs that wait, only the newest is answered. */
const PANEL = 'report';

export type PageMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly id: number; readonly method: string; readonly params: object }
  | { readonly kind: 'reveal'; readonly line: number };

/** A message of the page about the document `uri`, undefined where it is none that is served. */
export function pageMessage(message: unknown, uri: string): PageMessage | undefined {
  if (!isObject(message)) {
    return undefined;
  }
  const { type, id, method, params, line } = message;
  if (type === 'ready') {
    return { kind: 'ready' };
  }
  if (type === 'reveal' && message['uri'] === uri && Number.isInteger(line) && (line as number) > 0) {
    return { kind: 'reveal', line: line as number };
  }
  if (type === 'ask' && typeof id === 'number' && typeof method === 'string' && ASKABLE.has(method) && isObject(params)) {
    const more = method === 'warplens/whatIf' ? { panel: PANEL } : {};
    return { kind: 'ask', id, method, params: { ...params, ...more, textDocument: { uri } } };
  }
  return undefined;
}

/** The page as the server sent it, undefined where it sent something else. */
export function pageHtml(answer: unknown): string | undefined {
  const html = isObject(answer) ? answer['html'] : undefined;
  return typeof html === 'string' ? html : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
