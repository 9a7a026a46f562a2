/** Quick fixes as a person applies them: from the menu, with a preview, text on disk, and one undo. */

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './codeServer.mjs';
import { editor, server } from './window.mjs';

const PRAGMA = /\n {4}#pragma omp target teams distribute parallel for (?:.* \\\n {8})*.*\n {4}for/;
const TEAM_PRAGMA = /\n {4}#pragma omp target teams distribute thread_limit\(\d+\) (?:.* \\\n {8})*.*\n {4}for/;

test('a directive is inserted above the loop, and one undo takes it back', async () => {
  await editor.file('heat2d.c');
  const text = editor.onDisk('heat2d.c');
  await editor.goTo(11, 5);
  await editor.choose('Move to the GPU with OpenMP');
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
  await editor.until('it is there, and then its text', () => readFileSync(path, 'utf8') !== '');
  assert.match(readFileSync(path, 'utf8'), /__global__/);
});

test('the command shows the changed text beside the old one and asks', async () => {
  await editor.file('matrix.c');
  await editor.goTo(26, 5);
  await editor.command('Warplens: Preview a Fix');
  await editor.picker.locator('.monaco-list-row', { hasText: 'Move to the GPU with OpenMP' }).waitFor();
  await editor.page.keyboard.press('Enter');
  await editor.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await editor.picture('fix-preview');
  await editor.button('Apply').click();
  await editor.file('matrix.c');
  await editor.save();
  assert.match(editor.onDisk('matrix.c'), TEAM_PRAGMA);
  await editor.undo();
  await editor.save();
});

test('a fix that mends a diagnostic waits for the promise, takes the squiggle away, and undo brings it back', async () => {
  const text =
    'void scale(int n, double *a, const double *b)\n{\n    // warplens: n = 50000\n' +
    '    for (int i = 0; i < n; i++)\n        a[i] = 2 * b[i];\n}\n';
  mkdirSync(join(server.workspace, 'apart'));
  editor.write('apart/.warplens.toml', 'noise = "all"\n'); // assumptions are diagnostics then
  editor.write('apart/apart.c', text);
  await editor.file('apart.c');
  const hint = editor.pane.locator('.squiggly-hint');
  await hint.first().waitFor();
  await editor.goTo(4, 5);
  await editor.choose('Declare `a` and `b` `restrict`');
  const row = editor.page.locator('.refactor-preview .monaco-list-row, .bulk-edit-panel .monaco-list-row', { hasText: 'apart.c' }).first();
  await row.waitFor();
  await row.locator('.edit-checkbox').click();
  await editor.button('Apply').click();
  await editor.line('restrict a').waitFor();
  await editor.save();
  assert.match(editor.onDisk('apart/apart.c'), /double \*restrict a, const double \*restrict b/);
  await editor.until('nothing that the fix mends', async () => (await hint.count()) === 0);
  await editor.undo();
  await editor.save();
  assert.equal(editor.onDisk('apart/apart.c'), text);
  await hint.first().waitFor();
});

test('a fix that is refused is listed with the reason, and choosing it changes nothing', async () => {
  cpSync(join(ROOT, 'tests/fixtures/fixes/split/refused.c'), join(server.workspace, 'refused.c'));
  const text = editor.onDisk('refused.c');
  const reason = 'u is set on one side and used on the other: it would need an array';
  await editor.file('refused.c');
  await editor.goTo(9, 5);
  await editor.command('Warplens: Preview a Fix');
  const row = editor.picker.locator('.monaco-list-row', { hasText: reason });
  await row.waitFor();
  await editor.picture('refused-fix');
  await row.click();
  await editor.said(reason);
  assert.equal(await editor.page.locator('.tab.dirty').count(), 0);
  assert.equal(editor.onDisk('refused.c'), text);
});

test('where nothing can be offered, the loop and what stops it are named', async () => {
  await editor.file('heat2d.c');
  await editor.goTo(32, 5);
  await editor.command('Warplens: Preview a Fix');
  await editor.said('No fix for the loop over i in line 32. Parallel? No: u[(i - 1) * n + j] (line 34) reads what');
  await editor.picture('no-fix');
});
