import type { Operation } from "./patch-operations.ts";
import { invalid } from "./scim-error.ts";
import { elementsOf, readValue, type Value } from "./values.ts";

/** One change of a group, by which no list of all members is needed. */
export type GroupChange =
  | { readonly kind: "set"; readonly attribute: "displayName" | "externalId"; readonly value: string | undefined }
  | { readonly kind: "add" | "replace" | "remove"; readonly ids: readonly string[] };

/** Returns what the operations change, in their order. */
export function groupChangesOf(operations: readonly Operation[]): readonly GroupChange[] {
  return operations.map((operation) =>
    operation.attribute.name === "members" ? changeOfMembers(operation) : changeOfText(operation),
  );
}

/** Returns the ids of a list of members. */
export function memberIdsOf(members: Value | undefined): readonly string[] {
  if (!Array.isArray(members)) return [];
  const ids = members.map(({ value }) => {
    if (typeof value !== "string") throw invalid("invalidValue", "members: each must have a value, which is the id of a User");
    return value;
  });
  return [...new Set(ids)];
}

function changeOfText({ op, attribute, value }: Operation): GroupChange {
  const next = op === "remove" ? undefined : readValue(attribute, value);
  if (attribute.name === "displayName" && next === undefined) throw invalid("invalidValue", "displayName must be given");
  const name = attribute.name === "displayName" ? "displayName" : "externalId";
  return { kind: "set", attribute: name, value: typeof next === "string" ? next : undefined };
}

/** Entra removes members by a list, Okta by a path: `members[value eq "…"]`. A removal without both removes all. */
function changeOfMembers({ op, attribute, filter, part, value }: Operation): GroupChange {
  if (part) throw invalid("invalidPath", "members are added and removed as a whole");
  if (filter === undefined) {
    const ids = memberIdsOf(elementsOf(attribute, value));
    return op === "remove" && ids.length === 0 ? { kind: "replace", ids: [] } : { kind: op, ids };
  }
  const [comparison, ...others] = filter;
  if (op !== "remove") throw invalid("invalidPath", "members are added without a filter in the path");
  if (comparison?.name !== "value" || typeof comparison.value !== "string" || others.length > 0)
    throw invalid("invalidFilter", 'members are selected by their id: members[value eq "…"]');
  return { kind: "remove", ids: [comparison.value] };
}
