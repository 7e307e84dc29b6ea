import type { AppParticipant, GrantComparisons, MissingGrants } from "../ports.ts";

/** Shows as a condition of an app that the authorization store lacks grants of it (docs/interface/permissions.md#grants). */
export function grantConditions(comparisons: Pick<GrantComparisons, "missing">): AppParticipant {
  return {
    name: "grants",
    conditions: async ({ id }) => {
      const missing = (await comparisons.missing(id)).get(id);
      return missing ? [conditionOf(missing)] : [];
    },
    faultyAmong: async () => [...(await comparisons.missing()).keys()],
  };
}

function conditionOf({ tuples, since }: MissingGrants) {
  return {
    type: "PermissionsGranted",
    status: "False",
    reason: "TuplesMissing",
    message:
      `The authorization store lacks ${tuples} tuples of the permissions that the app was granted, so some of its calls are denied. ` +
      "The platform writes them again; see its log for what prevents it.",
    lastTransitionTime: since.toISOString(),
  } as const;
}
