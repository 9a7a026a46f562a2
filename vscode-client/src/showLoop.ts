/** The command behind a code lens: put the cursor on a loop and show its hover. */

import * as vscode from 'vscode';
import { loopPosition } from './loopPosition';

export async function showLoop(...args: unknown[]): Promise<void> {
  const target = loopPosition(args);
  if (target === undefined) {
    return;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(target.uri));
  const line = document.lineAt(Math.min(target.line, document.lineCount - 1));
  const position = new vscode.Position(line.lineNumber, target.character ?? line.firstNonWhitespaceCharacterIndex);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  await vscode.commands.executeCommand('editor.action.showHover', { focus: 'noAutoFocus' });
}
