/** How one test ended. */
export interface CaseResult {
  /** Its own name after those of the suites around it. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly error?: string;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** How one test file ended. */
export interface FileResult {
  /** Path from the repository's root, and the variant where the file has several. */
  readonly file: string;
  readonly cases: readonly CaseResult[];
  readonly seconds: number;
  /** What its process wrote. */
  readonly output: string;
}
