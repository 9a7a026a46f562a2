/** The page's data as server/report_page writes it (docs/report.md); numbers have their unit in the name. */

import type { MappingTime } from './mappings';

export type Range = [least: number, most: number];

export interface ReportData {
  version: number;
  warplens: string;
  machine: Machine;
  overview: Overview;
  /** What the verdicts' words mean. */
  words: Record<string, string>;
  /** What the words for the next step mean. */
  steps: Record<string, string>;
  files: FileData[];
  /** Of a command that asks the same of a loop, as a shell takes them. */
  options: string;
  glossary: Term[];
  ledger: string;
}

/** The time of all loops, and what porting those that are worth it saves: sums of `stake`, without what is counted in another loop. */
export interface Overview {
  sentence: string;
  counting: string;
  now_s: number;
  gain_s: number;
  /** Verdicts of loops that are worth porting, of those that may be too, and all that leave nothing open. */
  worth_words: string[];
  listed_words: string[];
  decided_words: string[];
}

export interface Term {
  name: string;
  forms: string[];
  meaning: string;
}

export interface Machine {
  gpu: { id: string; name: string; roofs: Roof[]; launch_overhead_s: number; profile: ProfileValue[] };
  cpu: { id: string; name: string; cores: number; profile: ProfileValue[] };
}

export interface Roof {
  kind: 'bandwidth' | 'computation';
  name: string;
  per_s: number;
  profile_key: string;
}

export interface ProfileValue {
  key: string;
  value: string;
  unit: string;
  kind: string;
  source: string;
  measured_on: string;
}

export interface FileData {
  path: string;
  preprocessor: string;
  nests: NestData[];
  opaque: { line: number; reason: string }[];
  problems: { line: number; message: string }[];
}

export interface NestData {
  function: string;
  ordinal: number;
  line: number;
  last_line: number;
  failure: string | null;
  /** The line above the loop in an editor. */
  headline: string | null;
  /** Null of one that was not analysed. */
  verdict: Verdict | null;
  /** Times of one run on all cores and on the GPU, null where nobody can know. */
  all_cores_s: number | null;
  gpu_s: number | null;
  copied_s: number | null;
  /** Whether its times are of a size that is guessed. */
  is_guessed: boolean;
  bound: string | null;
  /** What to do first; null where there is nothing to do. */
  step: Step | null;
  /** Why it is open, or not worth it, in words that many loops share. */
  reason: string | null;
  /** Null where nobody can know its time. */
  stake: Stake | null;
  /** From 0, by what a port saves, as `warplens check` lists them. */
  rank: number;
  kernels: RooflineKernel[];
  /** The same as long as the details are, but for a break-even; only a host's nests have it. */
  content?: string;
  detail: Detail | null;
  gpus: ComparedGpu[] | null;
  break_even: BreakEven | null;
  findings: { code: string; severity: string; message: string; line: number }[];
}

/** Whether it is worth porting, in the words of every view. */
export interface Verdict {
  word: string;
  sentence: string;
  comparison: string | null;
  against: 'one core' | 'all cores';
  now: 'one core' | 'all cores' | 'GPU';
}

/** `kind` is a word of `steps`, `short` that word with the size's name, `long` a phrase with `code`. */
export interface Step {
  kind: string;
  short: string;
  long: string;
}

/** Of all `runs` of a loop; the time of one that another function's loop calls is counted there, and so may its gain be. */
export interface Stake {
  now_s: number;
  gain_s: number;
  runs: number;
  part_of: string | null;
  is_ported_with: boolean;
}

/** A nest's part of the data with changes, in place of what the report has of it. */
export interface ChangedNest {
  verdict: Verdict;
  kernels: RooflineKernel[];
  detail: Detail;
}

export interface RooflineKernel {
  line: number;
  time_s: number;
  launches: number;
  bound: string;
  peak: string;
  flops: number;
  flops_per_s: number;
  dram_bytes: number;
  l2_bytes: number;
  dram_flops_per_byte: number | null;
  l2_flops_per_byte: number | null;
}

