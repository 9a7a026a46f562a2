import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparison, time } from '../src/comparisonAnswer';

const H100 = {
  gpu: 'h100',
  name: 'H100 SXM5 80 GB',
  is_current: false,
  cold_s: 0.00651,
  resident_s: 0.0000949,
  cpu_s: 0.00239,
  against: 'all cores',
  bound: 'memory bandwidth (DRAM), 98 % of the time',
  launch: 'block 32x8',
  break_even: ['from n = 75', 'from n = 260'],
};

test('a row says the times, the speedups, what bounds it and where it begins to win', () => {
  const { gpus, notes } = comparison({ gpus: [H100], notes: ['a note'], problems: [] });
  assert.deepEqual(gpus, [
    {
      id: 'h100',
      name: 'H100 SXM5 80 GB',
      isCurrent: false,
      times: '94.9 µs, with copies 6.51 ms',
      detail: '25x, with copies 0.37x vs all cores; block 32x8; faster than the CPU from n = 75, with copies from n = 260; memory bandwidth (DRAM), 98 % of the time',
    },
  ]);
  assert.deepEqual(notes, ['a note']);
});

test('what is missing is left out, what is no row too', () => {
  const bare = { gpu: 'mine', cold_s: 2, resident_s: 1 };
  const { gpus } = comparison({ gpus: [null, 7, { gpu: '' }, { gpu: 'x', cold_s: 0, resident_s: 1 }, { ...H100, resident_s: 'fast' }, bare] });
  assert.deepEqual(gpus, [{ id: 'mine', name: 'mine', isCurrent: false, times: '1 s, with copies 2 s', detail: '' }]);
});

test('an answer of another kind is an empty one', () => {
  for (const answer of [undefined, null, 'text', [], { gpus: {} }]) {
    assert.deepEqual(comparison(answer), { gpus: [], notes: [], problems: [] });
  }
});

test('times are written as the server writes them', () => {
  assert.deepEqual([1.5, 0.0015, 0.0000015, 2.5e-9].map(time), ['1.5 s', '1.5 ms', '1.5 µs', '2.5 ns']);
});
