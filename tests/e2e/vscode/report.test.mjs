/** The report in a panel: it follows the file, its loops lead to their lines, and what is changed in it is predicted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editor } from './window.mjs';

test('the panel shows the file at the loop of the cursor, and follows it', async () => {
  await editor.file('matrix.c');
  await editor.inWindowOf({ width: 1600, height: 1000 }, async () => {
    await editor.goTo(26, 5);
    await editor.command('Warplens: Open Report');
    const page = await editor.panel();
    await page.getByText('gemv(), line 26').first().waitFor();
    await page.locator('figure svg:visible, canvas:visible').first().waitFor();
    await editor.picture('report');

    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
    assert.match(policy, /^default-src 'none';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);

    const headline = page.locator('#what-if .outcome .headline');
    await page.locator('#size-n').fill('8192');
    await headline.waitFor();
    await page.getByText('In the file:').waitFor();
    await editor.picture('report-what-if');
    await page.getByRole('button', { name: 'Back to the file' }).click();
    await headline.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'All loops' }).click();
    await page.getByLabel('Search').fill('dot');
    await editor.picture('report-overview');
    await page.getByRole('link', { name: 'matrix.c:37' }).click();
    await page.getByText('dot(), line 37').first().waitFor();
    await page.getByRole('button', { name: 'Show in the editor' }).click();
    await editor.at(37);

    await editor.file('heat2d.c');
    // The cursor is in none of its loops.
    await page.getByRole('link', { name: 'heat2d.c:11' }).waitFor();

    await page.locator('body.vscode-dark').waitFor();
    await editor.command('Preferences: Toggle between Light/Dark Themes');
    await page.locator('body.vscode-light').waitFor();
    await editor.picture('report-light');
    await editor.command('Preferences: Toggle between Light/Dark Themes');
    await page.locator('body.vscode-dark').waitFor();
    await editor.command('View: Close Editors in Other Groups');
    await editor.page.locator('iframe.webview').waitFor({ state: 'detached' });
  });
});
