/** The command that shows the loop at the cursor on several GPUs, fastest first; choosing one predicts for it from then on. */

import * as vscode from 'vscode';
import { comparison, type ComparedGpu } from './comparisonAnswer';
import { writeGpu } from './gpuPicker';
import { COMPARE_REQUEST } from './names';
import { isRead } from './readDocuments';
import type { ServerSession } from './serverSession';

type Row = vscode.QuickPickItem & { readonly gpu?: ComparedGpu };

export async function compareGpus(session: ServerSession): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isRead(editor.document)) {
    void vscode.window.showWarningMessage('Warplens: put the cursor on a loop of a C file.');
    return;
  }
  const textDocument = { uri: editor.document.uri.toString(), version: editor.document.version };
  const asked = session.request(COMPARE_REQUEST, { textDocument, position: editor.selection.active });
  try {
    const chosen = await vscode.window.showQuickPick(rows(asked), {
      title: 'The loop on several GPUs, fastest first',
      placeHolder: 'Choosing one predicts for it from now on; Escape changes nothing',
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen?.gpu !== undefined) {
      await writeGpu(chosen.gpu.id, editor.document.uri);
    }
  } catch (error) {
    void vscode.window.showWarningMessage(`Warplens: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Not awaited by its caller: the picker shows that it is busy. */
async function rows(asked: Promise<unknown>): Promise<Row[]> {
  const { gpus, notes, problems } = comparison(await asked);
  if (gpus.length === 0) {
    throw new Error(problems[0] ?? 'nothing is known of what stands at the cursor');
  }
  return [
    ...gpus.map((gpu): Row => ({ label: gpu.isCurrent ? `$(check) ${gpu.name}` : gpu.name, description: gpu.times, detail: gpu.detail, gpu })),
    { label: 'Notes', kind: vscode.QuickPickItemKind.Separator },
    ...[...problems.map((text) => `$(warning) ${text}`), ...notes].map((label): Row => ({ label })),
  ];
}
