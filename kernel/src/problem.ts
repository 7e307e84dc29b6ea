/** An error in the form in which it is stored and shown. */
export interface Problem {
  /** A code of `contracts/errors`, or one of the app that failed. */
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}
