import { inputSchemaLimits } from "@appserver/contracts/patterns";
import { AppError, type Call, type FieldViolation } from "@appserver/kernel";
import { type ActivityDefinition, definitionViolations } from "../domain/activity-definition.ts";
import { nextTime } from "../domain/next-time.ts";
import { type ActivityContext, requireApp } from "./context.ts";
import { declaredSchedules } from "./declared-schedules.ts";

const maxAtOnce = 200;

/**
 * Declares activities of the calling app, in addition to those of its manifest. Stores all of them, or none and throws every
 * violation.
 */
export async function registerActivities(
  context: ActivityContext,
  definitions: readonly ActivityDefinition[],
  call: Call,
): Promise<void> {
  const app = await context.catalogue.app(requireApp(call, "declare activities"));
  if (definitions.length > maxAtOnce) throw refused([{ field: "activities", message: `must be at most ${maxAtOnce}` }]);
  const schemas = definitions.reduce((sum, { inputSchema }) => sum + (inputSchema?.length ?? 0), 0);
  const { lengthTogether } = inputSchemaLimits;
  if (schemas > lengthTogether)
    throw refused([
      { field: "activities", message: `must have input schemas of at most ${lengthTogether} characters together` },
    ]);
  const posted = definitions.flatMap(({ path }, index) =>
    path === undefined ? [] : [{ field: `activities[${index}].path`, message: "is accepted in the manifest only" }],
  );
  const violations = [...posted, ...(await activityViolations(context, definitions))];
  if (violations.length > 0) throw refused(violations);
  await context.definitions.save(definitions, await declaredSchedules(context, app.name, definitions));
  context.catalogue.invalidate(app.name);
}

/** Returns every violation of an app's declarations; fields start with `activities[0]`. */
export async function activityViolations(
  context: Pick<ActivityContext, "schemas" | "clock">,
  definitions: readonly ActivityDefinition[],
): Promise<readonly FieldViolation[]> {
  const found = definitions.map((definition, index) => violationsOf(context, definition, `activities[${index}]`));
  return (await Promise.all(found)).flat();
}

/** Returns every violation of one definition, its schema and schedule included. */
async function violationsOf(
  context: Pick<ActivityContext, "schemas" | "clock">,
  definition: ActivityDefinition,
  field: string,
): Promise<readonly FieldViolation[]> {
  const violations = [...definitionViolations(definition, field)];
  const { inputSchema, schedule } = definition;
  const problem = inputSchema === undefined ? undefined : await context.schemas.problem(inputSchema);
  if (problem !== undefined) violations.push({ field: `${field}.input_schema`, message: problem });
  if (schedule) {
    const error = await nextTime(schedule, new Date(context.clock.now())).catch((reason: unknown) => reason);
    if (error instanceof AppError)
      violations.push(
        ...error.violations.map(({ field: part, message }) => ({ field: scheduleField(`${field}.schedule`, part), message })),
      );
  }
  return violations;
}

/** A manifest has `cron` and `interval_seconds` in the schedule itself, and a command has them in its `trigger`. */
function scheduleField(schedule: string, part: string): string {
  return part === "trigger" ? schedule : `${schedule}.${part}`;
}

function refused(violations: readonly FieldViolation[]): AppError {
  return new AppError("INVALID_REQUEST", "the activities break rules", { violations });
}
