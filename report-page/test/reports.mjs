/** Reports as the command writes them, in a folder that is removed at the end. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
export const WARPLENS = process.env.WARPLENS ?? join(ROOT, '.venv', 'bin', 'warplens');
const folder = mkdtempSync(join(tmpdir(), 'warplens-report-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A name and a text that would be markup anywhere they were not taken as text. */
export const HOSTILE = '<img src=x onerror=alert(1)>&amp;\u202e';

/** How the page shows it: what would reorder the text is an escape. */
export const HOSTILE_SHOWN = HOSTILE.replace('\u202e', '\\u202e');

const HOSTILE_C = `#line 1 "<script>alert(2)</script>\u2028.c"
/* </script><script>alert(3)</script> <!-- */
void naïve(int größe, double *restrict Ψ, const double *restrict b) {
  for (int i = 0; i < größe; i++)
    Ψ[i] = b[i] < 0 && b[i] > -1 ? 0 : 2 * b[i];
}
int odd(int n, int *a) { for (int i = 0; i < n; i++) asm("</script><img src=x onerror=alert(4)>"); return a[0]; }
`;

/** A page's address, once it is a file. */
export function saved(name, html) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, html);
  return `file://${path}`;
}

/** The page's path and its data as they stand in the file. */
export function report(name, files, options = []) {
  const path = join(folder, `${name}.html`);
  execFileSync(WARPLENS, ['report', ...files, '-o', path, '--no-progress', ...options], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const html = readFileSync(path, 'utf8');
  const data = JSON.parse(/<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(html)[1]);
  return { url: `file://${path}`, html, data };
}

export const examples = () => report('examples', ['examples/heat2d.c', 'examples/matrix.c'], ['--gpus', 'v100,h100']);

export function hostile() {
  const inside = join(folder, HOSTILE.replaceAll('/', ''));
  mkdirSync(inside);
  const file = join(inside, `${HOSTILE.replaceAll('/', '')}.c`);
  writeFileSync(file, HOSTILE_C);
  return report('hostile', [file], ['--gpus', '']);
}