export interface Detail {
  gpu: { id: string; name: string; roofs: Roof[] };
  card: Card;
  sizes: { name: string; text: string; value: number; is_assumed: boolean }[];
  grounds: Grounds;
  cpu: { name: string; cores: number; one_core_s: number; all_cores_s: number; bound_by: string };
  offload: Offload | null;
  mappings: MappingTime[];
  kernels: Kernel[];
}

/** What the numbers rest on; without a ground no view compares them with the CPU. */
export interface Grounds {
  has_ground: boolean;
  guesses: { name: string; value: number }[];
}

export interface Card {
  headline: string;
  rows: [name: string, value: string][];
  sections: { title: string; items: string[]; table: string[][] }[];
  footer: string;
}

export interface Offload {
  kernels_s: number;
  kernels_range_s: Range | null;
  launch_overhead_s: number;
  host_s: number;
  transfer_in_s: number;
  transfer_out_s: number;
  context_init_s: number;
  bytes_in: number;
  bytes_out: number;
  cold_s: number;
  resident_s: number;
  speedup_cold_vs_one_core: number | null;
  speedup_resident_vs_one_core: number | null;
  speedup_cold_vs_all_cores: number | null;
  speedup_resident_vs_all_cores: number | null;
}

export interface Kernel {
  line: number;
  launches: number;
  time_s: number;
  range_s: Range | null;
  is_short: boolean;
  launch: { block: number[]; outputs_per_thread: number[]; shared_arrays: string[]; text: string };
  bound: string;
  occupancy: number;
  models: ModelTime[];
  launches_map: LaunchMap | null;
  benefits: { kind: string; share: number; time_s: number; how: string }[];
  timeline: Timeline;
}

export interface ModelTime {
  model: string;
  name: string;
  is_chosen: boolean;
  time_s: number;
  range_s: Range | null;
  error: { family: string; low: number; high: number; mape: number; measurements: number; gpus: string[] } | null;
  bound_by: string;
  breakdown: { part: string; time_s: number }[];
}

export type Cell = [threadsPerBlock: number, outputsPerThread: number, timeS: number, ratio: number, band: number];

export interface LaunchMap {
  model: string;
  x_label: string;
  y_label: string;
  threads_per_block: number[];
  outputs_per_thread: number[];
  bands: { label: string; colour: string; text_colour: string }[];
  cells: Cell[];
  best: [number, number] | null;
  current: [number, number] | null;
  current_origin: string | null;
  searched: number;
  possible: number;
  reasons: string[];
}

export type Interval = [place: number, warp: number, state: number, begin: number, end: number, access: number];

export interface Timeline {
  clock_hz: number;
  states: { name: string; meaning: string; share: number }[];
  accesses: string[];
  places: number[];
  resident_warps: number;
  warps_per_block: number;
  simulated_warps: number;
  shown_cycles: number;
  simulated_cycles: number;
  intervals: Interval[];
  cut: string;
}

export interface ComparedGpu {
  gpu: string;
  name: string;
  offload: Offload | null;
  launch: string;
  bound: string;
  model: string;
  values_assumed: number;
}

/** From which size the GPU is faster; times in seconds at each of `sizes`. */
export interface BreakEven {
  name: string;
  why_not: string | null;
  /** From which size, in the hover's words: against one core, against all. */
  says?: string[];
  current: number;
  least: number;
  most: number;
  ends_at: string;
  others: [name: string, value: number][];
  wins: { data: 'resident' | 'cold'; cores: 'one core' | 'all cores'; size: number | null; earliest: number | null; latest: number | null }[];
  has_band: boolean;
  sizes: number[];
  gpu_cold_s: number[];
  gpu_resident_s: number[];
  one_core_s: number[];
  all_cores_s: number[];
  resident_band_s: Range[];
}
