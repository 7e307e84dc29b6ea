/** The result of one test. */
export interface CaseResult {
  /** Its name, preceded by the names of its suites. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly error?: string;
  /** Set if it could not run because a hook of its suite failed. The suite has its own result with the error. */
  readonly isCancelled?: true;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** The result of one test file. */
export interface FileResult {
  /** Path from the repository's root, and the variant if the file has several. */
  readonly file: string;
  readonly cases: readonly CaseResult[];
  readonly seconds: number;
  /** The failures of a first run of the file that a second run did not repeat. */
  readonly unstable?: readonly CaseResult[];
  /** The output of its process. */
  readonly output: string;
}
