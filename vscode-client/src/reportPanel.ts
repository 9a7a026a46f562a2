/** The report in a panel beside the code: the server's page, its questions handed on, its lines shown. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { REPORT_PAGE_REQUEST, REPORT_REQUEST, REPORT_VIEW } from './names';
import { isRead } from './readDocuments';
import { pageHtml, pageMessage } from './reportMessages';
import type { ServerSession } from './serverSession';

const SHOWN = 'report.uri';

/** The cursor stays in the code. */
const BESIDE = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };

export class ReportPanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private uri = '';
  private isReady = false;
  private isSending = false;
  /** Counts what asked for a report. */
  private asked = 0;
  /** The line that the next report is to show, where it is not the one that is shown. */
  private line: number | undefined;
  private readonly subscriptions: vscode.Disposable[];

  /** `memory` outlives a reload of the window, as the panel does. */
  constructor(
    private readonly session: ServerSession,
    private readonly memory: vscode.Memento,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(REPORT_VIEW, this),
      session.onDidAnalyse(() => void this.send()),
      session.onDidChangeState((state) => {
        if (state === 'running' && this.panel !== undefined) {
          void this.load();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (this.panel !== undefined && isC(editor) && editor.document.uri.toString() !== this.uri) {
          this.follow(editor);
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.panel?.dispose();
  }

  /** Shows the report of the C file in front, at the loop of the cursor. */
  open(): void {
    const editor = vscode.window.activeTextEditor;
    if (!isC(editor)) {
      void vscode.window.showWarningMessage('Warplens: open a C file to see its report.');
      return;
    }
    if (this.panel === undefined) {
      this.take(vscode.window.createWebviewPanel(REPORT_VIEW, 'Warplens', BESIDE, { retainContextWhenHidden: true }));
    } else {
      this.panel.reveal(undefined, true);
    }
    this.follow(editor);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.uri = this.memory.get<string>(SHOWN, '');
    this.take(panel);
    if (this.uri !== '') {
      // The tab of a file that is not in front is restored without its text: the server would never hear of it.
      await vscode.workspace.openTextDocument(vscode.Uri.parse(this.uri)).then(undefined, () => undefined);
    }
  }

  private take(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    panel.webview.onDidReceiveMessage((message) => void this.receive(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.isReady = false;
    });
    void this.load();
  }

  private follow(editor: vscode.TextEditor): void {
    this.uri = editor.document.uri.toString();
    void this.memory.update(SHOWN, this.uri);
    void this.send(editor.selection.active.line + 1);
  }

  /** The page without data; it says when it listens. A server that is not there yet is waited for. */
  private async load(): Promise<void> {
    if (this.panel === undefined || this.session.state !== 'running') {
      return;
    }
    const html = pageHtml(await this.session.request(REPORT_PAGE_REQUEST, {}).catch(() => undefined));
    if (html !== undefined && this.panel.webview.html !== html) {
      this.isReady = false;
      this.panel.webview.html = html;
    }
  }

  /** One report after the other, so that the newest is the last one; what is asked for meanwhile becomes one. */
  private async send(line?: number): Promise<void> {
    this.line = line ?? this.line;
    this.asked += 1;
    if (this.isSending) {
      return;
    }
    this.isSending = true;
    try {
      let asked: number;
      do {
        asked = this.asked;
        await this.sendOnce();
      } while (asked !== this.asked);
    } finally {
      this.isSending = false;
    }
  }

  private async sendOnce(): Promise<void> {
    const { panel, uri } = this;
    if (panel === undefined || !this.isReady || uri === '') {
      return;
    }
    const data = await this.session.request(REPORT_REQUEST, { textDocument: { uri } }).catch(() => null);
    if (this.panel === panel && this.uri === uri) {
      const { line } = this;
      this.line = undefined;
      panel.title = `Warplens: ${path.posix.basename(vscode.Uri.parse(uri).path)}`;
      await panel.webview.postMessage({ type: 'report', data, uri, ...(line === undefined ? {} : { line }) });
    }
  }

  private async receive(received: unknown): Promise<void> {
    const message = pageMessage(received, this.uri);
    if (message?.kind === 'ready') {
      this.isReady = true;
      const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.uri);
      await this.send(editor && editor.selection.active.line + 1);
    } else if (message?.kind === 'reveal') {
      await reveal(this.uri, message.line);
    } else if (message?.kind === 'ask') {
      const { id } = message;
      const answer = await this.session.request(message.method, message.params).then(
        (result) => ({ type: 'answer', id, result }),
        (error: unknown) => ({ type: 'answer', id, error: error instanceof Error ? error.message : String(error) }),
      );
      await this.panel?.webview.postMessage(answer);
    }
  }
}

/** In the group where the file is already seen, else beside the report. */
async function reveal(uri: string, line: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const seen = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const place = document.lineAt(Math.min(line, document.lineCount) - 1).range;
  const start = new vscode.Range(place.start, place.start);
  await vscode.window.showTextDocument(document, { selection: start, viewColumn: seen?.viewColumn ?? vscode.ViewColumn.One });
}

function isC(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  return isRead(editor?.document) && editor?.document.uri.scheme === 'file';
}
