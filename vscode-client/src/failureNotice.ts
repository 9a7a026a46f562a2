/** Shows a failure with buttons that lead out of it. */

import * as vscode from 'vscode';
import { notice, type Failure, type Remedy } from './failure';
import { COMMANDS } from './names';

export async function showFailure(failure: Failure, extensionUri: vscode.Uri): Promise<void> {
  const { message, remedies } = notice(failure);
  const chosen = await vscode.window.showErrorMessage(message, ...remedies);
  if (chosen !== undefined) {
    await apply(chosen, extensionUri);
  }
}

async function apply(remedy: Remedy, extensionUri: vscode.Uri): Promise<void> {
  switch (remedy) {
    case 'Open Settings':
      await vscode.commands.executeCommand('workbench.action.openSettings', 'warplens.server');
      return;
    case 'How to Install':
      await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(extensionUri, 'INSTALL.md'));
      return;
    case 'Restart Server':
      await vscode.commands.executeCommand(COMMANDS.restartServer);
      return;
    case 'Show Output':
      await vscode.commands.executeCommand(COMMANDS.showOutput);
  }
}
