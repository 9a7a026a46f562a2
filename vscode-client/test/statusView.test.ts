import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusView, type ServerState } from '../src/statusView';

test('the GPU is named in every state; only trouble is marked', () => {
  const marked: Record<ServerState, boolean> = { starting: false, running: false, stopped: true, failed: true };
  for (const state of Object.keys(marked) as ServerState[]) {
    const view = statusView(state, 'NVIDIA H100');
    assert.match(view.text, /^\$\([a-z~-]+\) NVIDIA H100$/, state);
    assert.equal(view.warning, marked[state], state);
  }
});

test('the states can be told apart', () => {
  const views = (['starting', 'running', 'stopped', 'failed'] as const).map((state) => statusView(state, 'g'));
  assert.equal(new Set(views.map((view) => view.tooltip)).size, 4);
});
