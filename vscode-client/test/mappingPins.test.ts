import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mappingPins, pinEdit } from '../src/mappingPins';
import { PIN_KIND } from '../src/names';

test('each action that pins a mapping is a row with its time, and the action to be resolved', () => {
  const actions = [
    { title: 'Pin mapping `block256:j` (7.97 µs, recommended)', kind: PIN_KIND, data: { name: 'block256:j' } },
    { title: "Pin the source's own order (204 µs)", kind: PIN_KIND, data: { name: 'source' } },
    { title: 'Switch WL201 off', kind: 'quickfix' },
    { title: 'Pin another mapping of this nest ...', kind: PIN_KIND, command: { title: '', command: 'warplens.pinMapping' } },
    { title: 'Pin what is new', kind: PIN_KIND },
  ];
  assert.deepEqual(
    mappingPins(actions).map(({ label, note, action }) => [label, note, action]),
    [
      ['block256:j', '7.97 µs, recommended', actions[0]],
      ["the source's own order", '204 µs', actions[1]],
      ['Pin what is new', '', actions[4]],
    ],
  );
});

test('an answer of any shape is no row, and an action without an edit writes nothing', () => {
  assert.deepEqual([null, undefined, {}, 'x', [null, 3, {}]].map(mappingPins), [[], [], [], [], []]);
  assert.deepEqual([undefined, null, {}, { edit: 3 }].map(pinEdit), [undefined, undefined, undefined, undefined]);
  assert.deepEqual(pinEdit({ edit: { changes: {} } }), { changes: {} });
});
