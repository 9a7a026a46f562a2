/** The one code-server and the one window that all tests of a run share. */

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { startCodeServer } from './codeServer.mjs';
import { Editor } from './editor.mjs';

const SCREENSHOTS = join(import.meta.dirname, 'screenshots');

export let server;
export let editor;

before(async () => {
  // Those of a failure stay while all is run once more.
  for (const name of existsSync(SCREENSHOTS) ? readdirSync(SCREENSHOTS) : []) {
    if (!name.startsWith('failed')) {
      rmSync(join(SCREENSHOTS, name));
    }
  }
  mkdirSync(SCREENSHOTS, { recursive: true });
  server = await startCodeServer();
  editor = await Editor.open(server, SCREENSHOTS);
});

afterEach(async (t) => {
  if (!t.passed) {
    await editor?.picture(`failed ${t.name.replaceAll(/[^\w ]/g, '')}`);
  }
});

after(async () => {
  await editor?.close();
  await server?.stop();
});
