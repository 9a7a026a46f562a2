import assert from 'node:assert/strict';
import { test } from 'node:test';
import manifest from '../package.json';
import { DOCUMENTS, isRead, isServerWanted } from '../src/readDocuments';

const document = (languageId: string, path: string): { languageId: string; uri: { path: string } } => ({ languageId, uri: { path } });

test('C files are read, and headers whatever they are opened as', () => {
  assert.ok(isRead(document('c', '/w/a.c')));
  assert.ok(isRead(document('c', '/w/a.h')));
  assert.ok(isRead(document('cpp', '/w/a.h')));
});

test('other files of C++ are not read, nor are headers of other languages', () => {
  for (const path of ['/w/a.cpp', '/w/a.cc', '/w/a.hpp', '/w/a.hh', '/w/ah', '/w/a.h/b.cpp']) {
    assert.ok(!isRead(document('cpp', path)), path);
  }
  assert.ok(!isRead(document('objective-c', '/w/a.h')));
  assert.ok(!isRead(document('markdown', '/w/a.md')));
  assert.ok(!isRead(undefined));
});

test('the server is not started for C++ alone', () => {
  assert.ok(!isServerWanted([document('cpp', '/w/a.cpp'), document('markdown', '/w/a.md')]));
  assert.ok(isServerWanted([document('cpp', '/w/a.cpp'), document('cpp', '/w/a.h')]));
  assert.ok(isServerWanted([document('cpp', '/w/a.cpp'), document('c', '/w/a.c')]));
});

test('a command starts it without any file', () => {
  assert.ok(isServerWanted([document('markdown', '/w/a.md')]));
});

test('the extension is started by every language that it reads', () => {
  for (const { language } of DOCUMENTS) {
    assert.ok(manifest.activationEvents.includes(`onLanguage:${language}`), language);
  }
});

test('commands and menus are there in every document that is read', () => {
  const menus = Object.values(manifest.contributes.menus).flat() as readonly { when?: string }[];
  const conditions = [...manifest.contributes.commands, ...menus].map((each) => ('enablement' in each ? each.enablement : 'when' in each ? each.when : undefined));
  const ofLanguages = conditions.filter((each) => each?.includes('editorLangId'));
  assert.ok(ofLanguages.length >= 8);
  for (const condition of ofLanguages) {
    assert.match(condition ?? '', /editorLangId == c( |$)/);
    assert.match(condition ?? '', /editorLangId == cpp && resourceExtname == '\.h'/);
  }
});
