// Bundles the tests (Node 20 runs no TypeScript) and gives them to Node's own test runner.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
rmSync('out/test', { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: 'out/test',
  bundle: true,
  sourcemap: 'inline',
  platform: 'node',
  format: 'cjs',
  target: 'node20',
});
const files = tests.map((name) => `out/test/${name.replace(/\.ts$/, '.js')}`);
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
