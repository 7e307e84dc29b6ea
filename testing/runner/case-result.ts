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
  /** Path from the repository's root, and the variant if it is not the embedded platform. */
  readonly file: string;
  readonly cases: readonly CaseResult[];
  readonly seconds: number;
  /** The failures of a first run of the file that a second run did not repeat. */
  readonly unstable?: readonly CaseResult[];
  /** The output of its process. Other files may have run in the same process. */
  readonly output: string;
}

/** A line of the file that the reporter of a test process writes. */
export type ReportLine = ({ readonly file: string } & CaseResult) | { readonly file: string; readonly seconds: number };
