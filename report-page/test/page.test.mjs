import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { join } from 'node:path';
import { launch, missing, open, violations } from './browser.mjs';
import { HOSTILE_SHOWN, examples, hostile } from './reports.mjs';

const CHARTS = ['roofline', 'transfers', 'sizes', 'gpus', 'models', 'launches', 'timeline'];
let browser;
let made;

before(async () => {
  if (missing()) return;
  made = examples();
  browser = await launch();
});
after(() => browser?.close());

const figure = (page, id) => page.locator(`figure[aria-labelledby="${id}-title"]`);
const nestOf = (name) => made.data.files.flatMap((file) => file.nests).find((nest) => nest.function === name);

describe('the page that warplens report writes', { skip: missing() }, () => {
  it('shows every chart, asks for nothing and breaks no rule of its policy', async () => {
    const { page, complaints, close } = await open(browser, made.url);
    for (const id of CHARTS) {
      await figure(page, id).locator('svg .item').first().waitFor({ state: 'attached' });
    }
    const counts = await Promise.all(CHARTS.map((id) => figure(page, id).locator('svg .item').count()));
    const { detail, gpus, break_even } = nestOf('step');
    const [kernel] = detail.kernels;
    const points = made.data.files.flatMap((file) => file.nests).flatMap((nest) => nest.kernels).filter((each) => each.flops_per_s > 0 && each.dram_flops_per_byte > 0);
    assert.equal(counts[0], points.length);
    assert.equal(counts[2], 4 * break_even.sizes.length);
    assert.equal(counts[3], 2 * gpus.length);
    assert.equal(counts[5], kernel.launches_map.cells.length);
    assert.equal(counts[6], kernel.timeline.intervals.length);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('lets nothing run but its own script', async () => {
    const { page, close } = await open(browser, made.url);
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.ranInline = true';
      document.body.append(script);
      const image = new Image();
      const loaded = new Promise((resolve) => {
        image.onload = () => resolve('loaded');
        image.onerror = () => resolve('refused');
      });
      image.src = 'https://example.invalid/x.png';
      return { inline: window.ranInline === true, image: await loaded };
    });
    assert.deepEqual(ran, { inline: false, image: 'refused' });
    assert.match(made.html, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'">/);
    assert.doesNotMatch(made.html, /unsafe-/);
    await close();
  });

  it('shows the numbers of its data in the tables', async () => {
    const { page, close } = await open(browser, made.url);
    const { detail } = nestOf('step');
    const rows = async (id) => {
      await figure(page, id).locator('summary').click();
      await figure(page, id).locator('tbody tr').first().waitFor();
      return figure(page, id).locator('tbody tr').evaluateAll((lines) => lines.map((line) => [...line.cells].map((cell) => cell.textContent)));
    };
    const microseconds = (text) => Number(/([\d.]+) (s|ms|µs|ns)/.exec(text)[1]) * { s: 1e6, ms: 1e3, µs: 1, ns: 1e-3 }[/ (s|ms|µs|ns)/.exec(text)[1]];
    const near = (text, seconds) => assert.ok(Math.abs(microseconds(text) - seconds * 1e6) <= 0.006 * seconds * 1e6, `${text} is not ${seconds} s`);
    const sum = await rows('transfers');
    [detail.cpu.one_core_s, detail.cpu.all_cores_s, detail.offload.cold_s, detail.offload.resident_s].forEach((seconds, at) => near(sum[at][1], seconds));
    const models = await rows('models');
    detail.kernels[0].models.forEach((model, at) => near(models[at][1], model.time_s));
    assert.equal((await rows('timeline')).length, detail.kernels[0].timeline.intervals.length);
    await close();
  });

  it('can be walked through by keyboard alone', async () => {
    const { page, complaints, close } = await open(browser, made.url);
    await figure(page, 'timeline').locator('.item').first().waitFor({ state: 'attached' });
    const focused = () => page.evaluate(() => ({ chart: document.activeElement.closest('figure')?.getAttribute('aria-labelledby') ?? null, label: document.activeElement.getAttribute('aria-label'), tip: !document.getElementById('tip').hidden }));
    const reached = new Set();
    for (let stops = 0; stops < 120 && reached.size < CHARTS.length; stops++) {
      await page.keyboard.press('Tab');
      const { chart, label, tip } = await focused();
      if (chart === null || label === null) continue;
      reached.add(chart.replace('-title', ''));
      assert.ok(tip, `nothing is shown at ${label}`);
    }
    assert.deepEqual([...reached].sort(), [...CHARTS].sort());

    const first = await focused();
    await page.keyboard.press('ArrowRight');
    const second = await focused();
    assert.notEqual(second.label, first.label);
    await page.keyboard.press('ArrowDown');
    assert.notEqual((await focused()).label, second.label);
    await page.keyboard.press('Home');
    assert.equal((await focused()).label, first.label);
    await page.keyboard.press('Escape');
    assert.equal((await focused()).tip, false);

    await page.locator('nav button', { hasText: 'gemm()' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#nest h2', { hasText: 'gemm()' }).waitFor();
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^gemm\(\)/);
    await figure(page, 'roofline').locator('.item').first().focus();
    await page.keyboard.press('Enter');
    assert.doesNotMatch(await page.locator('#nest h2').innerText(), /gemm/);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'nest-heading');
    assert.deepEqual(complaints, []);
    await close();
  });

  for (const scheme of ['light', 'dark']) {
    it(`is accessible by the rules of axe, ${scheme}`, async () => {
      const { page, complaints, close } = await open(browser, made.url, { scheme });
      await page.locator('nav button', { hasText: 'dot()' }).click(); // few warps: axe looks at every element
      for (const id of CHARTS) await figure(page, id).locator('summary').click();
      assert.deepEqual(await violations(page, scheme === 'light' ? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] : ['color-contrast']), []);
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  for (const width of [360, 640]) {
    it(`fits a panel of ${width} pixels`, async () => {
      const { page, complaints, close } = await open(browser, made.url, { width });
      await figure(page, 'timeline').locator('.item').first().waitFor({ state: 'attached' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});

it('the README\'s picture', { skip: missing() || (!process.env.PICTURES && 'PICTURES names no folder for it') }, async () => {
  const { page, close } = await open(browser, made.url, { height: 1400 });
  await figure(page, 'timeline').locator('.item').first().waitFor({ state: 'attached' });
  await page.screenshot({ path: join(process.env.PICTURES, 'report.png') });
  await page.evaluate(() => document.querySelector('#launch').scrollIntoView());
  await page.screenshot({ path: join(process.env.PICTURES, 'report-launches.png') });
  await close();
});

it('texts of a hostile file are texts', { skip: missing() }, async () => {
  const { url, html } = hostile();
  assert.equal(html.match(/<script/g).length, 2);
  assert.equal(html.match(/<\/script>/g).length, 2);
  const { page, complaints, close } = await open(browser, url);
  await page.locator('nav h2', { hasText: HOSTILE_SHOWN }).waitFor();
  await figure(page, 'timeline').locator('.item').first().focus();
  for (const id of ['roofline', 'transfers', 'models']) await figure(page, id).locator('summary').click();
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('body script').count(), 2);
  assert.match(await page.locator('#nest h2').innerText(), /naïve\(\)/);
  assert.deepEqual(complaints, []);
  await close();
});
