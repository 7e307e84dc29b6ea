/** What a process is. `worker`: one of several processes of a server on one machine. */
export type ProcessKind = "serve" | "worker" | "orchestrate";

export interface ProcessIdentity {
  readonly kind: ProcessKind;
  /** Of the platform. */
  readonly version: string;
}

/** Name of the sample whose value is the time of the start in milliseconds since the epoch. Its `route` has kind and version. */
export const startSample = "startedAt";

/** Returns kind and version from the `route` of a {@link startSample}. */
export function identityOf(route: string): { readonly kind: string; readonly version: string } {
  const [kind = "", version = ""] = route.split(" ");
  return { kind, version };
}
