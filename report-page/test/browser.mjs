/** The page in a real browser that can reach nothing, and everything that it complains about. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Why there is no browser to test in; false where there is one, or has to be. */
export function missing() {
  if (existsSync(CHROMIUM) || process.env.WARPLENS_EDITORS === 'required') return false;
  return `no ${CHROMIUM} on this machine: tests/e2e/editors/install.sh says how to get it`;
}

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'] });

/** Opens a page, or what `at` names in it; `complaints` collects errors, refused content and requests that left for somewhere. */
export async function open(browser, url, { scheme = 'light', width = 1280, height = 900, at = '', prepare, expose = {} } = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height }, reducedMotion: 'reduce', offline: true });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.route('**/*', (route) => {
    if (route.request().url().split('#')[0] === url) return route.continue();
    complaints.push(`request: ${route.request().url()}`);
    return route.abort();
  });
  await page.exposeFunction('complain', (text) => complaints.push(text));
  await page.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) => window.complain(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
  for (const [name, function_] of Object.entries(expose)) await page.exposeFunction(name, (argument) => function_(page, argument));
  if (prepare) await page.addInitScript(prepare);
  await page.goto(url + at);
  return { page, complaints, close: () => context.close() };
}

/** What axe finds against these rules, or those with these tags, a line each. */
export async function violations(page, tags) {
  await page.evaluate(AXE);
  const found = await page.evaluate((of) => window.axe.run(document, { runOnly: of }), tags);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.length} x ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
}
