/** What the containers of one app use together. During a switch it has two. */
export interface AppUsage {
  readonly appName: string;
  readonly memoryBytes: number;
  /** Undefined if memory is not limited. */
  readonly memoryLimitBytes: number | undefined;
  /** Since the start of each container. */
  readonly cpuSeconds: number;
}

/** Adds up samples by app. The limit is undefined if a container of the app has none. */
export function usageByApp(samples: Iterable<AppUsage>): readonly AppUsage[] {
  const byApp = new Map<string, AppUsage>();
  for (const sample of samples) {
    const known = byApp.get(sample.appName);
    byApp.set(sample.appName, known ? sumOf(known, sample) : sample);
  }
  return [...byApp.values()];
}

function sumOf(left: AppUsage, right: AppUsage): AppUsage {
  const [one, other] = [left.memoryLimitBytes, right.memoryLimitBytes];
  return {
    appName: left.appName,
    memoryBytes: left.memoryBytes + right.memoryBytes,
    memoryLimitBytes: one === undefined || other === undefined ? undefined : one + other,
    cpuSeconds: left.cpuSeconds + right.cpuSeconds,
  };
}
