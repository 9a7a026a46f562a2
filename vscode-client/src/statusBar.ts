/** The status-bar item with the GPU that predictions are for; shown while a document that is read is visible. */

import * as vscode from 'vscode';
import { gpuName, type GpuProfile } from './gpuList';
import { COMMANDS, SECTION } from './names';
import { isRead } from './readDocuments';
import type { ServerSession } from './serverSession';
import { statusView } from './statusView';

export function createStatusBar(session: ServerSession): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('warplens.gpu', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Warplens GPU';
  item.command = COMMANDS.selectGpu;
  let profiles: readonly GpuProfile[] = [];

  const refresh = (): void => {
    // An output channel with the focus is an active editor too; the C file beside it still counts.
    const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
    const document = editors.map((editor) => editor?.document).find(isRead);
    if (document === undefined) {
      item.hide();
      return;
    }
    const id = vscode.workspace.getConfiguration(SECTION, document.uri).get<string>('gpu', '');
    const { text, tooltip, warning } = statusView(session.state, gpuName(profiles, id));
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  const learnNames = async (): Promise<void> => {
    try {
      profiles = await session.gpus();
    } catch {
      return; // the profile's id is shown instead of its name
    }
    refresh();
  };

  refresh();
  return vscode.Disposable.from(
    item,
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.window.onDidChangeVisibleTextEditors(refresh),
    vscode.workspace.onDidOpenTextDocument(refresh), // also sent when a document's language changes
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.gpu`)) {
        refresh();
      }
    }),
    session.onDidChangeState((state) => {
      refresh();
      if (state === 'running') {
        void learnNames();
      }
    }),
  );
}
