/** The command that shows what a fix of the loop at the cursor would write, and writes it when the user says so. */

import * as vscode from 'vscode';
import { confirmed, fixPreview, fixReference, offeredFixes, question, type FixPreview, type FixReference, type OfferedFix } from './fixes';
import { FIXES_REQUEST, PREVIEW_FIX_REQUEST } from './names';
import type { ServerSession } from './serverSession';

type FixItem = vscode.QuickPickItem & { readonly offered: OfferedFix };

/** Without arguments the user chooses among the fixes at the cursor; a link in a hover names one. */
export async function previewFix(session: ServerSession, args: readonly unknown[]): Promise<void> {
  try {
    const fix = fixReference(args) ?? (await chooseFix(session));
    if (fix === undefined) {
      return;
    }
    const preview = fixPreview(await session.request(PREVIEW_FIX_REQUEST, fix));
    if (preview === undefined) {
      throw new Error('the server has nothing to show');
    }
    await show(preview);
    await offerToApply(session, fix, preview);
  } catch (error) {
    await vscode.window.showWarningMessage(`Warplens: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function chooseFix(session: ServerSession): Promise<FixReference | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'c') {
    throw new Error('put the cursor on a loop of a C file');
  }
  const params = { textDocument: { uri: editor.document.uri.toString() }, position: editor.selection.active };
  const offered = offeredFixes(await session.request(FIXES_REQUEST, params));
  if (offered.length === 0) {
    throw new Error('nothing is offered for what stands at the cursor');
  }
  const items = [...offered]
    .sort((one, other) => Number(one.refusal !== '') - Number(other.refusal !== ''))
    .map((each): FixItem => ({ label: each.refusal === '' ? each.title : `$(circle-slash) ${each.title}`, detail: each.refusal, offered: each }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'The fix to preview', matchOnDetail: true });
  if (chosen !== undefined && chosen.offered.refusal !== '') {
    throw new Error(chosen.offered.refusal);
  }
  return chosen?.offered.fix;
}

async function show(preview: FixPreview): Promise<void> {
  for (const file of preview.files) {
    const after = vscode.Uri.parse(file.previewUri);
    if (file.exists) {
      await vscode.commands.executeCommand('vscode.diff', vscode.Uri.parse(file.uri), after, preview.title);
    } else {
      await vscode.window.showTextDocument(after, { preview: true });
    }
  }
}

async function offerToApply(session: ServerSession, fix: FixReference, preview: FixPreview): Promise<void> {
  if (preview.edit === undefined) {
    throw new Error(preview.problem);
  }
  const apply = 'Apply';
  if ((await vscode.window.showInformationMessage(question(preview), apply)) !== apply) {
    return;
  }
  // Asked for again: the server refuses it if the text has changed since.
  const now = fixPreview(await session.request(PREVIEW_FIX_REQUEST, fix));
  if (now?.edit === undefined) {
    throw new Error(now?.problem ?? 'the server has nothing to apply');
  }
  await session.applyEdit(confirmed(now.edit));
}
