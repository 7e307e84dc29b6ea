import { type EventType, eventBody } from "@appserver/contracts/events";
import { type Clock, notePermissionChanges, uuidv7 } from "@appserver/kernel";
import type { Authorization, CheckRequest, Database, EventEnvelope, Outbox, Tuple } from "@appserver/kernel/ports";

export interface AnnouncedAuthorizationDeps {
  readonly authorization: Authorization;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
}

type Change = Parameters<Authorization["write"]>[0];

/**
 * Announces changes of permissions to every replica. `permission.changed` follows each write, so that a revoked permission is
 * denied everywhere within a second (docs/interface/permissions.md#cache). Each write gets a number, so that replicas ignore
 * cached decisions from before it.
 *
 * If the process dies between write and event, cached decisions stay until they expire. Repeating the write sends the event.
 */
export class AnnouncedAuthorization implements Authorization {
  readonly #deps: AnnouncedAuthorizationDeps;

  constructor(deps: AnnouncedAuthorizationDeps) {
    this.#deps = deps;
  }

  check(request: CheckRequest): Promise<boolean> {
    return this.#deps.authorization.check(request);
  }

  batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
    return this.#deps.authorization.batchCheck(requests);
  }

  async write(change: Change): Promise<void> {
    const { authorization, database, outbox } = this.#deps;
    await authorization.write(change);
    const tuples = [...(change.writes ?? []), ...(change.deletes ?? [])];
    if (tuples.length === 0) return;
    await database.transaction(async (tx) => {
      await notePermissionChanges(
        tx,
        tuples.map(({ user }) => user),
      );
      await outbox.append(tx, this.#events(tuples));
    });
  }

  read(filter: Parameters<Authorization["read"]>[0]): Promise<readonly Tuple[]> {
    return this.#deps.authorization.read(filter);
  }

  ping(timeoutMs?: number): Promise<void> {
    return this.#deps.authorization.ping(timeoutMs);
  }

  /** Creates one event for each subject. Replicas drop the cached decisions of the subject. */
  #events(tuples: readonly Tuple[]): readonly EventEnvelope[] {
    const time = new Date(this.#deps.clock.now()).toISOString();
    const bySubject = new Map(tuples.map((tuple) => [tuple.user, tuple]));
    return [...bySubject.values()].map(({ user, object }) => {
      const [, appName = ""] = /^app:(.+)$/.exec(object) ?? [];
      const app = { name: appName, id: "", version: "" };
      return {
        id: uuidv7(),
        type: "permission.changed" satisfies EventType,
        source: this.#deps.source,
        subject: appName === "" ? "platform" : appName,
        time,
        body: { ...eventBody<"permission.changed">(app, time, { subject: user, object }) },
      };
    });
  }
}
