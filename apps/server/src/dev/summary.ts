import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";

export interface SummaryInput {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly apps: readonly App[];
  /** A sentence for each sample app whose registration differs from its folder. */
  readonly notes: readonly string[];
  readonly users: readonly { readonly displayName: string; readonly about: string }[];
  readonly logFile: string;
  /** Whether the console is at `httpUrl`. */
  readonly hasConsole: boolean;
}

/**
 * Returns the text for a newcomer: the apps with their states, the address to open and the users that can sign in there. The README
 * says how to call the APIs.
 */
export function summary(input: SummaryInput): string {
  const failed = input.apps.filter((app) => app.state !== AppState.RUNNING && app.lastError);
  const width = Math.max(...input.users.map(({ displayName }) => displayName.length)) + 2;
  return [
    ...input.apps.map((app) => `${app.name} ${app.version}  ${AppState[app.state]}`),
    ...failed.map((app) => `${app.name} does not run: ${app.lastError?.message ?? ""}`),
    ...input.notes,
    "",
    input.hasConsole ? `Open ${input.httpUrl} and sign in as` : `Sign in at ${input.httpUrl}/dev/login as`,
    ...input.users.map(({ displayName, about }) => `  ${displayName.padEnd(width)}${about}`),
    "",
    `gRPC  ${input.grpcUrl.replace("http://", "")}`,
    `log   ${input.logFile}`,
    "",
    "GraphQL and gRPC need no sign-in here: everything listens on 127.0.0.1 only.",
    "Ctrl-C stops everything.",
  ].join("\n");
}
