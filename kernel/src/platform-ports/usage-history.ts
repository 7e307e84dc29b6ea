/** What an app used at one moment. A value that was not measured is left out. */
export interface AppUsageSample {
  readonly appName: string;
  /** Processors in use on average since the sample before. */
  readonly cpu?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly databaseBytes?: number | undefined;
}

/** What the apps used within the last hour. */
export interface UsageHistory {
  /** Stores the samples of one moment. */
  append(samples: readonly AppUsageSample[]): Promise<void>;
}
