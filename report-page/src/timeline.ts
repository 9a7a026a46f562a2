/** What the warps of one multiprocessor do in the simulation, a row each. */

import { barX } from '@observablehq/plot';
import { chart } from './chart';
import type { Interval, Timeline } from './data';
import { count, percent, time } from './format';
import { fill } from './patterns';

/** The pattern of each state, in the data's order. */
const LOOKS = [0, 1, 2, 3, 4];

export function timelineChart(timeline: Timeline): HTMLElement {
  const { states } = timeline;
  const used = states.reduce((sum, state) => sum + state.share, 0);
  const idle = Math.max(0, 1 - used);
  return chart({
    id: 'timeline',
    title: 'Warps on one multiprocessor',
    says: `In the simulation a warp ${states.filter((state) => state.share >= 0.005).map((state) => `${state.name} ${percent(state.share)}`).join(', ')} of its time${idle >= 0.005 ? `; ${percent(idle)} of the places have no warp` : ''}.`,
    legend: states.map((state, at) => ({ pattern: LOOKS[at] ?? at, text: `${state.name} (${percent(state.share)})`, meaning: state.meaning })),
    notes: [`${timeline.cut} ${states.map((state) => `${capital(state.name)}: ${state.meaning}`).join('. ')}.`],
    draw: (width) => drawing(width, timeline),
    table: {
      head: ['Place', 'Warp', 'State', 'From cycle', 'To cycle', 'Access'],
      rows: () => timeline.intervals.map(([place, warp, state, begin, end, access]) => [place, warp, states[state]?.name ?? '', count(begin), count(end), timeline.accesses[access] ?? '']),
    },
  });
}

function drawing(width: number, timeline: Timeline) {
  const rows = timeline.places;
  const byState = timeline.states.map((_, at) => timeline.intervals.filter((interval) => interval[2] === at));
  return {
    options: {
      height: 64 + Math.max(10, Math.min(26, 340 / rows.length)) * rows.length,
      marginBottom: 42,
      marginLeft: 44,
      marginRight: 16,
      marginTop: 22,
      x: { domain: [0, timeline.shown_cycles || 1], label: 'cycles →', tickFormat: (value: number) => count(value), ticks: Math.min(10, width / 90) },
      y: { type: 'band' as const, domain: rows, label: 'warp’s place', tickSize: 0, padding: 0.1, tickFormat: (value: number, at: number) => (rows.length > 14 && at % 2 ? '' : String(value)) },
      marks: byState.map((data, at) =>
        barX(data, {
          y: (interval: Interval) => interval[0],
          x1: (interval: Interval) => interval[3],
          x2: (interval: Interval) => interval[4],
          fill: fill(LOOKS[at] ?? at),
          stroke: 'var(--bg)',
          strokeWidth: 0.5,
          className: `state-${at}`,
        }),
      ),
    },
    layers: byState.map((data, at) => ({
      className: `state-${at}`,
      labels: data.map((interval) => label(timeline, interval)),
      order: data.map((interval) => rows.indexOf(interval[0]) * 2 * (timeline.shown_cycles + 1) + interval[3]),
    })),
  };
}

function label(timeline: Timeline, [place, warp, state, begin, end, access]: Interval): string {
  const what = timeline.states[state]?.name ?? '';
  const accessed = timeline.accesses[access];
  const took = time((end - begin) / timeline.clock_hz);
  return `Warp ${warp} (place ${place}) ${what}\n${count(begin)} to ${count(end)} cycles, ${took}${accessed ? `\n\`${accessed.replaceAll('`', '')}\`` : ''}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
