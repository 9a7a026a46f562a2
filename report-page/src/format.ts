/** Numbers for people; the same rounding as the hover's: three digits, a unit that fits. */

const PREFIXES: [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

export function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** 0.000201 is "201 µs". */
export function time(seconds: number): string {
  if (seconds === 0) return '0 s';
  for (const [scale, unit] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']] as [number, string][]) {
    if (seconds >= scale * 0.9995) return `${digits(seconds / scale)} ${unit}`;
  }
  return `${digits(seconds * 1e9)} ns`;
}

/** As far as a prediction is known: two digits, as the sentences have it. */
export const aboutTime = (seconds: number): string => (seconds > 0 ? time(Number(seconds.toPrecision(2))) : '0 s');

/** With a decimal prefix: "3.34 TB/s". */
export function rate(perSecond: number, unit: string): string {
  for (const [scale, prefix] of PREFIXES) {
    if (perSecond >= scale) return `${digits(perSecond / scale)} ${prefix}${unit}`;
  }
  return `${digits(perSecond)} ${unit}`;
}

/** With a binary prefix: "128 MiB". */
export function bytes(size: number): string {
  for (const [power, prefix] of [[3, 'Gi'], [2, 'Mi'], [1, 'Ki']] as [number, string][]) {
    if (size >= 1024 ** power) return `${digits(size / 1024 ** power)} ${prefix}B`;
  }
  return `${digits(size)} B`;
}

/** "16 760 836": thin groups, as in the hover. */
export function count(value: number): string {
  const text = String(Math.round(value));
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, ' ');
}

export function percent(share: number): string {
  return share > 0 && share < 0.005 ? 'less than 1 %' : `${Math.round(share * 100)} %`;
}

/** "1 loop", "3 loops". */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

const STEPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The nearest round number of a ratio above 0, as the verdict's sentence has it (analysis/text/rounded.py). */
function roundRatio(ratio: number): number {
  const scale = 10 ** Math.floor(Math.log10(ratio));
  const distance = (step: number) => Math.abs(Math.log10(step / (ratio / scale)));
  const nearest = STEPS.reduce((best, step) => (distance(step) < distance(best) ? step : best));
  return Number((nearest * scale).toPrecision(2));
}

/** A time against another one, with the direction in words: as far as it is known. */
export function factor(ratio: number): string {
  if (!(ratio > 0) || !Number.isFinite(ratio)) return '';
  if (roundRatio(ratio) === 1) return 'as fast';
  const times = roundRatio(ratio > 1 ? ratio : 1 / ratio);
  return `${Number.isInteger(times) ? count(times) : times}x ${ratio > 1 ? 'faster' : 'slower'}`;
}

/** "about 3x faster". */
export const speed = (ratio: number): string => `about ${factor(ratio)}`;

/** "about 3x faster than one core". */
export const compared = (ratio: number, than: string): string => `${speed(ratio)} ${factor(ratio) === 'as fast' ? 'as' : 'than'} ${than}`;

export function between([least, most]: [number, number]): string {
  return `9 of 10 between ${time(least)} and ${time(most)}`;
}

/** An axis' ticks: 1e-4 is "100 µs". */
export const timeTick = (seconds: number): string => time(seconds);
