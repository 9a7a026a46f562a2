/** What a person does in the window: open a file, put the cursor somewhere, choose from a menu, save, undo. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const VIEWPORT = { width: 1280, height: 900 };

export class Editor {
  static async open({ url, workspace }, screenshots) {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    const page = await browser.newPage({ viewport: VIEWPORT });
    page.setDefaultTimeout(90_000);
    await page.goto(`${url}/?folder=${encodeURIComponent(workspace)}`);
    await page.locator('.monaco-workbench .explorer-folders-view').waitFor();
    return new Editor(browser, page, workspace, screenshots);
  }

  constructor(browser, page, workspace, screenshots) {
    this.browser = browser;
    this.page = page;
    this.workspace = workspace;
    this.screenshots = screenshots;
    this.pane = page.locator('.editor-instance .monaco-editor').first();
    this.hoverCard = page.locator('.monaco-hover:visible');
    this.menu = page.locator('.action-widget:visible');
    this.picker = page.locator('.quick-input-widget:visible');
  }

  close() {
    return this.browser.close();
  }

  /** Writes a file of the workspace, which the explorer then lists. */
  write(name, text) {
    writeFileSync(join(this.workspace, name), text);
  }

  /** Opens a file of the workspace and waits until the server has said something of it. */
  async file(name) {
    await this.dismiss();
    const row = this.picker.locator('.monaco-list-row', { hasText: name }).first();
    await this.until(`${name} in the list of files`, async () => {
      await this.pressUntil('Control+p', this.picker);
      await this.page.keyboard.press('Control+a');
      await this.page.keyboard.type(name);
      const isListed = await row.waitFor({ timeout: 3_000 }).then(() => true, () => false);
      if (!isListed) {
        await this.dismiss(); // a new file is found by a new search only
      }
      return isListed;
    });
    await this.page.waitForTimeout(300); // the list is sorted once more after typing
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.goTo(1);
    await this.lens().first().waitFor();
  }

  lens() {
    return this.pane.locator('.codelens-decoration', { hasText: /GPU|parallel/ });
  }

  squiggles() {
    return this.pane.locator('.squiggly-warning, .squiggly-info, .squiggly-hint, .squiggly-error');
  }

  /** Whether a squiggle of that severity stands under exactly this text, or its last place in the line; both are measured on the screen. */
  async isUnderlined(text, severity, isLast = false) {
    const [at, squiggles] = await Promise.all([this.boxOf(text, isLast), this.boxes(this.pane.locator(`.squiggly-${severity}`))]);
    return squiggles.some(({ x, y, width, height }) => {
      const isBelow = y + height > at.y + at.height / 2 && y < at.y + at.height;
      return isBelow && Math.abs(x - at.x) < 4 && Math.abs(x + width - at.x - at.width) < 7; // a hint behind it has a margin
    });
  }

  /** Where a text stands on the screen, across the spans that colour it. */
  async boxOf(text, isLast = false) {
    return this.line(text).evaluate((line, [wanted, isLast]) => {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      const letters = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        [...node.data].forEach((letter, at) => letters.push([letter.replace('\u00a0', ' '), node, at]));
      }
      const shown = letters.map(([letter]) => letter).join('');
      const start = isLast ? shown.lastIndexOf(wanted) : shown.indexOf(wanted);
      const range = document.createRange();
      range.setStart(letters[start][1], letters[start][2]);
      const [, last, end] = letters[start + wanted.length - 1];
      range.setEnd(last, end + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x, y, width, height };
    }, [text, isLast]);
  }

  async boxes(locator) {
    return locator.evaluateAll((found) => found.map((each) => each.getBoundingClientRect().toJSON()));
  }

  /** Waits until something that is asked again and again is so. */
  async until(what, isSo) {
    for (let waited = 0; waited < 30_000; waited += 100) {
      if (await isSo()) {
        return;
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(`not within 30 s: ${what}`);
  }

  /** A line on the screen that has the text. */
  line(text) {
    return this.pane.locator('.view-line', { hasText: text }).first();
  }

  /** The cursor at a line and column, both from 1. */
  async goTo(line, column = 1) {
    await this.dismiss();
    await this.pickFrom('Control+g', `:${line}:${column}`);
    await this.at(line, column);
  }

  /** Waits until the cursor is there. */
  async at(line, column) {
    const place = column === undefined ? `Ln ${line},` : `Ln ${line}, Col ${column}`;
    await this.page.locator('.statusbar-item', { hasText: place }).first().waitFor();
  }

  /** Waits for a message of the extension, and closes it. */
  async said(text) {
    const toast = this.page.locator('.notification-toast', { hasText: text });
    await toast.waitFor();
    await this.page.keyboard.press('Escape');
    await this.command('Notifications: Clear All Notifications');
  }

  /** A command of the palette by its title. */
  command(title) {
    return this.pickFrom('F1', `>${title}`);
  }

  async pickFrom(key, text) {
    await this.pressUntil(key, this.picker);
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(text);
    await this.picker.locator('.monaco-list-row').first().waitFor();
    await this.page.waitForTimeout(300); // the list is sorted once more after typing
    await this.page.keyboard.press('Enter');
    await this.picker.waitFor({ state: 'hidden', timeout: 2_000 }).catch(() => undefined); // a command may ask on
  }

  /** The menu of quick fixes and refactorings at the cursor; its entries as they are shown, greyed out ones too. */
  async fixes() {
    await this.pressUntil('Control+.', this.menu);
    return this.menu.locator('.monaco-list-row.action').allInnerTexts();
  }

  async choose(title) {
    await this.fixes();
    await this.menu.locator('.monaco-list-row.action', { hasText: title }).first().click();
  }

  /** Puts the mouse on a text until a card with `said` is shown. */
  async hoverOver(text, said) {
    const card = this.hoverCard.filter({ hasText: said });
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.page.mouse.move(5, 5);
      const { x, y, height } = await this.boxOf(text);
      await this.page.mouse.move(x + 6, y + height / 2, { steps: 3 });
      if (await card.first().waitFor({ timeout: 4_000 }).then(() => true, () => false)) {
        return card.first();
      }
    }
    throw new Error(`no card with ${said} over ${text}`);
  }

  /** A key is now and then lost right after a click, so it is pressed until it has its effect. */
  async pressUntil(keys, shown) {
    const seen = () => shown.first().waitFor({ timeout: 2_500 }).then(() => true, () => false);
    for (let attempt = 0; attempt < 5; attempt++) {
      for (const key of keys.split(' ')) {
        await this.page.keyboard.press(key);
      }
      if (await seen()) {
        return;
      }
    }
    throw new Error(`${keys} has no effect`);
  }

  async dismiss() {
    await this.page.keyboard.press('Escape');
    await this.page.keyboard.press('Escape');
  }

  /** The document inside the one webview of the window. */
  async panel() {
    const outer = this.page.frameLocator('iframe.webview.ready');
    await outer.locator('#active-frame').waitFor();
    return outer.frameLocator('#active-frame');
  }

  /** A button of a panel or a message, by its whole text. */
  button(text) {
    return this.page.locator('.monaco-button:visible', { hasText: new RegExp(`^${text}$`) }).first();
  }

  /** Keeps what the window shows, or one part of it with what is just above. */
  async picture(name, part) {
    const box = await part?.boundingBox();
    const clip = box && { x: box.x - 80, y: box.y - 110, width: box.width + 100, height: box.height + 120 };
    await this.page.screenshot({ path: join(this.screenshots, `${name}.png`), animations: 'disabled', clip });
  }

  /** Runs with a window of another size. */
  async inWindowOf(size, act) {
    await this.page.setViewportSize(size);
    try {
      await act();
    } finally {
      await this.page.setViewportSize(VIEWPORT);
    }
  }

  undo() {
    return this.page.keyboard.press('Control+z');
  }

  async save() {
    await this.page.keyboard.press('Control+s');
    await this.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
  }

  onDisk(name) {
    return readFileSync(join(this.workspace, name), 'utf8');
  }
}
