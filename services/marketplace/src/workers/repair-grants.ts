import { auditEntry, isAppError } from "@appserver/kernel";
import { shouldRun } from "../domain/app-state.ts";
import type { AppPermissions, ApprovalStore, CommandLock, GrantComparisons, Logger, RecordedGrants } from "../ports.ts";

export interface GrantRepairDeps {
  readonly comparisons: GrantComparisons;
  readonly approvals: Pick<ApprovalStore, "grants">;
  readonly permissions: Pick<AppPermissions, "missing" | "replace">;
  readonly lock: Pick<CommandLock, "runIfFree">;
  readonly logger: Logger;
}

/** What was written for an app. */
export interface RepairedGrants {
  readonly appName: string;
  /** As `user relation object`. */
  readonly tuples: readonly string[];
}

/** Each app is compared this often. A turn compares at most `batch` of them, with two requests to the authorization service each. */
const maxAgeMs = 60_000;
const batch = 50;

/**
 * Compares the recorded grants of installed apps with the authorization store, and writes what is missing there, for example after
 * both were restored from different moments. What the store has besides stays: administrators grant apps more by hand.
 * Returns what was written. Rejects if the authorization service or the database is unreachable.
 */
export async function repairGrants(deps: GrantRepairDeps): Promise<readonly RepairedGrants[]> {
  return repairEach(deps, await deps.comparisons.claim(maxAgeMs, batch), undefined);
}

/** Does the same for every app at once, for `appserver authz repair`. */
export async function repairAllGrants(deps: GrantRepairDeps, actor: string): Promise<readonly RepairedGrants[]> {
  const repaired: RepairedGrants[] = [];
  await deps.comparisons.reset();
  for (;;) {
    const claimed = await deps.comparisons.claim(maxAgeMs, batch);
    if (claimed.length === 0) return repaired;
    repaired.push(...(await repairEach(deps, claimed, actor)));
  }
}

async function repairEach(
  deps: GrantRepairDeps,
  claimed: readonly RecordedGrants[],
  actor: string | undefined,
): Promise<readonly RepairedGrants[]> {
  const repaired: RepairedGrants[] = [];
  for (const recorded of claimed) {
    try {
      const tuples = await repairApp(deps, recorded, actor);
      if (tuples.length > 0) repaired.push({ appName: recorded.app.name, tuples });
    } catch (error) {
      // No other app would succeed either.
      if (isAppError(error, "SERVICE_UNAVAILABLE")) throw error;
      deps.logger.warn({ err: error, app: recorded.app.name }, "marketplace: repairing the grants of an app failed; retrying");
    }
  }
  return repaired;
}

async function repairApp(
  deps: GrantRepairDeps,
  { app, granted, isIncomplete }: RecordedGrants,
  actor: string | undefined,
): Promise<readonly string[]> {
  const missing = shouldRun(app) ? await deps.permissions.missing(app.name, granted) : [];
  if (missing.length === 0) {
    if (isIncomplete) await deps.comparisons.noteComplete(app.id, undefined);
    return [];
  }
  // A running command records grants before it writes them. Its app is compared again later.
  const result = await deps.lock.runIfFree(app.name, () => repairUnderLock(deps, app, actor));
  return result.held ? result.value : [];
}

async function repairUnderLock(
  { comparisons, approvals, permissions, logger }: GrantRepairDeps,
  app: RecordedGrants["app"],
  actor: string | undefined,
): Promise<readonly string[]> {
  const granted = await approvals.grants(app.id);
  const tuples = granted?.inForce ? await permissions.missing(app.name, granted) : [];
  if (!granted || tuples.length === 0) return [];
  await comparisons.noteMissing(app.id, tuples.length);
  await permissions.replace(app.name, granted, granted);
  const entry = { action: "permission.repair", target: `app:${app.name}`, details: { tuples } };
  await comparisons.noteComplete(app.id, auditEntry({ actor }, entry));
  logger.warn({ app: app.name, tuples }, "marketplace: grants that the authorization store lacked were written again");
  return tuples;
}
