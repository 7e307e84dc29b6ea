/** A summary of all apps that differs after every change of any of them. */
export interface AppsSummary {
  readonly count: number;
  /** The sum of all row versions. */
  readonly rowVersions: number;
  /** When the newest app was registered, in milliseconds since the epoch; 0 if there is none. */
  readonly newestAt: number;
}
