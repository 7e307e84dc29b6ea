import { activityNamePattern } from "@appserver/contracts/names";
import { inputSchemaLimits, quote } from "@appserver/contracts/patterns";
import type { FieldViolation } from "@appserver/kernel";
import { limits } from "./limits.ts";

/** When the platform starts an activity automatically: either cron or interval. */
export interface Recurrence {
  readonly cron: string | undefined;
  readonly intervalSeconds: number | undefined;
  /** IANA name. */
  readonly timezone: string;
}

/** A background task as an app declares it (docs/interface/activities.md#declaration). */
export interface ActivityDefinition {
  readonly name: string;
  /** JSON Schema of the input, as text; undefined accepts any input. */
  readonly inputSchema: string | undefined;
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Maximum concurrent runs over all workers. */
  readonly concurrency: number | undefined;
  /** Runs of the app with the same key never overlap, also of different activities. */
  readonly singletonKey: string | undefined;
  readonly schedule: (Recurrence & { readonly input: unknown }) | undefined;
  /** Path of the app's backend that receives runs by POST. Only of an activity of the manifest. */
  readonly path: string | undefined;
}

export const definitionDefaults = { timeoutMs: 15 * 60 * 1000, maxRetries: 3, timezone: "UTC" } as const;

/**
 * Returns every violation of a definition, except those of its schema and its schedule. `field` is the path of the definition.
 */
export function definitionViolations(definition: ActivityDefinition, field: string): readonly FieldViolation[] {
  const found: FieldViolation[] = [];
  const check = (holds: boolean, name: string, message: string): void => {
    if (!holds) found.push({ field: `${field}.${name}`, message });
  };
  const { timeoutMs, maxRetries, concurrency, singletonKey, inputSchema } = definition;
  check(
    activityNamePattern.test(definition.name),
    "name",
    `must match ${activityNamePattern.source}, got ${quote(definition.name)}`,
  );
  check(timeoutMs > 0 && timeoutMs <= limits.timeoutMs, "timeout_ms", `must be 1 to ${limits.timeoutMs}, got ${timeoutMs}`);
  check(maxRetries >= 0 && maxRetries <= limits.retries, "max_retries", `must be 0 to ${limits.retries}, got ${maxRetries}`);
  check(concurrency === undefined || concurrency > 0, "concurrency", `must be more than 0, got ${concurrency}`);
  const keyLength = singletonKey?.length ?? 1;
  check(keyLength > 0 && keyLength <= limits.keyLength, "singleton_key", `must be 1 to ${limits.keyLength} characters`);
  check(
    (inputSchema?.length ?? 0) <= inputSchemaLimits.length,
    "input_schema",
    `must be at most ${inputSchemaLimits.length} characters`,
  );
  return found;
}
