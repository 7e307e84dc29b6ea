import type { Clock } from "@appserver/kernel";
import { appNamed, type Problem } from "../domain/incident.ts";
import type { IncidentRule, MeasuredSpace, Observed } from "../ports.ts";

/** An app that restarts is UNHEALTHY for a short time. */
const unhealthyMs = 2 * 60_000;
const certificateMs = 14 * 86_400_000;
const fullAt = 0.9;
const freeAt = 0.85;

/** Returns the rules that look at the state of the platform (docs/interface/notifications.md#incidents). */
export function incidentRules(observed: Observed, clock: Clock): readonly IncidentRule[] {
  return [
    appDown(observed),
    certificateExpires(observed, clock),
    space("DISK_FULL", observed.disks, (name) => `the disk of ${name}`),
    space("DATABASE_FULL", observed.databases, (name) => `the database of ${name}`),
    deadLetters(observed),
  ];
}

function appDown({ apps }: Observed): IncidentRule {
  return {
    kind: "APP_DOWN",
    problems: async (open) =>
      apps().flatMap(({ state, isEnabled, problem, ...app }): Problem[] => {
        // An app that is being installed again is not up yet.
        const isDown = state === "FAILED" || state === "UNHEALTHY" || (open.has(app.name) && isStarting(state));
        if (!isDown || !isEnabled) return [];
        const message = `${app.name} is down${problem === undefined ? "" : `: ${problem}`}`;
        return [{ subject: app.name, message, app, ...(state === "UNHEALTHY" && { afterMs: unhealthyMs }) }];
      }),
    over: (name) => {
      const isUp = apps().some((app) => app.name === name && app.state === "RUNNING");
      return isUp ? `${name} runs again` : `${name} is not wanted any more, and is no longer reported as down`;
    },
  };
}

function isStarting(state: string): boolean {
  return state === "INSTALLING" || state === "INSTALLED";
}

function certificateExpires({ certificates }: Observed, clock: Clock): IncidentRule {
  return {
    kind: "CERTIFICATE_EXPIRES",
    problems: async () =>
      (await certificates()).flatMap(({ name, endsAt }) =>
        endsAt.getTime() - clock.now() > certificateMs
          ? []
          : [{ subject: name, message: `the certificate of ${name} ends at ${endsAt.toISOString()}` }],
      ),
    over: (name) => `the certificate of ${name} was renewed`,
  };
}

/** Begins over 90 %, and ends under 85 %: a space that is at a limit is not many incidents. */
function space(
  kind: "DISK_FULL" | "DATABASE_FULL",
  measure: () => Promise<readonly MeasuredSpace[]>,
  nameOf: (name: string) => string,
): IncidentRule {
  return {
    kind,
    problems: async (open) =>
      (await measure()).flatMap(({ name, usedBytes, limitBytes, app }) => {
        const share = limitBytes === 0 ? 0 : usedBytes / limitBytes;
        if (share < (open.has(name) ? freeAt : fullAt)) return [];
        return [{ subject: name, message: `${nameOf(name)} is nearly full: ${Math.floor(100 * share)} % are used`, app }];
      }),
    over: (name) => `${nameOf(name)} has room again`,
  };
}

function deadLetters({ deadLetters }: Observed): IncidentRule {
  return {
    kind: "DEAD_LETTERS",
    problems: async () =>
      (await deadLetters()).map(({ name, isApp }) => ({
        subject: name,
        app: isApp ? appNamed(name) : undefined,
        message: `deliveries to ${isApp ? name : `the notification target ${name}`} were given up`,
      })),
    over: (name) => `no deliveries to ${name} are given up any more: they were sent again, or deleted`,
  };
}
