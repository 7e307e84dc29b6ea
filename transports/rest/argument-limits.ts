import { appNameLimit, nameGrammar } from "@appserver/contracts/names";

const page = { minimum: 1, maximum: 250 };

/**
 * What the use cases require of arguments beyond the types of the GraphQL schema, in JSON Schema: by the name of an argument, or
 * by that of its field and its own. Arguments in the path have none: a caller without the permission gets 403 whatever it names.
 */
const limits: Readonly<Record<string, object>> = {
  first: page,
  "people.first": { ...page, maximum: 50 },
  "people.search": { minLength: 1, maxLength: 256, pattern: "\\S" },
  "metrics.minutes": { minimum: 1, maximum: 60 },
  "appLogs.tail": { minimum: 0, maximum: 1_000 },
  "permissionHolders.appName": { maxLength: appNameLimit, pattern: `^${nameGrammar}$` },
  "triggerActivity.idempotencyKey": { minLength: 1, maxLength: 255 },
};

/** The names of {@link argumentLimits}. */
export const limitedArguments: readonly string[] = Object.keys(limits);

/** Returns the limits of an argument, as keywords of JSON Schema. */
export function argumentLimits(field: string, argument: string): object {
  return limits[`${field}.${argument}`] ?? limits[argument] ?? {};
}
