import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageTheme } from '../src/imageTheme';

test('high contrast has its light and its dark kind', () => {
  assert.deepEqual([1, 2, 3, 4].map(imageTheme), ['light', 'dark', 'dark', 'light']);
});
