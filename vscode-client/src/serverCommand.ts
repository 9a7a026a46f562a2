/** From the setting `warplens.server.path` to the absolute path of an executable. */

import type { PlatformPath } from 'node:path';

export interface Machine {
  readonly path: PlatformPath;
  readonly home: string;
  /** Folders of PATH in order. */
  readonly searchPath: readonly string[];
  /** What a command's name may end with: `['']`, on Windows also `.exe` and `.com`. */
  readonly suffixes: readonly string[];
  readonly isExecutable: (file: string) => boolean;
}

/**
 * The file to run, absolute, or undefined where there is none.
 *
 * A name is searched in PATH's absolute folders only: with a relative one, or with the platform's own search on
 * Windows, the folder that happens to be current could supply the program.
 */
export function resolveCommand(configured: string, workspaceFolder: string | undefined, machine: Machine): string | undefined {
  const { path } = machine;
  const command = expand(configured.trim(), workspaceFolder, machine);
  if (command === undefined || command === '') {
    return undefined;
  }
  let candidates: string[];
  if (path.isAbsolute(command)) {
    candidates = [command];
  } else if (command.includes('/') || command.includes(path.sep)) {
    candidates = workspaceFolder === undefined ? [] : [path.join(workspaceFolder, command)];
  } else {
    candidates = machine.searchPath.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, command));
  }
  return candidates
    .flatMap((candidate) => machine.suffixes.map((suffix) => candidate + suffix))
    .find((candidate) => machine.isExecutable(candidate));
}

function expand(command: string, workspaceFolder: string | undefined, { home, path }: Machine): string | undefined {
  if (command === '~' || command.startsWith('~/') || command.startsWith(`~${path.sep}`)) {
    return path.join(home, command.slice(1));
  }
  if (!command.includes('${workspaceFolder}')) {
    return command;
  }
  return workspaceFolder === undefined ? undefined : command.replaceAll('${workspaceFolder}', () => workspaceFolder);
}
