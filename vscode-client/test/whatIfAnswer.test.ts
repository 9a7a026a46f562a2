import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joined, whatIf } from '../src/whatIfAnswer';

const ANSWER = {
  nest: { function: 'f', ordinal: 0, line: 1, column: 1 },
  choices: {
    parameters: [{ name: 'n', value: 1024, origin: 'default', text: '`n` is not known: 1024 is assumed.' }],
    gpus: [{ id: 'a100', name: 'A100' }, { id: 'h100', name: 'H100' }],
    data: ['cold', 'resident'],
    kernels: [{ blocks: [[64, 1, 1], [32, 8, 1]], outputs_per_thread: [1, 2], shared: [{ array: 'a' }, { array: 'b' }] }],
  },
  base: { headline: 'GPU 3x, block `64`' },
  result: { headline: 'GPU 5x', profiles: { gpu: { id: 'h100', name: 'H100' } }, kernels: [{ block: [32, 8, 1] }] },
  differences: ['`n` is larger.'],
  problems: [{ change: 'block', message: 'too large' }],
};

test('every choice has what is in force and the changes to choose from', () => {
  const { before, after, differences, problems, choices } = whatIf(ANSWER, { sizes: { n: 2048 }, shared: ['a'] });
  assert.deepEqual([before, after, differences, problems], ['GPU 3x, block 64', 'GPU 5x', ['n is larger.'], ['too large']]);
  const shown = choices.map(({ label, now, values }) => [label, now, values.map((value) => value.label)]);
  assert.deepEqual(shown, [
    ['n', '2048', []],
    ['GPU', 'H100', ['A100', 'H100']],
    ['block', '32x8', ['64', '32x8']],
    ['outputs per thread', 'as predicted best', ['1', '2']],
    ['arrays in shared memory', 'a', ['none', 'a', 'b', 'a, b']],
    ['data', 'copied to the GPU and back', ['copied to the GPU and back', 'on the GPU already']],
  ]);
  assert.deepEqual(choices[0]?.typed?.(7), { sizes: { n: 7 } });
  assert.deepEqual(choices[4]?.values[3]?.change, { shared: ['a', 'b'] });
});

test('what other calls set is one change, with the place of the call', () => {
  const calls = [{ sizes: { n: 40, m: 3 }, text: 'run(x, 40, 3)', path: '/home/me/p/main.c', line: 7 }];
  assert.deepEqual(whatIf({ ...ANSWER, choices: { ...ANSWER.choices, calls } }, {}).calls, [
    { label: 'n = 40, m = 3', note: 'run(x, 40, 3) (main.c:7)', change: { sizes: { n: 40, m: 3 } } },
  ]);
  assert.deepEqual(whatIf(ANSWER, {}).calls, []);
});

test('what can be chosen in one way only is no choice', () => {
  const single = { ...ANSWER, choices: { ...ANSWER.choices, parameters: [], gpus: ANSWER.choices.gpus.slice(0, 1), data: [], kernels: [] } };
  assert.deepEqual(whatIf(single, {}).choices, []);
});

test('where nothing is known the nest is missing and the problem says why', () => {
  const { nest, problems, choices } = whatIf({ nest: null, choices: null, problems: [{ change: '', message: 'no loop here' }] }, {});
  assert.deepEqual([nest, problems, choices], [undefined, ['no loop here'], []]);
  assert.deepEqual(whatIf('nonsense', {}).choices, []);
});

test('changes of several sizes add up, a later one of the same wins', () => {
  const changes = joined(joined({ sizes: { n: 1 } }, { gpu: 'h100' }), { sizes: { m: 2 } });
  assert.deepEqual(changes, { sizes: { n: 1, m: 2 }, gpu: 'h100' });
  assert.deepEqual(joined(changes, { sizes: { n: 9 }, gpu: 'k20' }), { sizes: { n: 9, m: 2 }, gpu: 'k20' });
});

test('the mappings that were tried are a choice, with their times; what is pinned or recommended is in force', () => {
  const listed = [
    { name: 'block256:j', time_s: 7.97e-6, is_recommended: true, is_pinned: false },
    { name: 'warp:j', time_s: 27.3e-6, is_recommended: false, is_pinned: false },
    { name: 'source', time_s: 204e-6, is_recommended: false, is_pinned: false },
  ];
  const choice = (mappings: unknown, changes = {}) => whatIf({ ...ANSWER, choices: { ...ANSWER.choices, mappings } }, changes).choices.find(({ label }) => label === 'mapping');
  const found = choice(listed);
  assert.equal(found?.now, 'block256:j');
  assert.deepEqual(found?.values, [
    { label: 'block256:j', note: '7.97 µs, recommended', change: { mapping: 'block256:j' } },
    { label: 'warp:j', note: '27.3 µs', change: { mapping: 'warp:j' } },
    { label: 'source', note: '204 µs', change: { mapping: 'source' } },
  ]);
  assert.equal(choice(listed, { mapping: 'warp:j' })?.now, 'warp:j');
  const pinned = listed.map((each) => ({ ...each, is_pinned: each.name === 'warp:j' }));
  assert.equal(choice(pinned)?.now, 'warp:j');
  assert.equal(choice(pinned)?.values[1]?.note, '27.3 µs, pinned');
  assert.equal(choice(listed.slice(0, 1)), undefined);
  assert.equal(choice([{ name: 3 }, null, { time_s: 'x' }])?.values.length, 3);
});
