/** Where a loop stands, as people write it and as the page's address has it: `heat2d.c:26`. */

import type { FileData, NestData } from './data';

export interface Place {
  file: FileData;
  nest: NestData;
  /** `heat2d.c:26`: of two loops of one line the second is `heat2d.c:26:2`. */
  text: string;
}

const AT_LINE = /^(.+?):(\d+)(?::(\d+))?$/;

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

/** What an address names: a line of a file, inside a loop or its first one, or a function. */
export function placeAt(places: Place[], hash: string): Place | undefined {
  const wanted = decoded(hash.replace(/^#/, ''));
  if (wanted === '') return undefined;
  const same = places.find((place) => place.text === wanted);
  if (same) return same;
  const [, path, line] = AT_LINE.exec(wanted) ?? [];
  if (path !== undefined && line !== undefined) {
    const of = places.filter((place) => isNamed(place.file.path, path));
    return around(of, Number(line)) ?? of.find(({ nest }) => nest.function === line);
  }
  const name = wanted.replace(/\(\)$/, '');
  return places.find(({ nest }) => nest.function === name);
}

/** The loop that a line stands in. */
export const around = (places: Place[], line: number): Place | undefined => places.find(({ nest }) => nest.line <= line && line <= nest.last_line);

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
