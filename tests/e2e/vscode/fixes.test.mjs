/** Quick fixes as a person applies them: from the menu, with a preview, text on disk, and one undo. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startCodeServer } from './codeServer.mjs';
import { Editor } from './editor.mjs';

const PRAGMA = /\n {4}#pragma omp target teams distribute parallel for .*\n {4}for/;
let server;
let editor;

before(async () => {
  server = await startCodeServer();
  editor = await Editor.open(server);
});

after(async () => {
  await editor?.close();
  await server?.stop();
});

test('a directive is inserted above the loop, and one undo takes it back', async () => {
  await editor.file('heat2d.c');
  const text = editor.onDisk('heat2d.c');
  await editor.goTo(11, 5);
  await editor.choose('Insert `omp');
  await editor.line('#pragma').waitFor();
  await editor.save();
  assert.match(editor.onDisk('heat2d.c'), PRAGMA);
  await editor.undo();
  await editor.line('#pragma').waitFor({ state: 'detached' });
  await editor.save();
  assert.equal(editor.onDisk('heat2d.c'), text);
});

test('a CUDA file is shown before it is written', async () => {
  await editor.file('heat2d.c');
  await editor.goTo(11, 5);
  await editor.choose('Write CUDA');
  const row = editor.page.locator('.monaco-list-row', { hasText: 'heat2d_step.cu' }).first();
  await row.waitFor();
  await editor.picture('cuda-consent');
  const path = join(server.workspace, 'heat2d_step.cu');
  assert.ok(!existsSync(path));
  await row.locator('.edit-checkbox').click();
  await editor.button('Apply').click();
  await editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'heat2d_step.cu' }).waitFor();
  for (let waited = 0; waited < 10_000 && !readFileSync(path, 'utf8'); waited += 100) {
    await editor.page.waitForTimeout(100); // it is there, and then its text
  }
  assert.match(readFileSync(path, 'utf8'), /__global__/);
});

test('the command shows the changed text beside the old one and asks', async () => {
  await editor.file('matrix.c');
  await editor.goTo(26, 5);
  await editor.command('Warplens: Preview a Fix');
  await editor.picker.locator('.monaco-list-row', { hasText: 'Insert `omp' }).waitFor();
  await editor.page.keyboard.press('Enter');
  await editor.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await editor.picture('fix-preview');
  await editor.button('Apply').click();
  await editor.file('matrix.c');
  await editor.save();
  assert.match(editor.onDisk('matrix.c'), PRAGMA);
});
