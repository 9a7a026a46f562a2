/** Which of the server's two sets of colours fits the editor's theme. */

import type { ColorThemeKind } from 'vscode';

const LIGHT: ColorThemeKind = 1;
const HIGH_CONTRAST_LIGHT: ColorThemeKind = 4;

export function imageTheme(kind: ColorThemeKind): 'light' | 'dark' {
  return kind === LIGHT || kind === HIGH_CONTRAST_LIGHT ? 'light' : 'dark';
}
