/** What the status-bar item says. */

export type ServerState = 'starting' | 'running' | 'stopped' | 'failed';

export interface StatusView {
  readonly text: string;
  readonly tooltip: string;
  readonly warning: boolean;
}

export function statusView(state: ServerState, gpu: string): StatusView {
  switch (state) {
    case 'running':
      return {
        text: `$(circuit-board) ${gpu}`,
        tooltip: `Warplens predicts for ${gpu}; a .warplens.toml beside the code may name another GPU. Click to choose.`,
        warning: false,
      };
    case 'starting':
      return { text: `$(loading~spin) ${gpu}`, tooltip: 'Warplens: the server is starting.', warning: false };
    case 'stopped':
    case 'failed':
      return {
        text: `$(warning) ${gpu}`,
        tooltip: `Warplens: the server ${state === 'failed' ? 'could not be kept running' : 'is not running'}. Click for what can be done.`,
        warning: true,
      };
  }
}
