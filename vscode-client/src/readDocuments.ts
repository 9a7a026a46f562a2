/** The documents that Warplens reads: C, and headers, which VS Code opens as C++ unless `files.associations` says otherwise. */

const HEADER = '.h';

export const DOCUMENTS = [
  { language: 'c', scheme: 'file' },
  { language: 'cpp', scheme: 'file', pattern: `**/*${HEADER}` },
];

/** What of a document decides; a `vscode.TextDocument` has it. */
interface OpenDocument {
  readonly languageId: string;
  readonly uri: { readonly path: string };
}

/** Whether the server may have something to say of a document. Which headers are really C++, it finds out itself. */
export function isRead<T extends OpenDocument>(document: T | undefined): document is T {
  return document !== undefined && (document.languageId === 'c' || (document.languageId === 'cpp' && document.uri.path.endsWith(HEADER)));
}

/** Whether the server is wanted: not where the extension was started by C++ alone. */
export function isServerWanted(documents: readonly OpenDocument[]): boolean {
  return documents.some(isRead) || !documents.some(({ languageId }) => languageId === 'cpp');
}
