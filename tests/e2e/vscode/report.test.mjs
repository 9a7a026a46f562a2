/** The report in a panel: it follows the file, its loops lead to their lines, and what is changed in it is predicted. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCodeServer } from './codeServer.mjs';
import { Editor } from './editor.mjs';

let server;
let editor;
let page;

before(async () => {
  server = await startCodeServer();
  editor = await Editor.open(server, { width: 1600, height: 1000 });
  await editor.file('matrix.c');
  await editor.goTo(26, 5);
  await editor.command('Warplens: Open Report');
  page = await editor.panel();
});

after(async () => {
  await editor?.close();
  await server?.stop();
});

test('the panel shows the report of the file at the loop of the cursor', async () => {
  await page.getByText('gemv(), line 26').first().waitFor();
  await page.locator('figure svg:visible, canvas:visible').first().waitFor();
  await editor.picture('report');
});
