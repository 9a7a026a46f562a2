import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopPosition } from '../src/loopPosition';

test('the arguments of a code lens', () => {
  assert.deepEqual(loopPosition(['file:///a.c', 12]), { uri: 'file:///a.c', line: 12, character: undefined });
  assert.deepEqual(loopPosition(['file:///a.c', 0, 4]), { uri: 'file:///a.c', line: 0, character: 4 });
});

test('anything else is refused', () => {
  for (const args of [[], ['file:///a.c'], [7, 7], ['file:///a.c', '7'], ['file:///a.c', -1], ['file:///a.c', 1.5], ['file:///a.c', NaN],
    ['file:///a.c', 1, '0'], ['file:///a.c', 1, -1], ['file:///a.c', 1, null]]) {
    assert.equal(loopPosition(args), undefined, JSON.stringify(args));
  }
});
