/** Starts the language server for C files and headers and adds what the protocol has no words for: status bar, GPU picker, commands. */

import * as vscode from 'vscode';
import { showFailure } from './failureNotice';
import { previewFix } from './fixPreviewer';
import { compareGpus } from './gpuComparer';
import { selectGpu } from './gpuPicker';
import { pinMapping } from './mappingPinner';
import { COMMANDS, SECTION, SHOW_LOOP } from './names';
import { isRead, isServerWanted } from './readDocuments';
import { ReportPanel } from './reportPanel';
import { ServerSession } from './serverSession';
import { goToLoop, showLoop } from './showLoop';
import { createStatusBar } from './statusBar';
import { askWhatIf } from './whatIfPicker';

let session: ServerSession | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('Warplens', { log: true });
  const current = new ServerSession(output, (failure) => void showFailure(failure, context.extensionUri));
  session = current;
  const report = new ReportPanel(current, context.workspaceState);
  context.subscriptions.push(
    output,
    createStatusBar(current),
    vscode.commands.registerCommand(COMMANDS.selectGpu, () => selectGpu(current)),
    vscode.commands.registerCommand(COMMANDS.previewFix, (...args: unknown[]) => previewFix(current, args)),
    report,
    vscode.commands.registerCommand(COMMANDS.openReport, (...args: unknown[]) => goToLoop(...args).then(() => report.open())),
    vscode.commands.registerCommand(COMMANDS.askWhatIf, () => askWhatIf(current)),
    vscode.commands.registerCommand(COMMANDS.compareLoop, (...args: unknown[]) => goToLoop(...args).then(() => compareGpus(current))),
    vscode.commands.registerCommand(COMMANDS.pinMapping, (...args: unknown[]) => goToLoop(...args).then(() => pinMapping(current))),
    vscode.commands.registerCommand(COMMANDS.restartServer, () => current.restart()),
    vscode.commands.registerCommand(COMMANDS.showOutput, () => output.show()),
    vscode.commands.registerCommand(SHOW_LOOP, showLoop),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void current.restart()),
    vscode.window.onDidChangeActiveColorTheme((theme) => void current.showImagesIn(theme)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.server`)) {
        void current.restart();
      }
    }),
  );
  context.subscriptions.push(startWhenWanted(current));
}

/** Not awaited: the commands work, and can help, while the server starts. */
function startWhenWanted(current: ServerSession): vscode.Disposable {
  if (isServerWanted(vscode.workspace.textDocuments)) {
    void current.restart();
    return new vscode.Disposable(() => undefined);
  }
  const waiting = vscode.workspace.onDidOpenTextDocument((document) => {
    if (isRead(document)) {
      waiting.dispose();
      void current.restart();
    }
  });
  return waiting;
}

export function deactivate(): Promise<void> | undefined {
  return session?.close();
}
