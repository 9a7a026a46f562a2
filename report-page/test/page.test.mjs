import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { join } from 'node:path';
import { launch, missing, open, violations } from './browser.mjs';
import { HOSTILE_SHOWN, examples, hostile } from './reports.mjs';

const CHARTS = ['roofline', 'transfers', 'sizes', 'gpus', 'models', 'launches', 'timeline'];
const LOOP = '#heat2d.c:11';
let browser;
let made;

before(async () => {
  if (missing()) return;
  made = examples();
  browser = await launch();
});
after(() => browser?.close());

const figure = (page, id) => page.locator(`figure[aria-labelledby="${id}-title"]`);
const nests = () => made.data.files.flatMap((file) => file.nests);
const nestOf = (name) => nests().find((nest) => nest.function === name);
const body = (page) => page.locator('table.loops tbody tr');
const hash = (page) => page.evaluate(() => window.location.hash);
const openLoop = (options) => open(browser, made.url, { ...options, at: LOOP });

describe('the loop of a page that warplens report writes', { skip: missing() }, () => {
  it('shows every chart, asks for nothing and breaks no rule of its policy', async () => {
    const { page, complaints, close } = await openLoop();
    for (const id of CHARTS) {
      await figure(page, id).locator('svg .item').first().waitFor({ state: 'attached' });
    }
    const counts = await Promise.all(CHARTS.map((id) => figure(page, id).locator('svg .item').count()));
    const { detail, gpus, break_even } = nestOf('step');
    const [kernel] = detail.kernels;
    const points = nests().flatMap((nest) => nest.kernels).filter((each) => each.flops_per_s > 0 && each.dram_flops_per_byte > 0);
    assert.equal(counts[0], points.length);
    assert.equal(counts[2], 4 * break_even.sizes.length);
    assert.equal(counts[3], 2 * gpus.length);
    assert.equal(counts[5], kernel.launches_map.cells.length);
    assert.equal(counts[6], kernel.timeline.intervals.length);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('starts with the sentence and the comparison of every view', async () => {
    const { page, close } = await openLoop();
    const { verdict } = nestOf('step');
    assert.equal(await page.locator('#nest .headline').innerText(), verdict.sentence);
    const comparison = await page.locator('#nest .comparison').innerText();
    assert.equal(comparison.toLowerCase(), `${verdict.comparison}.`.toLowerCase());
    const order = await page.locator('#nest > *').evaluateAll((parts) => parts.map((part) => part.className));
    assert.deepEqual(order.slice(1, 4), ['headline', 'comparison', 'step']);
    assert.equal(await page.locator('#nest .step').innerText(), `What to do: ${nestOf('step').step.long} (${made.data.steps['keep data']}).`);
    await close();
  });

  it('lists the mappings that were tried, and none where there is one', async () => {
    const { page, complaints, close } = await open(browser, made.url, { at: '#matrix.c:26' });
    const { mappings } = nestOf('gemv').detail;
    assert.ok(mappings.length > 3);
    const listed = page.locator('#mapping tbody tr');
    assert.equal(await listed.count(), mappings.length);
    assert.equal(await listed.first().locator('th').innerText(), mappings[0].name);
    near(await listed.last().locator('td').first().innerText(), mappings.at(-1).time_s, 0.01);
    const recommended = await listed.filter({ hasText: 'recommended' }).locator('th').allInnerTexts();
    assert.deepEqual(recommended, mappings.filter((each) => each.is_recommended).map(({ name }) => name));
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(complaints, []);
    await close();
    const step = await openLoop();
    assert.equal(nestOf('step').detail.mappings.length, 1);
    assert.equal(await step.page.locator('#mapping').count(), 0);
    await step.close();
  });

  it('compares GPUs with what the sentence compares with', async () => {
    const { page, close } = await openLoop();
    const { verdict, gpus } = nestOf('step');
    const { offload } = gpus.find(({ gpu }) => gpu === 'a100');
    const best = Math.min(offload.speedup_resident_vs_one_core, offload.speedup_resident_vs_all_cores);
    assert.ok(Math.abs(best / verdict.resident.value - 1) < 1e-4);
    const [, said] = /about (\S+ faster) than all 32 CPU cores/.exec(verdict.sentence);
    const labels = await figure(page, 'gpus').locator('.item').evaluateAll((items) => items.map((item) => item.getAttribute('aria-label')));
    assert.ok(labels.some((label) => label.includes(`A100 SXM4 40 GB, data on the GPU: about ${said} than all 32 CPU cores`)), labels.join('\n'));
    await close();
  });

  it('says no word of the trade that it does not explain', async () => {
    const { page, close } = await openLoop();
    for (const id of CHARTS) await figure(page, id).locator('.item').first().waitFor({ state: 'attached' });
    const texts = await page.evaluate(() => [document.querySelector('.page').innerText, ...[...document.querySelectorAll('[aria-label], [title]')].flatMap((each) => [each.getAttribute('aria-label') ?? '', each.getAttribute('title') ?? ''])].join('\n'));
    assert.deepEqual(texts.match(/.*\b(cold|resident|wins)\b.*/gi), null);
    const terms = made.data.glossary.flatMap((term) => [term.name, ...term.forms]);
    const linked = await page.locator('a.term').evaluateAll((links) => links.map((link) => link.textContent.toLowerCase()));
    assert.ok(linked.length > 10);
    for (const word of linked) assert.ok(terms.some((term) => term.toLowerCase() === word), word);
    for (const word of ['occupancy', 'warp', 'sm', 'kernel', 'launch']) {
      const isSaid = await page.locator('#nest, #charts').evaluateAll((parts, wanted) => parts.some((part) => new RegExp(`\\b${wanted}s?\\b`, 'i').test(part.innerText)), word);
      assert.ok(!isSaid || linked.some((each) => each.startsWith(word)), `${word} is said and not explained`);
    }
    await page.locator('a.term', { hasText: /^warps$/ }).first().focus();
    assert.match(await page.locator('#tip').textContent(), /32 threads/);
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.firstChild.textContent), 'warp');
    assert.equal(await hash(page), LOOP);
    await page.getByRole('button', { name: 'Back to the text' }).click();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'warps');
    await close();
  });

  it('lets nothing run but its own script', async () => {
    const { page, close } = await openLoop();
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
    const { page, close } = await openLoop();
    const { detail } = nestOf('step');
    const rows = async (id) => {
      await figure(page, id).locator('summary').click();
      await figure(page, id).locator('tbody tr').first().waitFor();
      return figure(page, id).locator('tbody tr').evaluateAll((lines) => lines.map((line) => [...line.cells].map((cell) => cell.textContent)));
    };
    const sum = await rows('transfers');
    [detail.cpu.one_core_s, detail.cpu.all_cores_s, detail.offload.cold_s, detail.offload.resident_s].forEach((seconds, at) => near(sum[at][1], seconds, 0.006));
    const models = await rows('models');
    detail.kernels[0].models.forEach((model, at) => near(models[at][1], model.time_s, 0.006));
    assert.equal((await rows('timeline')).length, detail.kernels[0].timeline.intervals.length);
    await close();
  });

  it('can be walked through by keyboard alone', async () => {
    const { page, complaints, close } = await openLoop();
    await figure(page, 'timeline').locator('.item').first().waitFor({ state: 'attached' });
    const focused = () => page.evaluate(() => ({ chart: document.activeElement.closest('figure') && document.activeElement.closest('svg') ? document.activeElement.closest('figure').getAttribute('aria-labelledby') : null, label: document.activeElement.getAttribute('aria-label'), tip: !document.getElementById('tip').hidden }));
    const reached = new Set();
    for (let stops = 0; stops < 120 && reached.size < CHARTS.length; stops++) {
      await page.keyboard.press('Tab');
      const { chart, label, tip } = await focused();
      if (chart === null || label === null) continue;
      reached.add(chart.replace('-title', ''));
      assert.ok(tip, `nothing is shown at ${label}`);
    }
    assert.deepEqual([...reached].sort(), [...CHARTS].sort());

    await figure(page, 'timeline').locator('.item').first().focus();
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

    await figure(page, 'roofline').locator('.item').first().focus();
    await page.keyboard.press('Enter');
    assert.doesNotMatch(await page.locator('#nest h2').innerText(), /step/);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'nest-heading');
    assert.deepEqual(complaints, []);
    await close();
  });
});

