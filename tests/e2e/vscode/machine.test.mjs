/** Another GPU: everything on the screen follows the choice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editor } from './window.mjs';

test('lenses, hovers and the status bar follow the GPU that is picked', async () => {
  await editor.file('matrix.c');
  const lens = editor.lens().first();
  const before = await lens.innerText();
  await pick('H100', 'H100 SXM5 80 GB');
  await editor.until('another prediction in the lens', async () => (await lens.innerText().catch(() => before)) !== before);
  const card = await editor.hoverOver('for (int i = 0; i < N', 'on the H100');
  assert.match(await card.innerText(), /on the H100 SXM5 80 GB/);
  await pick('A100', 'A100 SXM4 40 GB');
  await editor.until('the first prediction in the lens', async () => (await lens.innerText().catch(() => '')) === before);
});

async function pick(word, name) {
  await editor.command('Warplens: Select GPU');
  const row = editor.picker.locator('.monaco-list-row').filter({ hasText: name }).first();
  await editor.picker.locator('.monaco-list-row', { hasText: 'A100' }).first().waitFor();
  await editor.picture('gpus');
  await editor.page.keyboard.type(word);
  await row.click();
  await editor.page.locator('.statusbar-item', { hasText: name }).waitFor();
}
