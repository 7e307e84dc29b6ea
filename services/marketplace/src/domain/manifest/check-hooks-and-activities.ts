import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import { activityNamePattern, isHookName } from "@appserver/contracts/names";
import { inputSchemaLimits, quote } from "@appserver/contracts/patterns";
import type { ActivityDefinition, AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { checkUpstreamPath } from "./check-api.ts";
import type { ExpressionBudget } from "./expression-budget.ts";
import type { Violations } from "./violations.ts";

/** Checks hooks and activities. The activity service checks the contents of their schemas and schedules. */
export function checkHooksAndActivities(manifest: AppManifest, budget: ExpressionBudget, violations: Violations): void {
  const hooks = new Set<string>();
  for (const [index, { hookName, path }] of manifest.hooks.entries()) {
    const field = `hooks[${index}]`;
    violations.check(isHookName(hookName), `${field}.hook_name`, `must be a hook name, got ${quote(hookName)}`);
    violations.check(!hooks.has(hookName), `${field}.hook_name`, `${quote(hookName)} is declared twice`);
    hooks.add(hookName);
    if (path !== "") checkUpstreamPath(path, `${field}.path`, violations);
  }
  const activities = new Set<string>();
  for (const [index, activity] of manifest.activities.entries()) {
    const field = `activities[${index}]`;
    violations.check(!activities.has(activity.name), `${field}.name`, `${quote(activity.name)} is declared twice`);
    activities.add(activity.name);
    checkActivity(activity, field, budget, violations);
  }
}

function checkActivity(activity: ActivityDefinition, field: string, budget: ExpressionBudget, violations: Violations): void {
  const { name, timeoutMs, maxRetries, concurrency, inputSchema = "", schedule, path } = activity;
  const isExact = inexactNumberPath(schedule?.input ?? "") === undefined;
  violations.check(isExact, `${field}.schedule.input`, inexactNumberProblem);
  violations.check(
    activityNamePattern.test(name),
    `${field}.name`,
    `must match ${activityNamePattern.source}, got ${quote(name)}`,
  );
  violations.check(timeoutMs === undefined || timeoutMs > 0, `${field}.timeout_ms`, "must be more than 0");
  violations.check(maxRetries === undefined || maxRetries >= 0, `${field}.max_retries`, "must not be negative");
  violations.check(concurrency === undefined || concurrency > 0, `${field}.concurrency`, "must be more than 0");
  if (path !== "") checkUpstreamPath(path, `${field}.path`, violations);
  if (inputSchema === "") return;
  const { length } = inputSchemaLimits;
  const at = `${field}.input_schema`;
  const message = `must be a JSON Schema object of at most ${length} characters`;
  const schema = inputSchema.length <= length ? parsedObject(inputSchema) : undefined;
  if (!violations.check(schema !== undefined, at, message)) return;
  for (const expression of expressionsOf(schema)) if (!budget.take(expression, at, violations)) return;
}

function parsedObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the patterns at every level of a JSON Schema. */
function* expressionsOf(schema: unknown): Generator<string> {
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const { pattern, patternProperties } = value as { readonly pattern?: unknown; readonly patternProperties?: unknown };
    if (typeof pattern === "string") yield pattern;
    if (typeof patternProperties === "object" && patternProperties !== null) yield* Object.keys(patternProperties);
    open.push(...Object.values(value));
  }
}
