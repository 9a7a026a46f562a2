/** What-if without the panel: pick a change, read what came of it, pick on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editor } from './window.mjs';

test('another size and another GPU are predicted in the list, and nothing is edited', async () => {
  await editor.file('matrix.c');
  const text = editor.onDisk('matrix.c');
  await editor.goTo(26, 5);
  await editor.command('Warplens: What If?');
  const rows = editor.picker.locator('.monaco-list-row');
  const change = async (label) => {
    await rows.filter({ has: editor.page.locator('.label-name', { hasText: new RegExp(`^\\s*${label}$`) }) }).first().click();
    await editor.page.getByText(`What if? ${label}`, { exact: true }).waitFor();
  };
  await change('n');
  await editor.page.keyboard.press('Control+a');
  await editor.page.keyboard.type('many');
  await editor.picker.getByText('A whole number from 0 on').waitFor();
  await editor.page.keyboard.press('Control+a');
  await editor.page.keyboard.type('8192');
  await editor.page.keyboard.press('Enter');
  const then = rows.filter({ hasText: 'then: GPU' });
  await then.waitFor();
  const larger = await then.innerText();
  await editor.picture('what-if');
  await change('GPU');
  await editor.page.keyboard.type('h100');
  await rows.filter({ hasText: 'H100' }).first().click();
  await editor.until('another prediction', async () => ![larger, ''].includes(await then.innerText().catch(() => '')));
  await editor.dismiss();
  assert.equal(await editor.page.locator('.tab.dirty').count(), 0);
  assert.equal(editor.onDisk('matrix.c'), text);
});

test('the loop at the cursor is compared on several GPUs, and nothing is changed by looking', async () => {
  await editor.file('matrix.c');
  const text = editor.onDisk('matrix.c');
  await editor.goTo(26, 5);
  await editor.command('Warplens: Compare GPUs for the Loop at the Cursor');
  const rows = editor.picker.locator('.monaco-list-row');
  const h200 = rows.filter({ hasText: 'H200 SXM' });
  await h200.waitFor();
  assert.match(await h200.innerText(), /with copies/);
  assert.match(await h200.innerText(), /vs all cores; \d+/);
  await editor.picture('compare-gpus');
  await editor.dismiss();
  assert.equal(await editor.page.locator('.tab.dirty').count(), 0);
  assert.equal(editor.onDisk('matrix.c'), text);
});

test('another mapping is predicted in the list, and the chosen one is pinned by a comment', async () => {
  await editor.file('matrix.c');
  const text = editor.onDisk('matrix.c');
  await editor.goTo(26, 5);
  await editor.command('Warplens: What If?');
  const rows = editor.picker.locator('.monaco-list-row');
  const named = (label) => rows.filter({ has: editor.page.locator('.label-name', { hasText: new RegExp(`^\\s*${label}$`) }) }).first();
  await named('mapping').click();
  await editor.page.getByText('What if? mapping', { exact: true }).waitFor();
  assert.match(await rows.filter({ hasText: 'recommended' }).first().innerText(), /warp:k[\s\S]*µs, recommended/);
  await editor.picture('what-if-mapping');
  await named('source').click();
  await rows.filter({ hasText: "Mapping: the source's own order instead of a warp" }).waitFor();
  await editor.dismiss();
  assert.equal(editor.onDisk('matrix.c'), text);

  await editor.goTo(26, 5);
  await editor.choose('Pin another mapping of this nest');
  await named('block64:k').waitFor();
  await editor.picture('pin-mapping');
  await named('block64:k').click();
  await editor.line('// warplens: mapping = block64:k').waitFor();
  await editor.save();
  assert.match(editor.onDisk('matrix.c'), /\n {4}\/\/ warplens: mapping = block64:k\n {4}for \(int i/);
  await editor.hoverOver('for (int i = 0; i < n; i++) {', 'pinned by a comment');
  await editor.dismiss();
  await editor.undo();
  await editor.save();
  assert.equal(editor.onDisk('matrix.c'), text);
});
