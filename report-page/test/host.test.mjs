import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch, missing, open } from './browser.mjs';
import { ROOT, saved } from './reports.mjs';
import { Server } from './server.mjs';

const FILE = join(ROOT, 'examples', 'heat2d.c');
const URI = `file://${FILE}`;

const send = (page, message) => page.evaluate((sent) => window.postMessage(sent, '*'), message);

/** What VS Code's panel does: hands the page's questions to the server, and the answers back. */
async function openInHost(browser, server, line = 12, uri = URI) {
  const posted = [];
  const answerTo = ({ method, params }) => server.request(method, params).then((result) => ({ result }), (error) => ({ error: error.message }));
  const toHost = async (page, message) => {
    posted.push(message);
    if (message.type === 'ready') await send(page, { type: 'report', data: await server.request('warplens/report', { textDocument: { uri } }), uri, line });
    if (message.type === 'ask') await send(page, { type: 'answer', id: message.id, ...(await answerTo(message)) });
  };
  const prepare = () => {
    window.acquireVsCodeApi = () => ({ postMessage: (message) => void window.toHost(message) });
  };
  const { html } = await server.request('warplens/reportPage', {});
  return { ...(await open(browser, saved('panel', html), { prepare, expose: { toHost } })), posted };
}

describe('the page in an editor', { skip: missing() }, () => {
  let browser;
  let server;

  before(async () => {
    [browser, server] = await Promise.all([launch(), Server.start(URI, readFileSync(FILE, 'utf8'))]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('draws what the server says of the nest at the line, and follows what is changed', async (test) => {
    const { page, complaints, posted, close } = await openInHost(browser, server);
    const headline = page.locator('#nest .headline');
    const timeline = page.locator('figure[aria-labelledby="timeline-title"] .item');
    await headline.waitFor();
    assert.equal(await page.evaluate(() => window.location.hash), '#heat2d.c:11');
    assert.match(await page.locator('#nest h2').innerText(), /^step\(\)/);
    const before = await headline.innerText();
    await timeline.first().waitFor({ state: 'attached' });

    await page.locator('#size-n').waitFor();
    const changedAt = Date.now();
    await page.locator('#size-n').fill('300');
    await page.waitForFunction((old) => document.querySelector('#nest .headline').textContent !== old, before);
    test.diagnostic(`from a changed size to the new charts: ${Date.now() - changedAt} ms`);
    const { page: changed } = await server.request('warplens/whatIf', { textDocument: { uri: URI }, nest: { function: 'step', ordinal: 0 }, changes: { sizes: { n: 300 } }, page: true });
    assert.equal(await page.locator('#what-if .headline').innerText(), changed.verdict.sentence);
    assert.equal(await headline.innerText(), changed.verdict.sentence);
    assert.equal((await page.locator('#nest .comparison').innerText()).toLowerCase(), `${changed.verdict.comparison}.`.toLowerCase());
    const row = () => page.locator('#nest dd').first().innerText();

    const slider = page.getByRole('slider', { name: 'n, on a logarithmic scale' });
    await slider.focus();
    for (const press of [1, 2, 3]) {
      const shown = await row();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((old) => document.querySelector('#nest dd').textContent !== old, shown);
      assert.ok(await slider.evaluate((element) => element === document.activeElement), `press ${press} lost the slider`);
    }

    await page.locator('#what-if-gpu').selectOption('h100');
    await page.locator('#roofline-title', { hasText: 'H100' }).waitFor();
    await page.getByRole('button', { name: 'Back to the file' }).click();
    await page.waitForFunction((old) => document.querySelector('#nest .headline').textContent === old, before);
    await page.locator('#roofline-title', { hasText: 'A100' }).waitFor();
    assert.equal(await page.locator('#size-n').inputValue(), '4096');

    await page.getByRole('button', { name: 'Compare GPUs' }).click();
    await page.locator('figure[aria-labelledby="gpus-title"] .item').first().waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Show in the editor' }).click();
    assert.deepEqual(posted.at(-1), { type: 'reveal', uri: URI, line: 11 });
    assert.deepEqual(complaints, []);
    await close();
  });

  it('keeps the chosen loop when the file is analysed again, follows the cursor, and says what is wrong', async () => {
    const { page, complaints, close } = await openInHost(browser, server);
    await page.locator('#nest .headline').waitFor();
    await page.getByRole('button', { name: 'All loops' }).click();
    await page.locator('table.loops tbody tr', { hasText: 'residual' }).click();
    await page.locator('#nest h2', { hasText: 'residual()' }).waitFor();
    const data = await server.request('warplens/report', { textDocument: { uri: URI } });
    await send(page, { type: 'report', data, uri: URI });
    await page.locator('#nest h2', { hasText: 'residual()' }).waitFor();
    await send(page, { type: 'report', data, uri: URI, line: 42 });
    await page.locator('#nest h2', { hasText: 'scale_columns()' }).waitFor();
    await page.goBack();
    await page.locator('#nest h2', { hasText: 'residual()' }).waitFor();
    await send(page, { type: 'report', data: null, uri: URI });
    await page.getByText('Nothing was analysed yet.').waitFor();
    await send(page, { type: 'report', data, uri: 'file:///not-open.c', line: 12 });
    await page.getByRole('status').filter({ hasText: 'the document is not open' }).first().waitFor({ state: 'attached' });
    assert.deepEqual(complaints, []);
    await close();
  });

  it('shows all loops where the cursor is in none, and keeps what is chosen there', async () => {
    const { page, complaints, close } = await openInHost(browser, server, 1);
    await page.locator('#overview').waitFor();
    const data = await server.request('warplens/report', { textDocument: { uri: URI } });
    assert.equal(await page.locator('#overview .headline').innerText(), data.overview.sentence);
    await page.getByLabel('Search').fill('residual');
    await send(page, { type: 'report', data, uri: URI });
    await page.waitForTimeout(100);
    assert.equal(await page.locator('table.loops tbody tr').count(), 1);
    assert.equal(await page.getByLabel('Search').inputValue(), 'residual');
    await send(page, { type: 'report', data, uri: 'file:///other.c' });
    await page.waitForFunction(() => document.querySelectorAll('table.loops tbody tr').length > 1);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('follows what is found behind the report, and leaves the keyboard and what is changed where they are', async () => {
    const { page, complaints, posted, close } = await openInHost(browser, server, 1);
    const data = await server.request('warplens/report', { textDocument: { uri: URI } });
    const found = structuredClone(data);
    const nest = found.files[0].nests.find((each) => each.function === 'residual');
    Object.assign(nest.verdict, { word: 'little gain', sentence: 'As it was found since.' });
    const row = page.locator('table.loops tbody tr', { hasText: 'residual' });
    const focus = () => page.evaluate(() => document.activeElement.id);
    await page.locator('#overview summary').first().click();
    await page.getByLabel('Search').fill('residual');
    await send(page, { type: 'report', data: found, uri: URI });
    await row.locator('.column-word', { hasText: 'little gain' }).waitFor();
    assert.equal(await focus(), 'search');
    assert.deepEqual(await page.locator('#overview details').evaluateAll((all) => all.map(({ open }) => open)), [true, false]);

    await row.click();
    await page.locator('figure[aria-labelledby="timeline-title"] .item').first().waitFor({ state: 'attached' });
    const headline = page.locator('#nest .headline');
    assert.equal(await headline.innerText(), nest.verdict.sentence);
    await page.locator('#size-n').fill('300');
    await page.waitForFunction((old) => document.querySelector('#nest .headline').textContent !== old, nest.verdict.sentence);
    const changed = await headline.innerText();
    const details = () => posted.filter(({ type, params }) => type === 'ask' && params.parts?.includes('detail')).length;
    const asked = details();
    nest.verdict.sentence = 'As it was found at last.';
    nest.rank = found.files[0].nests.length;
    await send(page, { type: 'report', data: found, uri: URI });
    await page.locator('.way .note', { hasText: `${nest.rank} of ${nest.rank}` }).waitFor();
    assert.deepEqual([await focus(), await page.locator('#size-n').inputValue(), await headline.innerText(), details()], ['size-n', '300', changed, asked]);
    await page.getByRole('button', { name: 'Back to the file' }).click();
    await page.locator('#nest .headline', { hasText: nest.verdict.sentence }).waitFor();

    await page.locator('#size-n').fill('300');
    await page.locator('#nest .headline', { hasText: changed }).waitFor();
    nest.content = 'edited';
    await send(page, { type: 'report', data: found, uri: URI });
    await page.locator('#nest .headline', { hasText: nest.verdict.sentence }).waitFor();
    await page.locator('#size-n').waitFor();
    assert.deepEqual([await page.locator('#size-n').inputValue(), details()], ['4096', asked + 1]);
    assert.deepEqual(complaints, []);
    await close();
  });
});

describe('a nest with several mappings in an editor', { skip: missing() }, () => {
  const file = join(ROOT, 'examples', 'matrix.c');
  const uri = `file://${file}`;
  let browser;
  let server;

  before(async () => {
    [browser, server] = await Promise.all([launch(), Server.start(uri, readFileSync(file, 'utf8'))]);
    // The first message comes with the first of its loops: the one that is looked at is not the first.
    while (!(await server.request('warplens/status', {})).documents.every(({ isComplete }) => isComplete)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('is predicted in the one that is chosen, whose times follow the sizes', async () => {
    const { page, complaints, close } = await openInHost(browser, server, 26, uri);
    const select = page.locator('#what-if-mapping');
    await select.waitFor();
    const nest = { function: 'gemv', ordinal: 0 };
    const ask = (changes) => server.request('warplens/whatIf', { textDocument: { uri }, nest, changes, page: true });
    const { choices } = await ask({});
    const options = () => select.locator('option').allInnerTexts();
    assert.equal((await options()).length, choices.mappings.length + 1);
    assert.deepEqual((await options()).slice(0, 1), ['as in the file']);
    assert.equal((await options()).filter((text) => text.endsWith(', recommended')).length, 1);
    await page.locator('#nest .headline').waitFor();

    await select.selectOption('source');
    const changed = await ask({ mapping: 'source' });
    await page.locator('#what-if li', { hasText: "Mapping: the source's own order instead of a warp" }).waitFor();
    assert.equal(await page.locator('#nest .headline').innerText(), changed.page.verdict.sentence);
    assert.equal(await select.inputValue(), 'source');

    const before = await options();
    await page.locator('#size-n').fill('4096');
    await page.waitForFunction((old) => document.querySelector('#what-if-mapping').textContent !== old, before.join(''));
    assert.equal(await select.inputValue(), 'source');
    assert.notDeepEqual(await options(), before);

    await select.selectOption('');
    await page.locator('#what-if li', { hasText: "Mapping: the source's own order" }).waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
    await close();
  });

  it('offers no mapping where the source has the only one', async () => {
    const { page, close } = await openInHost(browser, server, 8, uri);
    await page.locator('#what-if-block').waitFor();
    assert.equal(await page.locator('#what-if-mapping').count(), 0);
    await close();
  });
});
