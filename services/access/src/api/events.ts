import { eventTypesAffecting } from "@appserver/contracts/events";
import { type Component, changedSubject, type LiveConnections, type Logger, subjectOf } from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import type { CachedPermissions } from "../use-cases/check-permission.ts";

export interface PermissionRefreshDeps {
  readonly broker: Pick<Broker, "observe">;
  readonly permissions: Pick<CachedPermissions, "invalidate">;
  /** Reads the changes of permissions again. Never rejects. */
  readonly permissionChanges: { refresh(): Promise<void> };
  readonly connections: Pick<LiveConnections, "recheck">;
  /** Called before cached permissions are removed. */
  readonly onPermissionsChanged: () => void;
  /** Called when they have been removed. */
  readonly onRefreshed: () => void;
  readonly logger: Logger;
}

/** Removes cached permissions when they change. Every replica receives every event (docs/interface/events.md#observers). */
export class PermissionRefresh implements Component {
  readonly name = "permission refresh";
  readonly #deps: PermissionRefreshDeps;
  #subscription: Subscription | undefined;

  constructor(deps: PermissionRefreshDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#deps.broker.observe(eventTypesAffecting("permissions"), ({ body }) => {
      const { permissionChanges, onPermissionsChanged, logger } = this.#deps;
      onPermissionsChanged();
      void permissionChanges.refresh();
      this.#refresh(onlySubject(body["subject"])).catch((error: unknown) =>
        logger.warn({ err: error }, "access: removing cached permissions failed; they expire"),
      );
    });
  }

  async stop(): Promise<void> {
    await this.#subscription?.close();
  }

  async #refresh(subject: string | undefined): Promise<void> {
    const { permissions, connections, onRefreshed } = this.#deps;
    try {
      await permissions.invalidate(subject);
      onRefreshed();
    } finally {
      connections.recheck(({ caller }) => subject === undefined || subjectOf(caller) === subject);
    }
  }
}

/** Returns the subject of the event if its permissions alone changed. */
function onlySubject(subject: unknown): string | undefined {
  return typeof subject === "string" ? changedSubject(subject) : undefined;
}
