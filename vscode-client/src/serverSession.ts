/** One language server at a time: started, restarted after crashes and changed settings, stopped. */

import * as os from 'node:os';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, State, type LanguageClientOptions, type WorkspaceEdit } from 'vscode-languageclient/node';
import { CrashBudget } from './crashBudget';
import type { Failure } from './failure';
import { gpuProfiles, type GpuProfile } from './gpuList';
import { showLoopWhenPressed } from './loopLens';
import { thisMachine } from './machine';
import { imageTheme } from './imageTheme';
import { ANALYSED_NOTIFICATION, COMMANDS, GPUS_REQUEST, IMAGES_NOTIFICATION, SECTION, SHOW_LOOP } from './names';
import { DOCUMENTS } from './readDocuments';
import { resolveCommand } from './serverCommand';
import type { ServerState } from './statusView';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 2000;
/** The end of a process and its last words come through different pipes. */
const LAST_WORDS_DELAY_MS = 200;

/** A client that leaves notifications to the session: it would show several for one failure, none with a remedy. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class ServerSession {
  private client: QuietClient | undefined;
  private currentState: ServerState = 'stopped';
  private lastErrorLine: string | undefined;
  private queue: Promise<void> = Promise.resolve();
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.stateChanged.event;
  private readonly analysed = new vscode.EventEmitter<void>();
  /** Something new is known of open documents. */
  readonly onDidAnalyse = this.analysed.event;

  /** `report` shows a failure to the user; it is called once for each. */
  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly report: (failure: Failure) => void,
  ) {}

  get state(): ServerState {
    return this.currentState;
  }

  /** Stop the server if there is one and start one with the settings as they are now. Never rejects. */
  restart(): Promise<void> {
    return this.enqueue(() => this.start());
  }

  /** Stop the server and release everything. Never rejects. */
  async close(): Promise<void> {
    await this.enqueue(() => Promise.resolve());
    this.stateChanged.dispose();
    this.analysed.dispose();
  }

  /** The server's GPU profiles; rejects where it does not answer. */
  async gpus(token = new vscode.CancellationTokenSource().token): Promise<readonly GpuProfile[]> {
    return gpuProfiles(await this.request(GPUS_REQUEST, {}, token));
  }

  /** The server's answer; rejects where there is none. */
  async request(method: string, params: object, token = new vscode.CancellationTokenSource().token): Promise<unknown> {
    return await this.running().sendRequest<unknown>(method, params, token);
  }

  /** Tell the server which colours the pictures in its hovers stand among. */
  async showImagesIn(theme: vscode.ColorTheme): Promise<void> {
    if (this.client !== undefined && this.state === 'running') {
      await this.client.sendNotification(IMAGES_NOTIFICATION, { theme: imageTheme(theme.kind) });
    }
  }

  /** Apply a WorkspaceEdit of the server in one step; rejects where the editor does not. */
  async applyEdit(edit: object): Promise<void> {
    const converted = await this.running().protocol2CodeConverter.asWorkspaceEdit(edit as WorkspaceEdit);
    if (!(await vscode.workspace.applyEdit(converted, { isRefactoring: true }))) {
      throw new Error('the editor did not apply the fix');
    }
  }

  private running(): QuietClient {
    if (this.client === undefined || this.state !== 'running') {
      throw new Error('the server is not running');
    }
    return this.client;
  }

  /** One start or stop after another; one that hangs in starting is ended first, else it would block the queue. */
  private enqueue(then: () => Promise<void>): Promise<void> {
    const previous = this.client;
    this.client = undefined;
    if (previous?.state === State.Starting) {
      previous.serverProcess?.kill();
    }
    this.queue = this.queue.then(async () => {
      await this.end(previous);
      await then();
    });
    return this.queue;
  }

  private async end(client: QuietClient | undefined): Promise<void> {
    try {
      if (client?.state === State.Running) {
        await client.dispose(STOP_LIMIT_MS);
      }
    } catch (error) {
      this.output.warn(`The server did not stop as it should: ${String(error)}`);
    }
    this.setState('stopped');
  }

  private async start(): Promise<void> {
    const settings = vscode.workspace.getConfiguration(SECTION);
    const configured = settings.get<string>('server.path', SECTION);
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
    const command = resolveCommand(configured, folder, thisMachine());
    if (command === undefined) {
      this.output.error(`The command "${configured}" was not found; PATH is ${process.env['PATH'] ?? 'not set'}`);
      this.setState('failed');
      this.report({ kind: 'notFound', command: configured });
      return;
    }
    const args = settings.get<string[]>('server.args', ['lsp']);
    this.output.info(`Starting ${[command, ...args].join(' ')}`);
    this.lastErrorLine = undefined;
    // The working folder is not the workspace: an interpreter that imports from it would run the workspace's files.
    const executable = { command, args, options: { cwd: os.homedir() } };
    const crashes = new CrashBudget();
    let ready = false;
    const client: QuietClient = new QuietClient(SECTION, 'Warplens', executable, {
      ...this.clientOptions(),
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          if (!ready) {
            return { action: CloseAction.DoNotRestart, handled: true };
          }
          if (crashes.crashed(Date.now())) {
            this.output.warn('The server ended by itself and is started again');
            return { action: CloseAction.Restart, handled: true };
          }
          this.fail(client, (lastLine) => ({ kind: 'crashedTooOften', lastLine }));
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    client.onDidChangeState(({ newState }) => {
      ready = newState === State.Running;
      if (client !== this.client) {
        return;
      }
      if (newState === State.StartFailed) {
        this.fail(client, (lastLine) => ({ kind: 'notStarted', command, lastLine }));
      } else if (newState === State.Stopped) {
        this.setState(this.state === 'failed' ? 'failed' : 'stopped');
      } else {
        this.setState(newState === State.Running ? 'running' : 'starting');
      }
    });
    client.onNotification(ANALYSED_NOTIFICATION, () => this.analysed.fire());
    this.client = client;
    const limit = setTimeout(() => {
      this.lastErrorLine = `no answer within ${START_LIMIT_MS / 1000} s`;
      client.serverProcess?.kill();
    }, START_LIMIT_MS);
    await client.start().catch(() => undefined); // already said: the state became StartFailed
    clearTimeout(limit);
  }

  private clientOptions(): LanguageClientOptions {
    const forward = (input: NodeJS.ReadableStream, write: (line: string) => void): void => {
      readline.createInterface({ input, crlfDelay: Infinity }).on('line', write);
    };
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.output,
      initializationOptions: () => ({
        settings: vscode.workspace.getConfiguration().get(SECTION),
        trusted: vscode.workspace.isTrusted,
        commands: [COMMANDS.previewFix, COMMANDS.openReport, COMMANDS.compareLoop, COMMANDS.pinMapping],
        announce: true,
        images: imageTheme(vscode.window.activeColorTheme.kind),
      }),
      initializationFailedHandler: () => false,
      markdown: { isTrusted: { enabledCommands: [SHOW_LOOP, COMMANDS.previewFix, COMMANDS.openReport, COMMANDS.compareLoop] } },
      middleware: {
        provideCodeLenses: async (document, token, next) => {
          const lenses = await next(document, token);
          return lenses && showLoopWhenPressed(lenses, document.uri.toString(), SHOW_LOOP);
        },
      },
      stdioOptions: {
        stdout: (input, output) => forward(input, (line) => output.info(line)),
        stderr: (input, output) =>
          forward(input, (line) => {
            this.lastErrorLine = line.trim() === '' ? this.lastErrorLine : line;
            output.info(line);
          }),
      },
    };
  }

  private fail(client: QuietClient, failure: (lastLine: string | undefined) => Failure): void {
    if (client === this.client && this.state !== 'failed') {
      this.setState('failed');
      setTimeout(() => this.report(failure(this.lastErrorLine)), LAST_WORDS_DELAY_MS);
    }
  }

  private setState(state: ServerState): void {
    if (state !== this.currentState) {
      this.currentState = state;
      this.stateChanged.fire(state);
    }
  }
}
