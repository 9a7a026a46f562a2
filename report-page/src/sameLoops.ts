/** Which loop of a new report is one of the report before, and what is known of it already. */

import type { NestData } from './data';
import type { Place } from './places';

export const sameIn = (places: Place[], before: Place): Place | undefined => places.find(({ file, nest }) => file.path === before.file.path && nest.function === before.nest.function && nest.ordinal === before.nest.ordinal);

/** Whether its details are what they were, but for what they say of a break-even. */
export const hasSameContent = (one: NestData, other: NestData): boolean => one.content !== undefined && one.content === other.content;

/** Hands on the details of loops that are what they were; those that a break-even was found of since are returned. */
export function takeOver(before: Place[], now: Place[]): NestData[] {
  const older = [];
  for (const place of before) {
    const nest = sameIn(now, place)?.nest;
    if (!nest || !hasSameContent(place.nest, nest)) continue;
    nest.gpus ??= place.nest.gpus;
    nest.detail ??= place.nest.detail;
    if (nest.break_even && !place.nest.break_even) older.push(nest);
  }
  return older;
}
