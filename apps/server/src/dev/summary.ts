import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";

export interface SummaryInput {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly apps: readonly App[];
  /** A sentence for each sample app whose registration differs from its folder. */
  readonly notes: readonly string[];
  readonly users: readonly { readonly displayName: string; readonly about: string }[];
  /** The link that completes the account of the first administrator. */
  readonly firstAdministrator?: { readonly path: string } | undefined;
  readonly logFile: string;
  /** Whether the console is at `httpUrl`. */
  readonly hasConsole: boolean;
}

function signInLines({ httpUrl, users, firstAdministrator, hasConsole }: SummaryInput): readonly string[] {
  if (firstAdministrator) {
    return ["Become the first administrator, once and within an hour:", `  ${httpUrl}${firstAdministrator.path}`];
  }
  if (users.length === 0) return [`Open ${httpUrl} and sign in.`];
  const width = Math.max(...users.map(({ displayName }) => displayName.length)) + 2;
  return [
    hasConsole ? `Open ${httpUrl} and sign in as` : `Sign in at ${httpUrl}/dev/login as`,
    ...users.map(({ displayName, about }) => `  ${displayName.padEnd(width)}${about}`),
  ];
}

/**
 * Returns the text for a newcomer: the apps with their states, the address to open and the users that can sign in there. The README
 * says how to call the APIs.
 */
export function summary(input: SummaryInput): string {
  const failed = input.apps.filter((app) => app.state !== AppState.RUNNING && app.lastError);
  return [
    ...input.apps.map((app) => `${app.name} ${app.version}  ${AppState[app.state]}`),
    ...failed.map((app) => `${app.name} does not run: ${app.lastError?.message ?? ""}`),
    ...input.notes,
    "",
    ...signInLines(input),
    "",
    `gRPC  ${input.grpcUrl.replace("http://", "")}`,
    `log   ${input.logFile}`,
    "",
    "GraphQL and gRPC need no sign-in here: everything listens on 127.0.0.1 only.",
    "Ctrl-C stops everything.",
  ].join("\n");
}
