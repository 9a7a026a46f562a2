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

/** A time against another one, with the direction in words. */
export function factor(ratio: number): string {
  if (ratio < 1 / 1.02) return `${digits(1 / ratio)}x slower`;
  return ratio < 1.02 ? 'as fast' : `${digits(ratio)}x faster`;
}

export function between([least, most]: [number, number]): string {
  return `9 of 10 between ${time(least)} and ${time(most)}`;
}

/** An axis' ticks: 1e-4 is "100 µs". */
export const timeTick = (seconds: number): string => time(seconds);
