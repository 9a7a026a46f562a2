import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import manifest from '../package.json';
import { COMMANDS, SECTION } from '../src/names';

const properties: Record<string, { scope: string; default: unknown }> = manifest.contributes.configuration.properties;
const readme = readFileSync('README.md', 'utf8');

test('the commands of the manifest are those of the code', () => {
  const contributed = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual([...contributed].sort(), Object.values(COMMANDS).sort());
});

test('every setting is in the section and described in the README with its default', () => {
  for (const [name, { default: value }] of Object.entries(properties)) {
    assert.ok(name.startsWith(`${SECTION}.`), name);
    assert.ok(readme.includes(`| \`${name}\` | \`${JSON.stringify(value)}\` |`), `${name}: ${JSON.stringify(value)}`);
  }
});

test('the README describes no setting that does not exist', () => {
  const described = [...readme.matchAll(/^\| `(warplens\.[^`]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(described.sort(), Object.keys(properties).sort());
});

test('a workspace that is not trusted cannot choose what is run or read', () => {
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const name of restricted) {
    assert.ok(name in properties, name);
  }
  for (const name of ['warplens.server.path', 'warplens.server.args', 'warplens.includePaths']) {
    assert.ok(restricted.includes(name), name);
  }
});

test('where the server is lies with the machine', () => {
  for (const [name, { scope }] of Object.entries(properties)) {
    assert.equal(scope === 'machine-overridable', name.startsWith('warplens.server.'), name);
  }
});

test('the types that are compiled against are not newer than the editor asked for', () => {
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode']}`);
});

test('no address of a registry is in the lock file', () => {
  assert.doesNotMatch(readFileSync('package-lock.json', 'utf8'), /"resolved"/);
});
