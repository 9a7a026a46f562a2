/** The language server as an editor starts it, with one document open. */

import { spawn } from 'node:child_process';
import { WARPLENS } from './reports.mjs';

export class Server {
  static async start(uri, text) {
    const server = new Server();
    await server.request('initialize', { processId: process.pid, rootUri: null, capabilities: { textDocument: { publishDiagnostics: {} } }, initializationOptions: { settings: { gpu: 'a100' } } });
    server.notify('initialized', {});
    const analysed = server.once('textDocument/publishDiagnostics');
    server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'c', version: 1, text } });
    await analysed;
    return server;
  }

  constructor() {
    this.process = spawn(WARPLENS, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.waiting = new Map();
    this.heard = new Map();
    this.ids = 0;
    this.buffer = Buffer.alloc(0);
    this.process.stdout.on('data', (chunk) => this.read(chunk));
  }

  request(method, params) {
    const id = ++this.ids;
    this.send({ id, method, params });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  notify(method, params) {
    this.send({ method, params });
  }

  once(method) {
    return new Promise((resolve) => this.heard.set(method, resolve));
  }

  async stop() {
    await this.request('shutdown');
    this.notify('exit');
    await new Promise((resolve) => this.process.once('exit', resolve));
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  read(chunk) {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const end = this.buffer.indexOf('\r\n\r\n');
      const length = end < 0 ? NaN : Number(/Content-Length: (\d+)/i.exec(this.buffer.subarray(0, end))[1]);
      if (!(this.buffer.length >= end + 4 + length)) return;
      const message = JSON.parse(this.buffer.subarray(end + 4, end + 4 + length));
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.receive(message);
    }
  }

  receive({ id, method, params, result, error }) {
    if (method !== undefined) {
      if (id !== undefined) this.send({ id, result: method === 'workspace/configuration' ? params.items.map(() => null) : null });
      this.heard.get(method)?.(params);
      return;
    }
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }
}
