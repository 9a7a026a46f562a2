/** A what-if as a list that a person picks from (docs/what-if.md); the server may be of another version. */

import { time } from './comparisonAnswer';

export interface Changes {
  readonly sizes?: Readonly<Record<string, number>>;
  readonly gpu?: string;
  /** The name of one that was tried, `source` for the source's own order. */
  readonly mapping?: string;
  readonly block?: readonly number[];
  readonly workPerThread?: number;
  readonly shared?: readonly string[];
  readonly data?: 'cold' | 'resident';
}

type Json = Readonly<Record<string, unknown>>;

/** Something that can be changed: what it is now, and the values to choose from (empty: a whole number is typed in). */
export interface Choice {
  readonly label: string;
  readonly now: string;
  readonly note: string;
  readonly values: readonly { readonly label: string; readonly note: string; readonly change: Changes }[];
  /** The change to a typed number, where one is typed. */
  readonly typed?: (value: number) => Changes;
}

export interface WhatIf {
  readonly nest: Json | undefined;
  readonly before: string;
  readonly after: string;
  readonly differences: readonly string[];
  readonly problems: readonly string[];
  readonly choices: readonly Choice[];
  /** What other calls of the program set the sizes to. */
  readonly calls: readonly { readonly label: string; readonly note: string; readonly change: Changes }[];
}

export function whatIf(answer: unknown, changes: Changes): WhatIf {
  const found = object(answer);
  const choices = object(found['choices']);
  const kernel = object(list(choices['kernels'])[0]);
  const result = object(found['result']);
  const launch = object(list(result['kernels'])[0]);
  const choosable = [
    ...list(choices['parameters']).map((entry) => size(object(entry), changes)),
    gpus(list(choices['gpus']), object(object(result['profiles'])['gpu'])),
    mappings(list(choices['mappings']), changes.mapping),
    blocks(list(kernel['blocks']), launch['block']),
    outputs(list(kernel['outputs_per_thread']), changes.workPerThread),
    arrays(list(kernel['shared']), changes.shared),
    data(list(choices['data']), changes.data ?? 'cold'),
  ];
  return {
    nest: found['nest'] === null ? undefined : object(found['nest']),
    before: plain(object(found['base'])['headline']),
    after: plain(result['headline']),
    differences: list(found['differences']).map(plain),
    problems: list(found['problems']).map((problem) => plain(object(problem)['message'])),
    calls: list(choices['calls']).map((entry) => call(object(entry))),
    choices: choosable.filter(({ values, typed }) => values.length > 1 || typed !== undefined),
  };
}

/** Both, the second one's where they speak of the same. */
export function joined(first: Changes, second: Changes): Changes {
  return { ...first, ...second, ...(first.sizes || second.sizes ? { sizes: { ...first.sizes, ...second.sizes } } : {}) };
}

function call({ sizes, text, path, line }: Json): WhatIf['calls'][number] {
  const entries = Object.entries(object(sizes)).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const label = entries.map(([name, value]) => `${name} = ${value}`).join(', ');
  const file = plain(path).split(/[/\\]/).pop() ?? '';
  return { label, note: `${plain(text)} (${file}:${plain(line)})`, change: { sizes: Object.fromEntries(entries) } };
}

function size(parameter: Json, changes: Changes): Choice {
  const name = plain(parameter['name']);
  const now = changes.sizes?.[name] ?? parameter['value'];
  return { label: name, now: plain(now), note: plain(parameter['text']), values: [], typed: (value) => ({ sizes: { [name]: value } }) };
}

function gpus(entries: readonly unknown[], now: Json): Choice {
  const values = entries.map(object).map(({ id, name }) => ({ label: plain(name), note: plain(id), change: { gpu: plain(id) } }));
  return { label: 'GPU', now: plain(now['name']), note: '', values };
}

/** The tried ones with their times, fastest first. What is in force without a change the server marks. */
function mappings(entries: readonly unknown[], chosen: string | undefined): Choice {
  const listed = entries.map(object);
  const inForce = listed.find((each) => each['is_pinned'] === true) ?? listed.find((each) => each['is_recommended'] === true);
  const values = listed.map((each) => {
    const marks = [...(each['is_recommended'] === true ? ['recommended'] : []), ...(each['is_pinned'] === true ? ['pinned'] : [])];
    return { label: plain(each['name']), note: [...seconds(each['time_s']), ...marks].join(', '), change: { mapping: plain(each['name']) } };
  });
  return { label: 'mapping', now: chosen ?? plain(inForce?.['name']), note: 'which loops become threads, warps and blocks', values };
}

function blocks(entries: readonly unknown[], now: unknown): Choice {
  const values = entries.map(numbers).map((block) => ({ label: shape(block), note: '', change: { block } }));
  return { label: 'block', now: shape(numbers(now)), note: 'threads of a block', values };
}

function outputs(entries: readonly unknown[], now: number | undefined): Choice {
  const values = numbers(entries).map((each) => ({ label: String(each), note: '', change: { workPerThread: each } }));
  return { label: 'outputs per thread', now: now === undefined ? 'as predicted best' : String(now), note: '', values };
}

function arrays(entries: readonly unknown[], now: readonly string[] | undefined): Choice {
  const names = entries.map((entry) => plain(object(entry)['array']));
  const each = names.map((name) => ({ label: name, note: '', change: { shared: [name] } }));
  const all = names.length > 1 ? [{ label: names.join(', '), note: 'all', change: { shared: names } }] : [];
  const values = names.length === 0 ? [] : [{ label: 'none', note: '', change: { shared: [] } }, ...each, ...all];
  return { label: 'arrays in shared memory', now: now === undefined ? 'as predicted best' : now.join(', ') || 'none', note: '', values };
}

function data(entries: readonly unknown[], now: string): Choice {
  const notes: Record<string, string> = { cold: 'copied to the GPU and back', resident: 'on the GPU already' };
  const values = (['cold', 'resident'] as const)
    .filter((each) => entries.includes(each))
    .map((each) => ({ label: notes[each] ?? each, note: '', change: { data: each } }));
  return { label: 'data', now: notes[now] ?? now, note: '', values };
}

/** `32x8` of [32, 8, 1]. */
function shape(block: readonly number[]): string {
  const used = block[2] === 1 ? block.slice(0, block[1] === 1 ? 1 : 2) : block;
  return used.join('x');
}

function seconds(value: unknown): string[] {
  return typeof value === 'number' ? [time(value)] : [];
}

function numbers(value: unknown): number[] {
  return list(value).filter((each): each is number => typeof each === 'number');
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll('`', '') : '';
}
