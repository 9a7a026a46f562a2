/** The server's answer to `warplens/compareGpus` (docs/compare.md), as rows of a picker. */

export interface ComparedGpu {
  /** What the setting `warplens.gpu` would say. */
  readonly id: string;
  readonly name: string;
  readonly isCurrent: boolean;
  /** Both times. */
  readonly times: string;
  /** Speedups, the launch, from which sizes on it wins, what bounds it. */
  readonly detail: string;
}

export interface Comparison {
  readonly gpus: readonly ComparedGpu[];
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/** What can be used of an answer; it may be of another version, so nothing about it is taken for granted. */
export function comparison(answer: unknown): Comparison {
  const { gpus, notes, problems } = fields(answer);
  return { gpus: list(gpus).flatMap(compared), notes: texts(notes), problems: texts(problems) };
}

function compared(entry: unknown): ComparedGpu[] {
  const { gpu, name, is_current, cold_s, resident_s, cpu_s, against, bound, launch, break_even } = fields(entry);
  if (typeof gpu !== 'string' || gpu === '' || !isTime(cold_s) || !isTime(resident_s)) {
    return [];
  }
  const speedups = isTime(cpu_s) && typeof against === 'string' ? [`${ratio(cpu_s / resident_s)}, with copies ${ratio(cpu_s / cold_s)} vs ${against}`] : [];
  const [resident, cold] = texts(break_even);
  const wins = resident === undefined || cold === undefined ? [] : [`faster than the CPU ${resident}, with copies ${cold}`];
  const said = [launch, ...wins, bound].filter((text): text is string => typeof text === 'string' && text !== '');
  return [
    {
      id: gpu,
      name: typeof name === 'string' && name !== '' ? name : gpu,
      isCurrent: is_current === true,
      times: `${time(resident_s)}, with copies ${time(cold_s)}`,
      detail: [...speedups, ...said].join('; '),
    },
  ];
}

/** Seconds to three digits, as the server writes them. */
export function time(seconds: number): string {
  const unit = UNITS.find(({ least }) => seconds >= least) ?? { least: 1e-9, name: 'ns' };
  return `${digits(seconds / unit.least, 3)} ${unit.name}`;
}

const UNITS = [
  { least: 1, name: 's' },
  { least: 1e-3, name: 'ms' },
  { least: 1e-6, name: 'µs' },
];

function ratio(value: number): string {
  return `${digits(value, 2)}x`;
}

function digits(value: number, count: number): string {
  return String(Number(value.toPrecision(count)));
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): readonly string[] {
  return list(value).filter((each): each is string => typeof each === 'string');
}
