/** The machine that the extension host runs on. */

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Machine } from './serverCommand';

export function thisMachine(): Machine {
  return {
    path,
    home: os.homedir(),
    searchPath: (process.env['PATH'] ?? '').split(path.delimiter),
    suffixes: process.platform === 'win32' ? ['.exe', '.com', ''] : [''],
    isExecutable,
  };
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
