/** The result of one test. */
export interface CaseResult {
  /** Its name, preceded by the names of its suites. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly error?: string;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** The result of one test file. */
export interface FileResult {
  /** Path from the repository's root, and the variant if the file has several. */
  readonly file: string;
  readonly cases: readonly CaseResult[];
  readonly seconds: number;
  /** The output of its process. */
  readonly output: string;
}
