import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showLoopWhenPressed, type Lens } from '../src/loopLens';
import { loopPosition } from '../src/loopPosition';

function lens(line: number, command: Lens['command']): Lens {
  return { range: { start: { line, character: 4 } }, command };
}

test('a lens without a command shows its loop, at the place that the command understands', () => {
  const [shown] = showLoopWhenPressed([lens(7, { title: 'GPU 18x', command: '' })], 'file:///a.c', 'show');
  assert.deepEqual(shown?.command, { title: 'GPU 18x', command: 'show', arguments: ['file:///a.c', 7, 4] });
  assert.deepEqual(loopPosition(shown?.command?.arguments ?? []), { uri: 'file:///a.c', line: 7, character: 4 });
});

test('a lens with a command, and one that is not resolved, stay as they are', () => {
  const own = { title: 'Run', command: 'other.run' };
  const lenses = showLoopWhenPressed([lens(1, own), lens(2, undefined)], 'file:///a.c', 'show');
  assert.deepEqual(lenses.map(({ command }) => command), [own, undefined]);
});
