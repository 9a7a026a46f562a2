import assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';
import { resolveCommand, type Machine } from '../src/serverCommand';

function linux(...files: string[]): Machine {
  return {
    path: path.posix,
    home: '/home/ada',
    searchPath: ['/usr/local/bin', 'relative/bin', '.', '', '/usr/bin'],
    suffixes: [''],
    isExecutable: (file) => files.includes(file),
  };
}

test('a name is searched in the folders of PATH, in their order', () => {
  assert.equal(resolveCommand('warplens', '/w', linux('/usr/bin/warplens')), '/usr/bin/warplens');
  const both = linux('/usr/bin/warplens', '/usr/local/bin/warplens');
  assert.equal(resolveCommand(' warplens ', '/w', both), '/usr/local/bin/warplens');
});

test('a relative folder of PATH, and the current folder, cannot supply the program', () => {
  const machine = linux('relative/bin/warplens', 'warplens', './warplens', '/w/warplens', '/w/relative/bin/warplens');
  assert.equal(resolveCommand('warplens', '/w', machine), undefined);
});

test('a relative path starts at the workspace folder and needs one', () => {
  const machine = linux('/w/.venv/bin/warplens');
  assert.equal(resolveCommand('.venv/bin/warplens', '/w', machine), '/w/.venv/bin/warplens');
  assert.equal(resolveCommand('./.venv/bin/warplens', '/w', machine), '/w/.venv/bin/warplens');
  assert.equal(resolveCommand('.venv/bin/warplens', undefined, machine), undefined);
});

test('the home and the workspace folder are expanded', () => {
  const machine = linux('/home/ada/.local/bin/warplens', '/w/$&/bin/warplens');
  assert.equal(resolveCommand('~/.local/bin/warplens', undefined, machine), '/home/ada/.local/bin/warplens');
  assert.equal(resolveCommand('${workspaceFolder}/bin/warplens', '/w/$&', machine), '/w/$&/bin/warplens');
  assert.equal(resolveCommand('${workspaceFolder}/bin/warplens', undefined, machine), undefined);
  assert.equal(resolveCommand('~other/warplens', '/w', linux('/home/ada/other/warplens')), undefined);
});

test('an absolute path is taken as it is, or not at all', () => {
  assert.equal(resolveCommand('/opt/w/warplens', undefined, linux('/opt/w/warplens')), '/opt/w/warplens');
  assert.equal(resolveCommand('/opt/w/warplens', undefined, linux('/usr/bin/warplens')), undefined);
});

test('an empty setting names no command, not the workspace folder', () => {
  assert.equal(resolveCommand('  ', '/w', { ...linux(), isExecutable: () => true }), undefined);
});

test('on Windows the suffix may be left out', () => {
  const exe = 'C:\\Python\\Scripts\\warplens.exe';
  const machine: Machine = {
    path: path.win32,
    home: 'C:\\Users\\ada',
    searchPath: ['C:\\Windows', 'C:\\Python\\Scripts'],
    suffixes: ['.exe', '.com', ''],
    isExecutable: (file) => file === exe,
  };
  assert.equal(resolveCommand('warplens', 'D:\\w', machine), exe);
  assert.equal(resolveCommand('warplens.exe', 'D:\\w', machine), exe);
  assert.equal(resolveCommand('Scripts\\warplens', 'C:\\Python', machine), exe);
  assert.equal(resolveCommand('Scripts/warplens', 'C:\\Python', machine), exe);
});
