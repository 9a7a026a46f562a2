import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gpuName, gpuProfiles, levelToWrite } from '../src/gpuList';

const A100 = { id: 'a100', name: 'NVIDIA A100', detail: 'Ampere, 108 SMs' };

test("the server's list is taken over", () => {
  assert.deepEqual(gpuProfiles([A100]), [A100]);
});

test('what is missing in an entry is filled, what is no entry is left out', () => {
  const answer = [{ id: 'mine', extra: 1 }, { id: 7, name: 'number' }, { name: 'nameless' }, { id: '' }, null, 'a100', A100];
  assert.deepEqual(gpuProfiles(answer), [{ id: 'mine', name: 'mine', detail: '' }, A100]);
});

test('an answer that is no list gives none', () => {
  for (const answer of [undefined, null, {}, 'a100', 3]) {
    assert.deepEqual(gpuProfiles(answer), []);
  }
});

test('an unknown GPU is shown as the user wrote it', () => {
  assert.equal(gpuName([A100], 'a100'), 'NVIDIA A100');
  assert.equal(gpuName([A100], 'a1000'), 'a1000');
  assert.equal(gpuName([], 'a100'), 'a100');
});

test('a choice is written where it takes effect', () => {
  assert.equal(levelToWrite(undefined), 'user');
  assert.equal(levelToWrite({}), 'user');
  assert.equal(levelToWrite({ workspaceValue: 'v100' }), 'workspace');
  assert.equal(levelToWrite({ workspaceValue: 'v100', workspaceFolderValue: 'h100' }), 'folder');
  assert.equal(levelToWrite({ workspaceFolderValue: 'h100' }), 'folder');
});
