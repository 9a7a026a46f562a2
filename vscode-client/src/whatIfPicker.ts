/** The command that asks what another size, GPU or launch would change: pick, see, pick on. Nothing is edited. */

import * as vscode from 'vscode';
import { WHAT_IF_REQUEST } from './names';
import { isRead } from './readDocuments';
import type { ServerSession } from './serverSession';
import { joined, whatIf, type Changes, type Choice, type WhatIf } from './whatIfAnswer';

type Row = vscode.QuickPickItem & { readonly choice?: Choice; readonly change?: Changes };

export async function askWhatIf(session: ServerSession): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isRead(editor.document)) {
    void vscode.window.showWarningMessage('Warplens: put the cursor on a loop of a C file.');
    return;
  }
  const textDocument = { uri: editor.document.uri.toString(), version: editor.document.version };
  const position = editor.selection.active;
  let changes: Changes = {};
  try {
    for (;;) {
      const answer = whatIf(await session.request(WHAT_IF_REQUEST, { textDocument, position, changes, panel: 'picker' }), changes);
      if (answer.nest === undefined) {
        throw new Error(answer.problems[0] ?? 'nothing is known of what stands at the cursor');
      }
      const row = await chosen(answer);
      if (row === undefined) {
        return;
      }
      changes = joined(changes, row.change ?? (row.choice && (await newValue(row.choice))) ?? {});
    }
  } catch (error) {
    void vscode.window.showWarningMessage(`Warplens: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What to change next, among rows that say what came of the changes so far. */
async function chosen(answer: WhatIf): Promise<Row | undefined> {
  const said: Row[] = [...answer.problems.map((text) => `$(warning) ${text}`), ...answer.differences].map((label) => ({ label, alwaysShow: true }));
  const rows: Row[] = [
    { label: `now: ${answer.before}`, alwaysShow: true },
    ...(answer.after === '' || answer.after === answer.before ? [] : [{ label: `then: ${answer.after}`, alwaysShow: true }]),
    ...said,
    ...(answer.calls.length === 0 ? [] : [{ label: 'As another call has it', kind: vscode.QuickPickItemKind.Separator }]),
    ...answer.calls.map(({ label, note, change }): Row => ({ label: `$(references) ${label}`, description: note, change })),
    { label: 'Change', kind: vscode.QuickPickItemKind.Separator },
    ...answer.choices.map((choice): Row => ({ label: `$(edit) ${choice.label}`, description: choice.now, detail: choice.note, choice })),
  ];
  for (;;) {
    const row = await vscode.window.showQuickPick(rows, { title: 'What if?', placeHolder: 'What to change; Escape ends, nothing is edited' });
    if (row === undefined || row.choice !== undefined || row.change !== undefined) {
      return row;
    }
  }
}

async function newValue(choice: Choice): Promise<Changes | undefined> {
  const { typed } = choice;
  if (typed !== undefined) {
    const isSize = (text: string): boolean => /^\d{1,19}$/.test(text.replaceAll(/[ _,']/g, ''));
    const validateInput = (text: string): string | undefined => (isSize(text) ? undefined : 'A whole number from 0 on.');
    const text = await vscode.window.showInputBox({ title: `What if? ${choice.label}`, prompt: choice.note, value: choice.now, validateInput });
    return text === undefined ? undefined : typed(Number(text.replaceAll(/[ _,']/g, '')));
  }
  const items = choice.values.map(({ label, note, change }) => ({ label, description: label === choice.now ? `${note} (now)` : note, change }));
  const item = await vscode.window.showQuickPick(items, { title: `What if? ${choice.label}`, placeHolder: choice.now });
  return item?.change;
}
