/** The groups that a provider tells, or why it does not. That says nothing of the person: it is never "in no group". */
export type ClaimedGroups = { readonly groups: readonly string[] } | { readonly untold: "absent" | "too many" | "malformed" };

type Claims = Readonly<Record<string, unknown>>;

/** Returns the groups of a claim, which is named by its whole name, or by its path in claims that contain others. */
export function groupsOfClaims(claims: Claims, claim: string): ClaimedGroups {
  const value = memberOf(claims, claim) ?? claim.split(".").reduce<unknown>(memberOf, claims);
  if (value === undefined || value === null) return { untold: isOverage(claims, claim) ? "too many" : "absent" };
  const groups = typeof value === "string" ? [value] : value;
  if (!Array.isArray(groups) || groups.some((group) => typeof group !== "string")) return { untold: "malformed" };
  return { groups };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Claims)[name] : undefined;
}

/** Entra names no groups if there are more than 200, or more than 6 in the fragment of a URL, but says where they can be read. */
function isOverage(claims: Claims, claim: string): boolean {
  return (
    claims["hasgroups"] === true || claims["hasgroups"] === "true" || memberOf(claims["_claim_names"], claim) !== undefined
  );
}
