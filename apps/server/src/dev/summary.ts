import { apiPath } from "@appserver/contracts/patterns";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";

export interface SummaryInput {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly apps: readonly App[];
  /** A sentence for each sample app whose registration differs from its folder. */
  readonly notes: readonly string[];
  readonly users: readonly { readonly id: string; readonly displayName: string }[];
  readonly logFile: string;
  /** Whether the console is at `httpUrl`. */
  readonly hasConsole: boolean;
}

/**
 * Returns the text for a newcomer: the apps with their states and URLs, the users that can sign in, and how to call the APIs.
 */
export function summary(input: SummaryInput): string {
  const { httpUrl } = input;
  // Each URL has its own line: otherwise the line is too long for a terminal of 80 columns.
  const apps = input.apps.flatMap((app) => [
    `${app.name} ${app.version}  ${AppState[app.state]}`,
    ...(app.apiUrl === undefined ? [] : [`  ${httpUrl}${app.apiUrl}/`]),
  ]);
  const users = input.users.map(({ id, displayName }) => `  ${id.padEnd(8)}${displayName}`);
  const failed = input.apps.filter((app) => app.state !== AppState.RUNNING && app.lastError);
  return [
    ...apps,
    ...failed.map((app) => `${app.name} does not run: ${app.lastError?.message ?? ""}`),
    ...input.notes,
    "",
    ...(input.hasConsole ? [`Open ${httpUrl}`, ""] : []),
    `Sign in at ${httpUrl}/dev/login, or:`,
    "  curl -s -c cookies.txt -H 'content-type: application/json' \\",
    `    -d '{"user":"admin"}' ${httpUrl}/dev/login`,
    `  curl -s -b cookies.txt ${httpUrl}${apiPath("com.example.notes")}/notes`,
    "Users:",
    ...users,
    "",
    `GraphQL     ${httpUrl}/graphql`,
    `playground  ${httpUrl}/playground`,
    `REST        ${httpUrl}/api/v2/docs`,
    `gRPC        ${input.grpcUrl.replace("http://", "")}`,
    `log         ${input.logFile}`,
    "",
    "GraphQL and gRPC need no sign-in here: everything listens on 127.0.0.1 only.",
    "Ctrl-C stops everything.",
  ].join("\n");
}
