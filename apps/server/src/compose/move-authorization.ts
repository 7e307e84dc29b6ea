import type { AuthorizationService } from "@appserver/driver";
import { AppError, AuthorizationHome, every, SystemClock } from "@appserver/kernel";
import type { Tuple } from "@appserver/kernel/ports";
import type { ServeConfig } from "../config/serve-config.ts";
import { type AdminContext, bootstrapOnce, openAuthorization, withDatabase } from "./admin.ts";
import { serverMigrations } from "./server-migrations.ts";

export interface MovedPermissions {
  readonly from: string;
  readonly tuples: number;
  /** Tuples that only the target had, from an earlier time. */
  readonly removed: number;
}

const tuplesAtOnce = 1_000;
const extendMs = 5_000;

/**
 * Copies all tuples to the driver of another configuration, which has the permissions afterwards. Servers may run: they check with the
 * former driver until they restart, and accept no changes. If the process is killed, the former driver has the permissions as before.
 * Returns undefined if the target has them already.
 */
export function moveAuthorization(context: AdminContext, target: ServeConfig): Promise<MovedPermissions | undefined> {
  const [from, to] = [context.config, target].map(({ drivers }) => drivers.authorization.driver.name) as [string, string];
  return withDatabase(context, async (database, lifecycle) => {
    const home = new AuthorizationHome(database);
    if ((await home.read()) === to) return undefined;
    if (from === to) {
      const message = `authorization.driver is ${to} already: expected the configuration that the servers have now, with the driver that the permissions are moved from`;
      throw new AppError("INVALID_STATE", message);
    }
    await home.require(from);
    await database.migrateWhenReachable(serverMigrations(target), context.signal);
    const source = await lifecycle.use(await openAuthorization(context, database));
    const copy = await openAuthorization({ ...context, config: target }, database);
    await lifecycle.use({ name: "target", stop: () => copy.stop?.() });
    await home.beginMove();
    const extending = new AbortController();
    const { signal } = extending;
    // A failed extension shows at the end of the move.
    const extend = { clock: new SystemClock(), signal, intervalMs: extendMs, run: () => home.extendMove(), onError: () => {} };
    void every({ ...extend, first: "after a pause" });
    try {
      await bootstrapOnce(database, copy);
      const moved = await copyTuples(source, copy);
      await home.endMove(to);
      return { from, ...moved };
    } catch (error) {
      await home.endMove().catch(() => {});
      throw error;
    } finally {
      extending.abort();
    }
  });
}

async function copyTuples(
  source: AuthorizationService,
  target: AuthorizationService,
): Promise<Pick<MovedPermissions, "tuples" | "removed">> {
  const wanted = byName(await source.read({}));
  const found = byName(await target.read({}));
  const missing = [...wanted].flatMap(([name, tuple]) => (found.has(name) ? [] : [tuple]));
  const surplus = [...found].flatMap(([name, tuple]) => (wanted.has(name) ? [] : [tuple]));
  for (let from = 0; from < surplus.length; from += tuplesAtOnce) {
    await target.write({ deletes: surplus.slice(from, from + tuplesAtOnce) });
  }
  for (let from = 0; from < missing.length; from += tuplesAtOnce) {
    await target.write({ writes: missing.slice(from, from + tuplesAtOnce) });
  }
  // Both are read again: a change that was in progress when the move began may have reached the source since.
  const [before, after] = [byName(await source.read({})), byName(await target.read({}))];
  const differing = [...before.keys(), ...after.keys()].find((name) => !before.has(name) || !after.has(name));
  if (differing === undefined) return { tuples: after.size, removed: surplus.length };
  throw new AppError("CONFLICT", `the tuple ${differing} differs after the copy: repeat the move, which changes nothing else`);
}

function byName(tuples: readonly Tuple[]): ReadonlyMap<string, Tuple> {
  return new Map(tuples.map(({ user, relation, object }) => [`${user} ${relation} ${object}`, { user, relation, object }]));
}
