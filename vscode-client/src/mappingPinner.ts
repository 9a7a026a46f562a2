/** The command that lists the mappings of the nest at the cursor, and writes the comment that pins the chosen one. */

import * as vscode from 'vscode';
import { mappingPins, pinEdit, type MappingPin } from './mappingPins';
import { PIN_KIND } from './names';
import { isRead } from './readDocuments';
import type { ServerSession } from './serverSession';

type Row = vscode.QuickPickItem & { readonly pin: MappingPin };

export async function pinMapping(session: ServerSession): Promise<void> {
  try {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !isRead(editor.document)) {
      throw new Error('put the cursor on a loop of a C file');
    }
    const cursor = editor.selection.active;
    const params = {
      textDocument: { uri: editor.document.uri.toString() },
      range: { start: cursor, end: cursor },
      context: { diagnostics: [], only: [PIN_KIND] },
    };
    const rows = mappingPins(await session.request('textDocument/codeAction', params)).map((pin): Row => ({ label: pin.label, description: pin.note, pin }));
    if (rows.length === 0) {
      throw new Error('the loop at the cursor has no other mapping that is worth trying');
    }
    const chosen = await vscode.window.showQuickPick(rows, {
      title: 'Which loop becomes what? Other mappings, fastest first',
      placeHolder: 'Choosing one writes a comment that pins it; Escape changes nothing',
      matchOnDescription: true,
    });
    if (chosen === undefined) {
      return;
    }
    const edit = pinEdit(await session.request('codeAction/resolve', chosen.pin.action));
    if (edit === undefined) {
      throw new Error('the server has nothing to write');
    }
    await session.applyEdit(edit);
  } catch (error) {
    void vscode.window.showWarningMessage(`Warplens: ${error instanceof Error ? error.message : String(error)}`);
  }
}
