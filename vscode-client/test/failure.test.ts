import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notice } from '../src/failure';

test('a missing command is named, with the way to the setting and to the installation', () => {
  const { message, remedies } = notice({ kind: 'notFound', command: 'warplens-dev' });
  assert.match(message, /"warplens-dev" was not found/);
  assert.match(message, /warplens\.server\.path/);
  assert.deepEqual(remedies, ['Open Settings', 'How to Install', 'Show Output']);
});

test('a server that ends at once is quoted', () => {
  const { message } = notice({ kind: 'notStarted', command: '/bin/warplens', lastLine: "  No module named 'islpy'\n" });
  assert.equal(message, `Warplens: the server "/bin/warplens" ended before it was ready: No module named 'islpy'`);
});

test('a silent server and a blank line end the sentence', () => {
  for (const lastLine of [undefined, ' ']) {
    assert.match(notice({ kind: 'notStarted', command: 'w', lastLine }).message, /ready\.$/);
  }
});

test('a long last line is cut', () => {
  const { message } = notice({ kind: 'crashedTooOften', lastLine: 'x'.repeat(5000) });
  assert.ok(message.length < 320 && message.endsWith('x…'), message);
});

test('after too many crashes the user can start it again', () => {
  const { message } = notice({ kind: 'crashedTooOften', lastLine: 'MemoryError' });
  assert.match(message, /5 times in 3 minutes .* Last in its log: MemoryError$/);
  assert.deepEqual(notice({ kind: 'crashedTooOften', lastLine: undefined }).remedies, ['Restart Server', 'Show Output']);
});
