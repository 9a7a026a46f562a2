// Bundles the extension into dist/extension.js, and the licences of the packages in it into dist/THIRD-PARTY-NOTICES.txt.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  metafile: true,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const parts = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (parts) packages.add(parts[1]);
}
const notices = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file: it cannot be shipped`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
});
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
