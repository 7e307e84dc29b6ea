import { textOf, type Written } from "../../search.ts";

export const auditOutcomes = ["success", "denied", "failure"] as const;

/** Texts match as a whole. `since` and `until` are times of the browser without a zone, as fields have them. */
export interface AuditFilter {
  readonly target?: string | undefined;
  readonly actor?: string | undefined;
  readonly client?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: (typeof auditOutcomes)[number] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Reads the filter from an address. */
export function auditFilterOf(search: Written): AuditFilter {
  return {
    target: textOf(search["target"]),
    actor: textOf(search["actor"]),
    client: textOf(search["client"]),
    action: textOf(search["action"]),
    outcome: auditOutcomes.find((each) => each === search["outcome"]),
    since: textOf(search["since"]),
    until: textOf(search["until"]),
  };
}
