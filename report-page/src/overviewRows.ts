/** The rows of the overview: what stands in each column, how it is sorted, and what the filters leave. */

import type { Overview, ReportData } from './data';
import { plain } from './dom';
import { aboutTime, percent } from './format';
import { placesOf, type Place } from './places';

export interface Row extends Place {
  /** The verdict's word: that of the sentence. */
  word: string;
  bound: string;
  /** What to do: the word of the legend, and that word with the size's name. */
  step: string;
  stepText: string;
  /** Times of all its runs, in seconds; null where nobody can know. */
  nowS: number | null;
  allCoresS: number | null;
  gpuS: number | null;
  copiedS: number | null;
  gainS: number | null;
  /** Of the time of all loops; null of one that is counted in another. */
  share: number | null;
  partOf: string | null;
  isGainCounted: boolean;
  searched: string;
}

export type ColumnKey = 'place' | 'function' | 'word' | 'now' | 'cores' | 'gpu' | 'copied' | 'bound' | 'gain' | 'share' | 'step';

export interface Column {
  key: ColumnKey;
  title: string;
  meaning: string;
  isNumber: boolean;
  value: (row: Row) => number | string | null;
  text: (row: Row) => string;
}

export const NONE = '–';
export const NOT_ANALYSED = 'not analysed';

const timeOr = (seconds: number | null, { nest }: Row): string => (seconds === null ? NONE : `${aboutTime(seconds)}${nest.is_guessed ? '?' : ''}`);

export const COLUMNS: Column[] = [
  { key: 'place', title: 'Place', meaning: 'file and line of the loop', isNumber: false, value: (row) => row.text, text: (row) => row.text },
  { key: 'function', title: 'Function', meaning: 'the function that it stands in', isNumber: false, value: (row) => row.nest.function, text: (row) => row.nest.function },
  { key: 'word', title: 'Verdict', meaning: 'whether a port to the GPU is worth it', isNumber: false, value: (row) => row.word, text: (row) => row.word },
  { key: 'now', title: 'Now', meaning: 'predicted time as the code is written', isNumber: true, value: (row) => row.nowS, text: (row) => timeOr(row.nowS, row) },
  { key: 'cores', title: 'All cores', meaning: 'predicted time on all cores of the CPU', isNumber: true, value: (row) => row.allCoresS, text: (row) => timeOr(row.allCoresS, row) },
  { key: 'gpu', title: 'Data on the GPU', meaning: 'predicted time on the GPU, its data there already', isNumber: true, value: (row) => row.gpuS, text: (row) => timeOr(row.gpuS, row) },
  { key: 'copied', title: 'With copies', meaning: 'predicted time on the GPU with the copies there and back', isNumber: true, value: (row) => row.copiedS, text: (row) => timeOr(row.copiedS, row) },
  { key: 'bound', title: 'Bound by', meaning: 'what its kernel spends most of its time on', isNumber: false, value: (row) => row.bound || null, text: (row) => row.bound || NONE },
  { key: 'gain', title: 'Saves', meaning: 'what a port saves of the time now if the data stays on the GPU', isNumber: true, value: (row) => row.gainS, text: (row) => timeOr(row.gainS, row) },
  { key: 'share', title: 'Share', meaning: 'its part of the predicted time of all loops now', isNumber: true, value: (row) => row.share, text: (row) => (row.partOf === null ? (row.share === null ? NONE : row.share < 0.005 ? '< 1 %' : percent(row.share)) : `in ${row.partOf}()`) },
  { key: 'step', title: 'Do', meaning: 'what to do first', isNumber: false, value: (row) => row.stepText || null, text: (row) => row.stepText || NONE },
];

export interface Choice {
  sort: ColumnKey;
  isDescending: boolean;
  word: string;
  bound: string;
  step: string;
  text: string;
}

export const UNFILTERED = { word: '', bound: '', step: '', text: '' };
export const FIRST: Choice = { sort: 'gain', isDescending: true, ...UNFILTERED };

export function rowsOf(data: ReportData): Row[] {
  return placesOf(data.files).map((place) => rowOf(place, data.overview));
}

function rowOf(place: Place, overview: Overview): Row {
  const { nest } = place;
  const { stake, verdict } = nest;
  const runs = stake?.runs ?? 1;
  const times = (seconds: number | null) => (stake === null || seconds === null ? null : seconds * runs);
  const gpuS = times(nest.gpu_s);
  return {
    ...place,
    word: verdict?.word ?? NOT_ANALYSED,
    bound: nest.bound ?? '',
    step: nest.step?.kind ?? '',
    stepText: nest.step?.short ?? '',
    nowS: stake?.now_s ?? null,
    allCoresS: times(nest.all_cores_s),
    gpuS,
    copiedS: times(nest.copied_s),
    gainS: stake !== null && overview.listed_words.includes(verdict?.word ?? '') ? stake.gain_s : null,
    isGainCounted: stake !== null && !stake.is_ported_with && overview.worth_words.includes(verdict?.word ?? ''),
    share: stake === null || stake.part_of !== null || overview.now_s <= 0 ? null : stake.now_s / overview.now_s,
    partOf: stake?.part_of ?? null,
    searched: [place.file.path, place.text, nest.function, verdict?.word, verdict?.sentence, nest.reason, nest.bound, nest.step?.short, nest.step && plain(nest.step.long)].filter(Boolean).join('\n').toLowerCase(),
  };
}

export interface Left {
  shown: Row[];
  /** How many each filter takes out, of those that the ones before it leave. */
  hidden: { by: string; count: number }[];
}

export function filtered(rows: Row[], choice: Choice): Left {
  const wanted = choice.text.trim().toLowerCase();
  const filters: [string, (row: Row) => boolean][] = [
    ['by the verdict', (row) => choice.word === '' || row.word === choice.word],
    ['by what bounds them', (row) => choice.bound === '' || row.bound === choice.bound],
    ['by what to do', (row) => choice.step === '' || row.step === choice.step],
    ['by the search', (row) => wanted === '' || row.searched.includes(wanted)],
  ];
  let shown = rows;
  const hidden = filters.map(([by, keeps]) => {
    const kept = shown.filter(keeps);
    const count = shown.length - kept.length;
    shown = kept;
    return { by, count };
  });
  return { shown: sorted(shown, choice), hidden: hidden.filter(({ count }) => count > 0) };
}

/** By the chosen column; what it has nothing of comes last, equal ones by rank. By what is saved, most first, is by rank. */
export function sorted(rows: Row[], { sort, isDescending }: Choice): Row[] {
  const column = COLUMNS.find(({ key }) => key === sort);
  const byRank = [...rows].sort((a, b) => a.nest.rank - b.nest.rank);
  if (!column || (sort === FIRST.sort && isDescending === FIRST.isDescending)) return byRank;
  const direction = isDescending ? -1 : 1;
  return byRank.sort((a, b) => {
    const [one, other] = [column.value(a), column.value(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return direction * compare(one, other);
  });
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), 'en', { numeric: true });
}

/** The sums over rows, without what is counted in another one, and of gains those that are sure. */
export const totalNow = (rows: Row[]): number => rows.reduce((sum, row) => sum + (row.partOf === null ? (row.nowS ?? 0) : 0), 0);
export const totalGain = (rows: Row[]): number => rows.reduce((sum, row) => sum + (row.isGainCounted ? (row.gainS ?? 0) : 0), 0);

/** Values of the rows with how many have each, the most frequent first. */
export const counted = (rows: Row[], of: (row: Row) => string): [value: string, count: number][] => countedTexts(rows.map(of).filter(Boolean));

export function countedTexts(texts: string[]): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
