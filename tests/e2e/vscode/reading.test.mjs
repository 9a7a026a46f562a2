/** What a person reads in a C file: squiggles, hovers, lenses, hints, problems, and where the light bulb stands. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editor } from './window.mjs';

test('each diagnostic stands under the text that it speaks of', async () => {
  await editor.file('matrix.c');
  await editor.until('a note in the loop that takes the time', () => editor.isUnderlined('B[k][j]', 'info'));
  await editor.goTo(20, 1);
  assert.equal(await editor.isUnderlined('out[j * n + i]', 'warning'), false); // little time: a hint
});

test('the hover on a header says whether the loop is parallel and what it would take', async () => {
  await editor.file('matrix.c');
  await editor.page.locator('.codelens-decoration', { hasText: 'n? from 83' }).waitFor(); // the picture of it is there too
  await editor.inWindowOf({ width: 1280, height: 2600 }, async () => {
    const card = await editor.hoverOver('for (int i = 0; i < n; i++) {', 'this loop');
    const said = await card.innerText();
    assert.match(said, /^May be worth porting: faster from about n = 83 if its data stays on the GPU/m);
    assert.match(said, /a warp per iteration of i/);
    assert.match(said, /More: the whole report, other GPUs/);
    assert.doesNotMatch(said, /data:image|<svg|\\\[/);
    const sizes = await card.locator('img').evaluateAll((images) => images.map((image) => image.naturalWidth));
    assert.ok(sizes.length === 2 && sizes.every((width) => width > 0), `images of width ${sizes}`);
    await editor.picture('hover', card);
  });
});

test('the hover on an access says what a warp pays for it', async () => {
  await editor.file('matrix.c');
  const card = await editor.hoverOver('out[j * n + i]', 'sectors');
  assert.match(await card.innerText(), /out\[j \* n \+ i\][\s\S]*8 sectors/);
  await editor.picture('hover-access');
});

test('a lens is plain text, and pressing it shows its loop', async () => {
  await editor.file('matrix.c');
  const lens = editor.lens().first();
  assert.match(await lens.innerText(), /^GPU \d+x \(copies: \d+x\) · \d+x\d+/);
  await lens.locator('a').first().click();
  await editor.hoverCard.filter({ hasText: 'this loop' }).first().waitFor();
  await editor.at(8, 5);
});

test('a hint names the access that the GPU would wait for', async () => {
  await editor.file('matrix.c');
  await editor.goTo(29, 1);
  await editor.pane.locator('.view-line', { hasText: /a\[i\s\*\sn\s\+\sk\].*hotspot:\s\d+\s%/ }).waitFor();
});

test('the Problems panel lists what was found and leads to it', async () => {
  await editor.file('matrix.c');
  const panel = editor.page.locator('.markers-panel');
  await editor.pressUntil('Control+Shift+m', panel);
  const row = panel.locator('.monaco-list-row', { hasText: "Shared memory: threads" }).filter({ hasText: '[Ln 12, Col' }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /WL204/);
  await editor.picture('editor');
  await row.click();
  await editor.at(12);
  await editor.command('View: Hide Panel');
  await panel.waitFor({ state: 'hidden' });
});

test('the light bulb opens the menu of fixes', async () => {
  await editor.file('matrix.c');
  await editor.goTo(26, 5);
  const bulb = editor.pane.locator('[class*="codicon-gutter-lightbulb"]:visible, .lightBulbWidget:visible').first();
  await bulb.waitFor();
  await editor.picture('light-bulb');
  await bulb.click();
  await editor.menu.locator('.monaco-list-row.action', { hasText: 'Write CUDA' }).first().waitFor();
  await editor.dismiss();
  await editor.menu.waitFor({ state: 'hidden' });
});
