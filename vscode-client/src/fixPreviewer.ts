/** The command that shows what a fix of the loop at the cursor would write, and writes it when the user says so. */

import * as vscode from 'vscode';
import { confirmed, fixPreview, fixReference, fixRows, noFixesReason, offeredFixes, plain, question, type FixPreview, type FixReference, type FixRow } from './fixes';
import { FIXES_REQUEST, NO_FIXES_REQUEST, PREVIEW_FIX_REQUEST } from './names';
import { isRead } from './readDocuments';
import type { ServerSession } from './serverSession';

type FixItem = vscode.QuickPickItem & { readonly row?: FixRow };

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
    await vscode.window.showWarningMessage(`Warplens: ${plain(error instanceof Error ? error.message : String(error))}`);
  }
}

async function chooseFix(session: ServerSession): Promise<FixReference | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isRead(editor.document)) {
    throw new Error('put the cursor on a loop of a C file');
  }
  const params = { textDocument: { uri: editor.document.uri.toString() }, position: editor.selection.active };
  const offered = offeredFixes(await session.request(FIXES_REQUEST, params));
  if (offered.length === 0) {
    throw new Error(noFixesReason(await session.request(NO_FIXES_REQUEST, params).catch(() => undefined)));
  }
  const { applicable, refused } = fixRows(offered);
  const items: FixItem[] = [
    ...applicable.map((row): FixItem => ({ label: row.label, row })),
    ...(refused.length > 0 ? [{ label: 'Not offered, and why', kind: vscode.QuickPickItemKind.Separator }] : []),
    ...refused.map((row): FixItem => ({ label: `$(circle-slash) ${row.label}`, detail: row.reason, row })),
  ];
  const placeHolder = applicable.length > 0 ? 'The fix to preview' : 'No fix can be applied here; each says why';
  const row = (await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.row;
  if (row !== undefined && row.reason !== '') {
    throw new Error(`${row.label}: ${row.reason}`);
  }
  return row?.fix;
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
