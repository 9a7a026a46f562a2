/** The GPUs that the server knows, and where a choice among them is kept. */

export interface GpuProfile {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

/** The usable entries of the server's answer; it may be of another version, so nothing about it is taken for granted. */
export function gpuProfiles(answer: unknown): readonly GpuProfile[] {
  if (!Array.isArray(answer)) {
    return [];
  }
  return answer.flatMap((entry: unknown): GpuProfile[] => {
    if (typeof entry !== 'object' || entry === null) {
      return [];
    }
    const { id, name, detail } = entry as Record<string, unknown>;
    if (typeof id !== 'string' || id === '') {
      return [];
    }
    return [{ id, name: typeof name === 'string' && name !== '' ? name : id, detail: typeof detail === 'string' ? detail : '' }];
  });
}

/** The name to show for a profile: its own, or the setting's text where the server is silent or does not know it. */
export function gpuName(profiles: readonly GpuProfile[], id: string): string {
  return profiles.find((profile) => profile.id === id)?.name ?? id;
}

export type SettingLevel = 'folder' | 'workspace' | 'user';

/** The level a new value must be written to in order to take effect: the most specific one that has a value now. */
export function levelToWrite(current: { readonly workspaceFolderValue?: unknown; readonly workspaceValue?: unknown } | undefined): SettingLevel {
  if (current?.workspaceFolderValue !== undefined) {
    return 'folder';
  }
  return current?.workspaceValue !== undefined ? 'workspace' : 'user';
}
