/** The command that offers the server's GPUs and writes the choice to the setting `warplens.gpu`. */

import * as vscode from 'vscode';
import { levelToWrite } from './gpuList';
import { COMMANDS, SECTION } from './names';
import type { ServerSession } from './serverSession';

const TARGETS = {
  folder: vscode.ConfigurationTarget.WorkspaceFolder,
  workspace: vscode.ConfigurationTarget.Workspace,
  user: vscode.ConfigurationTarget.Global,
} as const;

type GpuItem = vscode.QuickPickItem & { readonly id: string };

export async function selectGpu(session: ServerSession): Promise<void> {
  if (session.state !== 'running') {
    await offerRestart('Warplens: the list of GPUs comes from the server, which is not running.');
    return;
  }
  const settings = vscode.workspace.getConfiguration(SECTION, vscode.window.activeTextEditor?.document.uri);
  const current = settings.get<string>('gpu');
  const cancellation = new vscode.CancellationTokenSource();
  try {
    const items = listItems(session, current, cancellation.token); // not awaited: the picker shows that it is busy
    const chosen = await vscode.window.showQuickPick<GpuItem>(items, {
      placeHolder: 'The GPU to predict for',
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen !== undefined) {
      await writeGpu(chosen.id, vscode.window.activeTextEditor?.document.uri);
    }
  } catch (error) {
    await offerRestart(`Warplens: the GPU could not be chosen: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    cancellation.cancel();
    cancellation.dispose();
  }
}

/** Where it takes effect for the file. */
export async function writeGpu(id: string, uri: vscode.Uri | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION, uri);
  await settings.update('gpu', id, TARGETS[levelToWrite(settings.inspect('gpu'))]);
}

async function listItems(session: ServerSession, current: string | undefined, token: vscode.CancellationToken): Promise<GpuItem[]> {
  const profiles = await session.gpus(token);
  return profiles.map(({ id, name, detail }) => ({ id, label: name, description: id === current ? `${id} (now)` : id, detail }));
}

async function offerRestart(message: string): Promise<void> {
  const restart = 'Restart Server';
  const output = 'Show Output';
  const chosen = await vscode.window.showWarningMessage(message, restart, output);
  if (chosen === restart) {
    await vscode.commands.executeCommand(COMMANDS.restartServer);
  } else if (chosen === output) {
    await vscode.commands.executeCommand(COMMANDS.showOutput);
  }
}
