import type { ListedApp } from "./listed-apps.ts";

export interface SummaryInput {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly apps: readonly ListedApp[];
  /** How many apps there are in addition to these. */
  readonly more: number;
  /** A sentence for each sample app that is left out or whose registration differs from its folder. */
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

function appLines({ apps, more }: SummaryInput): readonly string[] {
  const width = (of: (app: ListedApp) => string) => Math.max(0, ...apps.map((app) => of(app).length));
  const [names, versions] = [width(({ name }) => name), width(({ version }) => version)];
  const failed = apps.filter(({ state, lastError }) => state !== "RUNNING" && lastError);
  return [
    ...apps.map(({ name, version, state }) => `${name.padEnd(names)}  ${version.padEnd(versions)}  ${state}`),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...failed.map(({ name, lastError }) => `${name} does not run: ${lastError?.message ?? ""}`),
  ];
}

/**
 * Returns the text for a newcomer: the apps with their states, the address to open and the users that can sign in there. The README
 * says how to call the APIs.
 */
export function summary(input: SummaryInput): string {
  return [
    ...appLines(input),
    ...input.notes.flatMap((note, index) => (index === 0 ? ["", note] : [note])),
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
