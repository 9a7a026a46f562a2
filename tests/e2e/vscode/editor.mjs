/** What a person does in the window: open a file, put the cursor somewhere, choose from a menu, save, undo. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export class Editor {
  static async open({ url, workspace }, viewport = { width: 1280, height: 900 }) {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(90_000);
    await page.goto(`${url}/?folder=${encodeURIComponent(workspace)}`);
    await page.locator('.monaco-workbench .explorer-folders-view').waitFor();
    return new Editor(browser, page, workspace);
  }

  constructor(browser, page, workspace) {
    this.browser = browser;
    this.page = page;
    this.workspace = workspace;
    this.pane = page.locator('.editor-instance .monaco-editor').first();
    this.hoverCard = page.locator('.monaco-hover:visible');
    this.menu = page.locator('.action-widget:visible');
    this.picker = page.locator('.quick-input-widget:visible');
  }

  close() {
    return this.browser.close();
  }

  /** Opens a file of the workspace and waits until the server has said something of it. */
  async file(name) {
    await this.pickFrom('Control+p', name);
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.lens().first().waitFor();
  }

  lens() {
    return this.page.locator('.codelens-decoration', { hasText: 'GPU' });
  }

  squiggles() {
    return this.pane.locator('.squiggly-warning, .squiggly-info, .squiggly-hint, .squiggly-error');
  }

  /** A line on the screen that has the text. */
  line(text) {
    return this.pane.locator('.view-line', { hasText: text }).first();
  }

  /** The cursor at a line and column, both from 1. */
  async goTo(line, column = 1) {
    await this.dismiss();
    await this.pickFrom('Control+g', `:${line}:${column}`);
    await this.page.waitForFunction((at) => document.body.innerText.includes(at), `Ln ${line}, Col ${column}`);
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

  /** Shows the hover of the cursor's place. */
  async hover() {
    await this.pressUntil('Control+k Control+i', this.hoverCard);
    return this.hoverCard.first();
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

  /** Keeps what the window shows in the folder that PICTURES names. */
  async picture(name) {
    if (process.env.PICTURES) {
      await this.page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
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
