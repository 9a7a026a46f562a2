import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRASH_WINDOW_MS, CrashBudget, MAX_CRASHES } from '../src/crashBudget';

test('four crashes in three minutes are forgiven, the fifth is not', () => {
  const budget = new CrashBudget();
  const answers = [0, 1, 2, 3, 4].map((second) => budget.crashed(second * 1000));
  assert.deepEqual(answers, [true, true, true, true, false]);
  assert.equal(MAX_CRASHES, 5);
  assert.equal(CRASH_WINDOW_MS, 180_000);
});

test('a crash counts for three minutes, no longer', () => {
  const budget = new CrashBudget();
  for (const thenMs of [0, 1, 2, 3]) {
    budget.crashed(thenMs);
  }
  for (const laterMs of [0, 1, 2]) {
    assert.equal(budget.crashed(CRASH_WINDOW_MS + laterMs), true, 'one has left the window for each that came');
  }
  assert.equal(budget.crashed(CRASH_WINDOW_MS + 2), false, 'five within three minutes again');
});
