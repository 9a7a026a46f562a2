/** Whoever shows the page: an editor that gives it data and answers questions, or nobody (docs/report.md). */

import type { ReportData } from './data';

export interface Report {
  data: ReportData | null;
  uri: string;
  line?: number;
}

interface VsCode {
  postMessage(message: unknown): void;
}

declare global {
  function acquireVsCodeApi(): VsCode;
}

type Answer = { type: 'answer'; id: number; result?: unknown; error?: string };

export class Host {
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  private asked = 0;

  private constructor(private readonly editor: VsCode) {}

  /** The editor that the page is shown in; undefined for a file in a browser. */
  static find(): Host | undefined {
    return typeof acquireVsCodeApi === 'function' ? new Host(acquireVsCodeApi()) : undefined;
  }

  /** Says that the page listens, and hands on every report. */
  listen(onReport: (report: Report) => void): void {
    window.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = event.data;
      if (!isObject(message)) return;
      if (message['type'] === 'report') onReport(message as unknown as Report);
      if (message['type'] === 'answer') this.answered(message as unknown as Answer);
    });
    this.editor.postMessage({ type: 'ready' });
  }

  /** The result of a request to the server; rejected with the server's message. */
  ask(method: string, params: object): Promise<unknown> {
    const id = ++this.asked;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.editor.postMessage({ type: 'ask', id, method, params });
    return answer;
  }

  reveal(uri: string, line: number): void {
    this.editor.postMessage({ type: 'reveal', uri, line });
  }

  private answered({ id, result, error }: Answer): void {
    const question = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) question?.resolve(result);
    else question?.reject(new Error(error));
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
