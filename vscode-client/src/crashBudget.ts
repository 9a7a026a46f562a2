/** How often a server that ends by itself is started again. */

export const MAX_CRASHES = 5;
export const CRASH_WINDOW_MS = 3 * 60 * 1000;

/** Counts crashes within a sliding window; time is given by the caller, in milliseconds. */
export class CrashBudget {
  private crashesMs: readonly number[] = [];

  /** Record a crash; whether the server should be started again. */
  crashed(nowMs: number): boolean {
    this.crashesMs = [...this.crashesMs.filter((thenMs) => nowMs - thenMs < CRASH_WINDOW_MS), nowMs];
    return this.crashesMs.length < MAX_CRASHES;
  }
}
