import assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';
import { thisMachine } from '../src/machine';
import { resolveCommand } from '../src/serverCommand';

test('a program that runs is executable; a folder and a text file are not', () => {
  const { isExecutable } = thisMachine();
  assert.equal(isExecutable(process.execPath), true);
  assert.equal(isExecutable(path.dirname(process.execPath)), false);
  assert.equal(isExecutable(path.resolve('package.json')), process.platform === 'win32');
  assert.equal(isExecutable(path.resolve('no such file')), false);
});

test('a command is found where PATH says at that time', () => {
  const before = process.env['PATH'];
  const name = path.basename(process.execPath);
  try {
    process.env['PATH'] = path.dirname(process.execPath);
    assert.equal(resolveCommand(name, undefined, thisMachine()), process.execPath);
    process.env['PATH'] = path.resolve('test');
    assert.equal(resolveCommand(name, undefined, thisMachine()), undefined);
  } finally {
    process.env['PATH'] = before;
  }
});
