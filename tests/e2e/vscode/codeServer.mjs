/** A real VS Code behind a web page: code-server with the packaged extension, and nothing of an earlier run. */

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const HERE = import.meta.dirname;
export const ROOT = resolve(HERE, '../../..');
const ENTRY = join(HERE, 'node_modules/code-server/out/node/entry.js');

const SETTINGS = {
  'warplens.server.path': process.env.WARPLENS ?? join(ROOT, '.venv/bin/warplens'),
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'chat.disableAIFeatures': true,
  'window.commandCenter': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'git.enabled': false,
  'files.autoSave': 'off',
  'editor.hover.delay': 100,
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.lightbulb.enabled': 'on',
};

/** Starts it on a copy of `examples/`; `settings` come on top of those that keep the window quiet. */
export async function startCodeServer(settings = {}) {
  const scratch = mkdtempSync(join(tmpdir(), 'warplens-vscode-'));
  const workspace = join(scratch, 'workspace');
  cpSync(join(ROOT, 'examples'), workspace, { recursive: true });
  for (const scope of ['User', 'Machine']) {
    // In both: a setting of machine scope is not read from the user's file of a remote window, and this is one.
    mkdirSync(join(scratch, 'data', scope), { recursive: true });
    writeFileSync(join(scratch, 'data', scope, 'settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
  }
  mkdirSync(join(scratch, 'home'));
  const env = { ...process.env, EXTENSIONS_GALLERY: '{}', HOME: join(scratch, 'home') };
  const folders = ['--user-data-dir', join(scratch, 'data'), '--extensions-dir', join(scratch, 'extensions')];
  install(packagedExtension(), folders, env);
  const quiet = ['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'];
  const more = ['--disable-getting-started-override', '--ignore-last-opened', '--idle-timeout-seconds', '300'];
  const child = spawn(process.execPath, [ENTRY, '--bind-addr', '127.0.0.1:0', ...folders, ...quiet, ...more], { env, detached: true });
  const url = await address(child);
  const stop = async () => {
    const ended = new Promise((done) => child.once('exit', done));
    process.kill(-child.pid, 'SIGTERM');
    await ended;
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { url, workspace, stop };
}

function packagedExtension() {
  const client = join(ROOT, 'vscode-client');
  const packages = readdirSync(client).filter((name) => name.endsWith('.vsix'));
  if (packages.length !== 1) {
    throw new Error(`vscode-client has ${packages.length} packaged extensions, not one: run "make client"`);
  }
  return join(client, packages[0]);
}

function install(vsix, folders, env) {
  const run = spawnSync(process.execPath, [ENTRY, ...folders, '--install-extension', vsix], { env, encoding: 'utf8' });
  if (run.status !== 0) {
    throw new Error(`the extension can't be installed:\n${run.stdout}${run.stderr}`);
  }
}

function address(child) {
  return new Promise((found, failed) => {
    let said = '';
    const read = (text) => {
      said += text;
      const match = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (match) {
        found(match[1]);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => failed(new Error(`code-server ended with ${code}:\n${said}`)));
  });
}
