/** Whether a schedule starts runs: the app wants it, and no user paused it. */
export function isActive({ enabled, paused }: { readonly enabled: boolean; readonly paused: boolean }): boolean {
  return enabled && !paused;
}
