/** Where a loop stands, as people write it and as the page's address has it: `heat2d.c:26`. */

import type { FileData, NestData } from './data';

export interface Place {
  file: FileData;
  nest: NestData;
  /** `heat2d.c:26`: of two loops of one line the second is `heat2d.c:26:2`. */
  text: string;
}

const IN_FILE = /^(.+?):(?:(\d+)(?::\d+)?|([^:/\\]+?)(?:\(\))?)$/;

const BESIDE_LINES = 3;

/** On systems with `/` a backslash is part of a name. */
const partsOf = (path: string): string[] => path.split(path.startsWith('/') ? '/' : /[\\/]/);

export const fileName = (path: string): string => partsOf(path).at(-1) ?? path;

export const nestName = (nest: NestData): string => (nest.function ? `${nest.function}(), line ${nest.line}` : `line ${nest.line}`);

/** Every loop with its place; files of one name are told apart by as many folders as that takes. */
export function placesOf(files: FileData[]): Place[] {
  const names = files.map((file) => shortest(file.path, files));
  const used = new Map<string, number>();
  return files.flatMap((file, at) =>
    file.nests.map((nest) => {
      const text = `${names[at]}:${nest.line}`;
      const count = (used.get(text) ?? 0) + 1;
      used.set(text, count);
      return { file, nest, text: count > 1 ? `${text}:${count}` : text };
    }),
  );
}

/** The address' last part for a place; no `#`. */
export const hashOf = (place: Place): string => encodeURIComponent(place.text).replaceAll('%2F', '/').replaceAll('%3A', ':');

/** What an address names: a line in or beside a loop, `heat2d.c:26`, or a function, `step` or `heat2d.c:step`. */
export function placeAt(places: Place[], hash: string): Place | undefined {
  const wanted = decoded(hash.replace(/^#/, ''));
  if (wanted === '') return undefined;
  const same = places.find((place) => place.text === wanted);
  if (same) return same;
  const [, path, line, named] = IN_FILE.exec(wanted) ?? [];
  if (path !== undefined) {
    const of = places.filter((place) => isNamed(place.file.path, path));
    return line === undefined ? of.find(({ nest }) => nest.function === named) : (around(of, Number(line)) ?? beside(of, Number(line)));
  }
  const name = wanted.replace(/\(\)$/, '');
  return places.find(({ nest }) => nest.function === name);
}

/** The loop that a line stands in. */
export const around = (places: Place[], line: number): Place | undefined => places.find(({ nest }) => nest.line <= line && line <= nest.last_line);

/** The closest loop that a line stands just above or below, as a function's first and last lines do. */
function beside(places: Place[], line: number): Place | undefined {
  const distance = ({ nest }: Place) => Math.max(nest.line - line, line - nest.last_line);
  return places.filter((place) => distance(place) <= BESIDE_LINES).sort((a, b) => distance(a) - distance(b))[0];
}

const isNamed = (path: string, wanted: string): boolean => path === wanted || path.endsWith(`/${wanted}`) || path.endsWith(`\\${wanted}`);

function shortest(path: string, files: FileData[]): string {
  const parts = partsOf(path);
  for (let count = 1; count < parts.length; count++) {
    const end = parts.slice(-count).join('/');
    if (files.every((other) => other.path === path || !isNamed(partsOf(other.path).join('/'), end))) return end;
  }
  return path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
