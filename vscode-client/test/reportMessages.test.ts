import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageHtml, pageMessage } from '../src/reportMessages';

const URI = 'file:///w/a.c';

test('a question is about the document that is shown, whatever the page says', () => {
  const params = { textDocument: { uri: 'file:///etc/passwd' }, nest: { function: 'f', ordinal: 0 } };
  assert.deepEqual(pageMessage({ type: 'ask', id: 3, method: 'warplens/reportNest', params }, URI), {
    kind: 'ask',
    id: 3,
    method: 'warplens/reportNest',
    params: { textDocument: { uri: URI }, nest: { function: 'f', ordinal: 0 } },
  });
});

test('a what-if names the panel, so that the newest takes the place of those that wait', () => {
  const message = pageMessage({ type: 'ask', id: 1, method: 'warplens/whatIf', params: { panel: 'other' } }, URI);
  assert.deepEqual(message, { kind: 'ask', id: 1, method: 'warplens/whatIf', params: { panel: 'report', textDocument: { uri: URI } } });
});

test('only the questions of the page are handed on', () => {
  for (const method of ['workspace/executeCommand', 'warplens/previewFix', 'shutdown', 1, undefined]) {
    assert.equal(pageMessage({ type: 'ask', id: 1, method, params: {} }, URI), undefined);
  }
  for (const message of [null, 'ready', { type: 'ask', method: 'warplens/whatIf', params: {} }, { type: 'ask', id: 1, method: 'warplens/whatIf' }]) {
    assert.equal(pageMessage(message, URI), undefined);
  }
});

test('a line is revealed in the document that is shown only', () => {
  assert.deepEqual(pageMessage({ type: 'reveal', uri: URI, line: 12 }, URI), { kind: 'reveal', line: 12 });
  for (const [uri, line] of [['file:///other.c', 12], [URI, 0], [URI, 1.5], [URI, '3']]) {
    assert.equal(pageMessage({ type: 'reveal', uri, line }, URI), undefined);
  }
});

test('a server that sends no page gives none', () => {
  assert.equal(pageHtml({ html: '<p>' }), '<p>');
  for (const answer of [null, undefined, 'html', {}, { html: 1 }]) {
    assert.equal(pageHtml(answer), undefined);
  }
});
