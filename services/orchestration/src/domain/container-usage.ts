/** What the containers of one app use together. During a switch it has two. */
export interface AppMemory {
  readonly appName: string;
  readonly memoryBytes: number;
  /** Undefined if memory is not limited. */
  readonly memoryLimitBytes: number | undefined;
}

export interface AppUsage extends AppMemory {
  /** Processor time since this orchestrator began to measure the app, and before that of the containers that ran then. */
  readonly cpuSeconds: number;
}

/** Adds up samples by app. The limit is undefined if a container of the app has none. */
export function memoryByApp(samples: Iterable<AppMemory>): readonly AppMemory[] {
  const byApp = new Map<string, AppMemory>();
  for (const sample of samples) {
    const known = byApp.get(sample.appName);
    byApp.set(sample.appName, known ? sumOf(known, sample) : sample);
  }
  return [...byApp.values()];
}

function sumOf(left: AppMemory, right: AppMemory): AppMemory {
  const [one, other] = [left.memoryLimitBytes, right.memoryLimitBytes];
  return {
    appName: left.appName,
    memoryBytes: left.memoryBytes + right.memoryBytes,
    memoryLimitBytes: one === undefined || other === undefined ? undefined : one + other,
  };
}
