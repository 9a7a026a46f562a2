/** The command behind a code lens: put the cursor on a loop and show its hover. */

import * as vscode from 'vscode';
import { loopPosition } from './loopPosition';

export async function showLoop(...args: unknown[]): Promise<void> {
  if (await goToLoop(...args)) {
    await vscode.commands.executeCommand('editor.action.showHover', { focus: 'noAutoFocus' });
  }
}

/** Put the cursor on a loop; false where the arguments name none, as those of the command palette. */
export async function goToLoop(...args: unknown[]): Promise<boolean> {
  const target = loopPosition(args);
  if (target === undefined) {
    return false;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(target.uri));
  const line = document.lineAt(Math.min(target.line, document.lineCount - 1));
  const position = new vscode.Position(line.lineNumber, target.character ?? line.firstNonWhitespaceCharacterIndex);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  return true;
}