const seconds = (text) => {
  const [, number, unit] = /([\d.]+) (s|ms|µs|ns)/.exec(text);
  return Number(number) * { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[unit];
};
const near = (text, wanted, tolerance) => assert.ok(Math.abs(seconds(text) - wanted) <= tolerance * wanted, `${text} is not ${wanted} s`);

describe('the overview', { skip: missing() }, () => {
  const column = (page, name) => page.locator(`table.loops tbody .column-${name}`).allInnerTexts();
  const head = (page, title) => page.locator('table.loops thead').getByRole('button', { name: title, exact: true });

  it('opens the page: what is saved in all, then a row for each loop, whose numbers add up', async () => {
    const { page, complaints, close } = await open(browser, made.url);
    assert.equal(await page.locator('#overview .headline').innerText(), made.data.overview.sentence);
    assert.equal(await body(page).count(), nests().length);
    const words = await column(page, 'word');
    const steps = await column(page, 'step');
    const places = await column(page, 'place');
    for (const file of made.data.files) {
      for (const nest of file.nests) {
        const at = places.indexOf(`${file.path.split('/').at(-1)}:${nest.line}`);
        assert.equal(words[at], nest.verdict.word);
        assert.equal(await body(page).nth(at).getAttribute('title'), nest.verdict.sentence);
        assert.equal(steps[at], nest.step?.long.replaceAll('`', '') ?? '–');
      }
    }
    const counted = nests().filter(({ stake }) => stake !== null);
    const now = counted.filter(({ stake }) => stake.part_of === null).reduce((sum, { stake }) => sum + stake.now_s, 0);
    const gain = counted.filter(({ stake, verdict }) => !stake.is_ported_with && ['worth it', 'if data stays'].includes(verdict.word)).reduce((sum, { stake }) => sum + stake.gain_s, 0);
    assert.ok(Math.abs(now / made.data.overview.now_s - 1) < 1e-4);
    assert.ok(Math.abs(gain / made.data.overview.gain_s - 1) < 1e-4);
    near(await page.locator('tfoot .column-now').innerText(), now, 0.05);
    near(await page.locator('tfoot .column-gain').innerText(), gain, 0.05);
    assert.ok(counted.some(({ stake }) => stake.part_of !== null), 'no loop is counted in another one');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('is sorted by what is saved, and by any column that is chosen', async () => {
    const { page, close } = await open(browser, made.url);
    const gains = (await column(page, 'gain')).filter((text) => text !== '–').map(seconds);
    assert.ok(gains.length > 3);
    assert.deepEqual(gains, [...gains].sort((a, b) => b - a));
    assert.equal(await page.locator('th.column-gain').first().getAttribute('aria-sort'), 'descending');

    await head(page, 'Place').focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('th.column-gain').first().getAttribute('aria-sort'), 'none');
    assert.equal(await page.locator('th.column-place').first().getAttribute('aria-sort'), 'ascending');
    const places = await column(page, 'place');
    const inOrder = made.data.files.flatMap((file) => file.nests.map((nest) => `${file.path.split('/').at(-1)}:${nest.line}`));
    assert.deepEqual(places, inOrder);
    await page.keyboard.press('Enter');
    assert.deepEqual(await column(page, 'place'), [...inOrder].reverse());
    await head(page, 'Now').click();
    const times = (await column(page, 'now')).filter((text) => text !== '–').map(seconds);
    assert.deepEqual(times, [...times].sort((a, b) => b - a));
    await head(page, 'Do').click();
    const steps = await column(page, 'step');
    const wordOf = (phrase) => nests().find(({ step }) => step?.long.replaceAll('`', '') === phrase)?.step.short ?? '–';
    const words = nests().flatMap(({ step }) => step?.short ?? []).sort();
    assert.ok(words.length > 3 && words.length < nests().length);
    assert.deepEqual(steps.map(wordOf), [...words, ...nests().slice(words.length).map(() => '–')]);
    await close();
  });

  it('is filtered and searched, and says how many are left out', async () => {
    const { page, close } = await open(browser, made.url);
    const all = nests().length;
    const stays = nests().filter(({ verdict }) => verdict.word === 'if data stays');
    const status = page.locator('#shown');
    await page.getByLabel('Verdict').selectOption('if data stays');
    assert.equal(await body(page).count(), stays.length);
    assert.ok((await column(page, 'word')).every((word) => word === 'if data stays'));
    assert.equal(await status.innerText(), `${stays.length} of ${all} loops shown; hidden: ${all - stays.length} by the verdict.`);

    await page.getByLabel('Search').fill('SCALE_columns');
    const left = stays.filter((nest) => nest.function === 'scale_columns');
    assert.ok(left.length < stays.length);
    assert.equal(await body(page).count(), left.length);
    assert.match(await status.innerText(), new RegExp(`${all - stays.length} by the verdict, ${stays.length - left.length} by the search`));
    await page.getByLabel('Search').fill('no such loop');
    assert.equal(await body(page).count(), 0);

    await page.getByRole('button', { name: 'Show all loops' }).click();
    assert.equal(await body(page).count(), all);
    assert.equal(await page.getByLabel('Search').inputValue(), '');
    const toSay = nests().filter(({ step }) => step?.kind === 'say size');
    assert.ok(toSay.length > 1 && toSay.length < all);
    await page.getByLabel('Do', { exact: true }).selectOption('say size');
    assert.equal(await body(page).count(), toSay.length);
    await page.getByRole('button', { name: 'Show all loops' }).click();
    assert.equal(await body(page).count(), all);
    await page.locator('#filter-bound').selectOption('memory');
    const bound = nests().filter((nest) => nest.bound === 'memory').length;
    assert.ok(bound > 0 && bound < all);
    assert.equal(await body(page).count(), bound);
    await close();
  });

  it('opens a loop by mouse or key, keeps its filter, and shows where it was', async () => {
    const { page, close } = await open(browser, made.url);
    await page.getByLabel('Search').fill('matrix.c');
    const shown = await body(page).count();
    await body(page).filter({ hasText: 'gemm' }).locator('.column-now').click();
    await page.locator('#nest h2', { hasText: 'gemm()' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'nest-heading');
    await page.getByRole('button', { name: 'All loops' }).click();
    assert.equal(await body(page).count(), shown);
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^matrix\.c:/);
    assert.equal(await page.locator('tr[aria-current]').count(), 1);
    assert.match(await page.locator('tr[aria-current]').innerText(), /gemm/);
    const link = page.getByRole('link', { name: /matrix\.c/ }).nth(1);
    const place = await link.innerText();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.locator('#nest h2').waitFor();
    assert.equal(await hash(page), `#${place}`);
    const before = await page.locator('#nest h2').innerText();
    await page.getByRole('button', { name: 'Previous loop' }).click();
    await page.getByRole('button', { name: 'Next loop' }).click();
    assert.equal(await page.locator('#nest h2').innerText(), before);
    await close();
  });

  it('can be linked to: a line, a function, and the browser goes back', async () => {
    for (const [at, wanted] of [['#heat2d.c:26', 'residual(), line 21'], ['#residual', 'residual(), line 21'], ['#examples/heat2d.c:13', 'step(), line 11'], ['#matrix.c:gemm', 'gemm()']]) {
      const { page, close } = await open(browser, made.url, { at });
      assert.ok((await page.locator('#nest h2').innerText()).startsWith(wanted), at);
      await close();
    }
    const { page, close } = await open(browser, made.url, { at: '#nothing.c:99' });
    await page.locator('#overview').waitFor();
    await page.evaluate(() => (window.location.hash = '#gemm'));
    await page.locator('#nest h2', { hasText: 'gemm()' }).waitFor();
    await page.evaluate(() => (window.location.hash = '#%E0%A4%A'));
    await page.locator('#overview').waitFor();
    await page.goBack();
    await page.locator('#nest h2', { hasText: 'gemm()' }).waitFor();
    await close();
  });

  it('says how many loops are open, and why', async () => {
    const { page, close } = await open(browser, made.url);
    const carried = nests().filter(({ verdict }) => verdict.word === 'not parallel');
    assert.ok(carried.length > 0);
    assert.equal(await page.locator('.open-loops h3').innerText(), `Not parallel: ${carried.length}`);
    assert.equal(await page.locator('.open-loops li').first().innerText(), `${carried.length} × ${carried[0].reason}`);
    await close();
  });

  it('has a first stop that leads past what all views have', async () => {
    const { page, close } = await open(browser, made.url);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the loops');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    assert.equal(await hash(page), '');
    await close();
  });

  it('shows the chosen row without colours too', async () => {
    const { page, close } = await openLoop();
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('button', { name: 'All loops' }).click();
    const outlines = await page.locator('table.loops tbody tr').evaluateAll((rows) => rows.map((row) => [row.hasAttribute('aria-current'), getComputedStyle(row).outlineStyle]));
    assert.deepEqual(outlines.filter(([, style]) => style !== 'none').map(([isCurrent]) => isCurrent), [true]);
    await close();
  });
});

describe('what-if in a file', { skip: missing() }, () => {
  const said = (page) => page.locator('#what-if .outcome').innerText();

  it('reads the curve: exactly where it was worked out, between its neighbours elsewhere', async () => {
    const { page, complaints, close } = await openLoop();
    const { break_even: found } = nestOf('step');
    const at = found.sizes.findIndex((size) => size > 300);
    await page.locator('#offline-size').fill(String(found.sizes[at]));
    assert.match(await said(page), /Worked out for this size/);
    near(await said(page), found.gpu_cold_s[at], 0.03);

    const between = Math.round(Math.sqrt(found.sizes[at] * found.sizes[at + 1]));
    assert.ok(!found.sizes.includes(between));
    await page.locator('#offline-size').fill(String(between));
    await page.getByLabel('Data', { exact: true }).selectOption('resident');
    await page.getByLabel('Against', { exact: true }).selectOption('one_core_s');
    const text = await said(page);
    assert.match(text, /Interpolated/);
    assert.match(text, /data on the GPU/);
    near(text, Math.sqrt(found.gpu_resident_s[at] * found.gpu_resident_s[at + 1]), 0.04);
    near(text.split(';')[1], Math.sqrt(found.one_core_s[at] * found.one_core_s[at + 1]), 0.04);
    assert.match(text, /on one CPU core: the GPU is about \d+x faster/);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('knows the other GPUs at the size of the file, and else says which command answers', async () => {
    const { page, close } = await openLoop();
    const { gpus, break_even: found } = nestOf('step');
    await page.getByLabel('GPU', { exact: true }).selectOption('v100');
    near(await said(page), gpus.find(({ gpu }) => gpu === 'v100').offload.cold_s, 0.03);
    await page.locator('#offline-size').fill('300');
    assert.match(await said(page), /This needs Warplens: run warplens what-if examples\/heat2d\.c:11 --gpu v100 --size n=300\./);
    await page.getByLabel('GPU', { exact: true }).selectOption('a100');
    await page.locator('#offline-size').fill(String(found.most * 3));
    await page.getByLabel('Data', { exact: true }).selectOption('resident');
    assert.match(await said(page), new RegExp(`run warplens what-if examples/heat2d\\.c:11 --size n=${found.most * 3} --data resident\\.`));
    await close();
  });
});

describe('on paper', { skip: missing() }, () => {
  it('stands the overview and every loop, with sentence, rows and charts', async () => {
    const { page, complaints, close } = await open(browser, made.url, { scheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const paper = await page.locator('.page').innerText();
    for (const nest of nests()) {
      assert.ok(paper.includes(nest.verdict.sentence), nest.verdict.sentence);
      if (nest.verdict.comparison) assert.ok(paper.toLowerCase().includes(nest.verdict.comparison.toLowerCase()));
    }
    assert.ok(paper.includes(made.data.overview.sentence));
    const withCharts = nests().filter(({ detail }) => detail.offload !== null && detail.kernels.length > 0 && detail.grounds.has_ground);
    assert.equal(await page.locator('.paper figure[aria-labelledby$="-transfers-title"] svg.chart').count(), withCharts.length);
    assert.equal(await page.locator('.paper figure[aria-labelledby$="-transfers-title"] table').count(), withCharts.length); // in place of patterns
    assert.equal(await page.locator('.paper table.loops tbody tr').count(), nests().length);
    const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id));
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.locator('.view').first().isVisible(), false);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.equal(await page.locator('.paper').count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('is printed by the browser too', async (test) => {
    const { page, close } = await open(browser, made.url);
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    const pages = pdf.match(/\/Type\s*\/Page\b/g).length;
    test.diagnostic(`${nests().length} loops on ${pages} pages, ${(pdf.length / 1e6).toFixed(1)} MB`);
    assert.ok(pages > 10, `${pages} pages`);
    await close();
  });
});

describe('everybody', { skip: missing() }, () => {
  for (const scheme of ['light', 'dark']) {
    it(`is served by the rules of axe, ${scheme}`, async () => {
      const { page, complaints, close } = await open(browser, made.url, { scheme });
      const tags = scheme === 'light' ? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] : ['color-contrast'];
      for (const legend of await page.locator('#overview summary').all()) await legend.click();
      await page.locator('#words summary').click();
      assert.deepEqual(await violations(page, tags), []);
      await page.getByRole('link', { name: /^matrix\.c/ }).last().click();
      await page.evaluate(() => (window.location.hash = '#dot')); // few warps: axe looks at every element
      await page.locator('#nest h2', { hasText: 'dot()' }).waitFor();
      for (const id of CHARTS) await figure(page, id).locator('summary').click();
      assert.deepEqual(await violations(page, tags), []);
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  for (const width of [360, 400, 640]) {
    it(`has room in a panel of ${width} pixels`, async () => {
      const { page, complaints, close } = await open(browser, made.url, { width });
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      await page.locator('table.loops tbody tr').first().waitFor();
      assert.equal(await wide(), 0);
      assert.equal(await page.locator('.all-rows').evaluate((region) => region.scrollWidth - region.clientWidth), 0);
      const { step, line } = nestOf('gemm');
      assert.match(await body(page).filter({ hasText: `matrix.c:${line}` }).locator('.column-word').innerText(), new RegExp(`\n${step.short}$`));
      await page.locator('table.loops tbody th a').first().click();
      await figure(page, 'timeline').locator('.item').first().waitFor({ state: 'attached' });
      assert.equal(await wide(), 0);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});

it('the pictures of the README and of docs/report.md', { skip: missing() || (!process.env.PICTURES && 'PICTURES names no folder for it') }, async () => {
  const { page, close } = await open(browser, made.url, { width: 1180, height: 900 });
  await page.locator('table.loops tbody tr').first().waitFor();
  await page.screenshot({ path: join(process.env.PICTURES, 'report.png') });
  await page.evaluate((at) => (window.location.hash = at), LOOP);
  await figure(page, 'gpus').locator('.item').first().waitFor({ state: 'attached' });
  await page.setViewportSize({ width: 1180, height: 1300 });
  await page.screenshot({ path: join(process.env.PICTURES, 'report-loop.png') });
  await figure(page, 'timeline').locator('.item').first().waitFor({ state: 'attached' });
  await page.evaluate(() => document.querySelector('#launch').scrollIntoView());
  await page.screenshot({ path: join(process.env.PICTURES, 'report-launches.png') });
  await close();
});

it('texts of a hostile file are texts', { skip: missing() }, async () => {
  const { url, html } = hostile();
  assert.equal(html.match(/<script/g).length, 2);
  assert.equal(html.match(/<\/script>/g).length, 2);
  const { page, complaints, close } = await open(browser, url);
  await page.locator('header p', { hasText: HOSTILE_SHOWN.split('/').at(-1) }).waitFor();
  await page.locator('table.loops tbody th a').first().click();
  await page.locator('#nest h2', { hasText: 'naïve()' }).waitFor();
  await figure(page, 'timeline').locator('.item').first().focus();
  for (const id of ['roofline', 'transfers', 'models']) await figure(page, id).locator('summary').click();
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('body script').count(), 2);
  await page.goBack();
  await page.locator('#overview').waitFor();
  await page.goForward();
  await page.locator('#nest h2', { hasText: 'naïve()' }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});
