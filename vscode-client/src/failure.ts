/** Why there is no server, said so that the user can do something about it. */

import { CRASH_WINDOW_MS, MAX_CRASHES } from './crashBudget';

export type Failure =
  | { readonly kind: 'notFound'; readonly command: string }
  | { readonly kind: 'notStarted'; readonly command: string; readonly lastLine: string | undefined }
  | { readonly kind: 'crashedTooOften'; readonly lastLine: string | undefined };

export type Remedy = 'Open Settings' | 'How to Install' | 'Restart Server' | 'Show Output';

export interface Notice {
  readonly message: string;
  readonly remedies: readonly Remedy[];
}

export function notice(failure: Failure): Notice {
  switch (failure.kind) {
    case 'notFound':
      return {
        message:
          `Warplens: the command "${failure.command}" was not found. ` +
          'Install the server, or set its path in "warplens.server.path".',
        remedies: ['Open Settings', 'How to Install', 'Show Output'],
      };
    case 'notStarted':
      return {
        message: `Warplens: the server "${failure.command}" ended before it was ready${because(failure.lastLine)}`,
        remedies: ['Open Settings', 'How to Install', 'Show Output'],
      };
    case 'crashedTooOften':
      return {
        message:
          `Warplens: the server crashed ${MAX_CRASHES} times in ${CRASH_WINDOW_MS / 60_000} minutes and is not started again. ` +
          `Last in its log${because(failure.lastLine ?? 'nothing')}`,
        remedies: ['Restart Server', 'Show Output'],
      };
  }
}

/** A program's last line on its error stream usually says why it ended; notifications have no room for more. */
function because(lastLine: string | undefined): string {
  const text = lastLine?.trim() ?? '';
  if (text === '') {
    return '.';
  }
  return `: ${text.length > 200 ? `${text.slice(0, 199)}…` : text}`;
}
