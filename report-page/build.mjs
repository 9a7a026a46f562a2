// Bundles the page into ../server/report_page, where it is committed; with --check it only compares.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const target = join(import.meta.dirname, '..', 'server', 'report_page');
const { metafile, outputFiles } = await build({
  entryPoints: { page: join(import.meta.dirname, 'src', 'page.ts'), 'page-style': join(import.meta.dirname, 'src', 'page.css') },
  absWorkingDir: import.meta.dirname,
  outdir: target,
  bundle: true,
  minify: true,
  charset: 'ascii',
  format: 'iife',
  legalComments: 'none',
  metafile: true,
  target: ['chrome114', 'firefox115', 'safari16'],
  write: false,
});

const files = new Map();
for (const { path, text } of outputFiles) {
  files.set(path.endsWith('.css') ? 'page.css' : 'page.js', text);
}
files.set('THIRD-PARTY-NOTICES.txt', notices());

if (process.argv.includes('--check')) {
  const stale = [...files].filter(([name, text]) => !existsSync(join(target, name)) || readFileSync(join(target, name), 'utf8') !== text);
  if (stale.length > 0) {
    console.error(`server/report_page: ${stale.map(([name]) => name).join(', ')} is not what report-page builds: run "npm run build" there`);
    process.exitCode = 1;
  }
} else {
  for (const [name, text] of files) {
    writeFileSync(join(target, name), text);
  }
}

/** The licences of the packages in the bundle. */
function notices() {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const parts = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (parts) packages.add(join(import.meta.dirname, parts[1]));
  }
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file: it cannot be shipped`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
