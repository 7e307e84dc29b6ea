import { i18n } from "../i18n.ts";
import { checkTitle } from "./check-titles.ts";

/** The response of `/ready` (docs/interface/operations.md#readiness). */
export interface Readiness {
  readonly status: "ready" | "degraded" | "not_ready";
  readonly checks: Readonly<Record<string, { readonly status: "up" | "down"; readonly message?: string }>>;
}

/** What does not respond, for people. */
export interface Outage {
  /** The names of the checks that are down. */
  readonly checks: readonly string[];
  readonly title: string;
  /** What does not work until it is back. */
  readonly effects: readonly string[];
  /** Whether most requests fail. */
  readonly isCritical: boolean;
}

const effects: Readonly<Record<string, string>> = {
  database: i18n.t("Nothing can be read or changed until it is back. Running apps continue."),
  authorization: i18n.t("Permissions cannot be checked, so most requests are refused."),
  broker: i18n.t("Changes appear late, and new containers wait. Requests work."),
  cache: i18n.t("Each process counts limits for itself. Requests work."),
  identity: i18n.t("Sessions cannot be checked, and no user can sign in."),
  app_databases: i18n.t("Apps cannot use their databases."),
  data_folder: i18n.t("No app is started."),
  start: i18n.t("The server is starting."),
  workers: i18n.t("Some processes of the server have not started."),
};
const uncritical: ReadonlySet<string> = new Set(["broker", "cache", "app_databases"]);

/** Returns what does not respond, or undefined if everything does. */
export function outageOf({ checks }: Readiness): Outage | undefined {
  const down = Object.entries(checks).filter(([, { status }]) => status === "down");
  if (down.length === 0) return undefined;
  const names = down.map(([name]) => name);
  return {
    checks: names,
    title: i18n.t("Not available: {names}", { names: names.map(checkTitle).join(", ") }),
    effects: down.map(
      ([name, { message }]) => effects[name] ?? message ?? i18n.t("{name} does not respond.", { name: checkTitle(name) }),
    ),
    isCritical: names.some((name) => !uncritical.has(name)),
  };
}

/** Returns whether something that was missing is back, so that what failed may succeed now. */
export function isRecovery(before: Outage | undefined, now: Outage | undefined): boolean {
  const still = new Set(now?.checks);
  return before?.checks.some((name) => !still.has(name)) ?? false;
}
