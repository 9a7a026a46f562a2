import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmed, fixPreview, fixReference, fixRows, noFixesReason, offeredFixes, question } from '../src/fixes';

const FIX = { uri: 'file:///a.c', version: 3, start: 0, ordinal: 0, action: 'fix', code: 'cuda', loop: 0, variant: '' };
const PREVIEW = {
  title: 'Write a.cu',
  note: 'a kernel',
  promise: '',
  diff: '',
  files: [{ uri: 'file:///a.cu', previewUri: 'warplens-preview:/a.cu?abc', exists: false, text: '' }],
  edit: { documentChanges: [] },
  problem: '',
};

test('offers that can be used are kept, refused ones with their reason', () => {
  const offered = offeredFixes([
    { title: 'A', refusal: '', gain: null, fix: FIX },
    { title: 'B', refusal: 'calls `f`', gain: 1, fix: FIX },
    { title: 'no fix' },
    { title: 3, fix: FIX },
    null,
  ]);
  assert.deepEqual(offered, [
    { title: 'A', refusal: '', fix: FIX },
    { title: 'B', refusal: 'calls `f`', fix: FIX },
  ]);
  assert.deepEqual(offeredFixes(undefined), []);
});

test('refused fixes are listed apart, without the quotes that a list would show', () => {
  const offered = offeredFixes([
    { title: 'Split `i`', refusal: '`u` is set', fix: FIX },
    { title: 'Insert `omp`', refusal: '', fix: FIX },
  ]);
  assert.deepEqual(fixRows(offered), {
    applicable: [{ label: 'Insert omp', reason: '', fix: FIX }],
    refused: [{ label: 'Split i', reason: 'u is set', fix: FIX }],
  });
});

test('where nothing is offered the server says why, and an older one leaves it open', () => {
  assert.equal(noFixesReason({ reason: 'No fix for the loop over `i`.' }), 'No fix for the loop over `i`.');
  for (const none of [undefined, null, {}, { reason: 3 }, { reason: '' }]) {
    assert.match(noFixesReason(none), /no fix is offered/);
  }
});

test('a preview has files and an edit, or why there is none', () => {
  assert.deepEqual(fixPreview(PREVIEW)?.files, [{ uri: 'file:///a.cu', previewUri: 'warplens-preview:/a.cu?abc', exists: false }]);
  const refused = fixPreview({ ...PREVIEW, edit: null, problem: 'exists' });
  assert.equal(refused?.edit, undefined);
  assert.equal(refused?.problem, 'exists');
  for (const none of [undefined, [], {}, { ...PREVIEW, files: [] }, { ...PREVIEW, files: [{ uri: 'file:///a.cu' }] }]) {
    assert.equal(fixPreview(none), undefined);
  }
});

test('a link of a hover names a fix, anything else is asked for at the cursor', () => {
  assert.equal(fixReference([FIX]), FIX);
  for (const other of [[], [undefined], ['cuda'], [{ uri: 'file:///a.c' }], [[FIX]]]) {
    assert.equal(fixReference(other), undefined);
  }
});

test('what the user confirmed is not asked for again', () => {
  const edit = { documentChanges: [1], changeAnnotations: { file: { label: 'Create', needsConfirmation: true } } };
  assert.deepEqual(confirmed(edit), { documentChanges: [1], changeAnnotations: { file: { label: 'Create', needsConfirmation: false } } });
  assert.deepEqual(confirmed({ changes: {} }), { changes: {} });
});

test('a promise is part of the question', () => {
  const preview = fixPreview({ ...PREVIEW, promise: '`a` and `b` do not overlap' });
  assert.ok(preview !== undefined);
  assert.match(question(preview), /You promise: a and b do not overlap\./);
  assert.doesNotMatch(question({ ...preview, promise: '' }), /promise/);
});
