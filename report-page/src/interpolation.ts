/** Times at a size between those that were worked out: on the straight line between its neighbours, in logarithms. */

import type { BreakEven } from './data';

export type Curve = 'gpu_cold_s' | 'gpu_resident_s' | 'one_core_s' | 'all_cores_s';

export interface TimesAt {
  gpuS: number;
  cpuS: number;
  /** Whether one of them is between two that were worked out. */
  isInterpolated: boolean;
}

/** Undefined for a size beyond those that were worked out. */
export function timesAt(found: BreakEven, size: number, gpu: Curve, cpu: Curve): TimesAt | undefined {
  const at = found.sizes.indexOf(size);
  const gpuS = at >= 0 ? found[gpu][at] : between(found, size, gpu);
  const cpuS = at >= 0 ? found[cpu][at] : between(found, size, cpu);
  return gpuS === undefined || cpuS === undefined ? undefined : { gpuS, cpuS, isInterpolated: at < 0 };
}

function between(found: BreakEven, size: number, curve: Curve): number | undefined {
  const { sizes } = found;
  const after = sizes.findIndex((each) => each > size);
  if (after < 1) return undefined;
  const [x0, x1, y0, y1] = [sizes[after - 1]!, sizes[after]!, found[curve][after - 1]!, found[curve][after]!];
  // A time or a size of 0 has no logarithm: there the line is straight as it is.
  if (x0 <= 0 || y0 <= 0 || y1 <= 0) return y0 + ((y1 - y0) * (size - x0)) / (x1 - x0);
  const share = Math.log(size / x0) / Math.log(x1 / x0);
  return y0 * (y1 / y0) ** share;
}
