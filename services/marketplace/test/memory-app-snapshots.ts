import type {
  AppSnapshot,
  AppSnapshots,
  RestoreRequest,
  SnapshotRequest,
  SnapshotRestore,
} from "@appserver/contracts/deployments";
import { AppError, uuidv7 } from "@appserver/kernel";

/** Requests in memory, which no orchestrator carries out: a test sets their state. */
export class MemoryAppSnapshots implements AppSnapshots {
  readonly snapshots = new Map<string, AppSnapshot>();
  readonly restores = new Map<string, SnapshotRestore>();

  async request({ id = uuidv7(), ...request }: SnapshotRequest): Promise<AppSnapshot> {
    const isTaken = [...this.snapshots.values()].some(({ appId, state }) => appId === request.appId && state === "PENDING");
    if (isTaken) throw new AppError("CONFLICT", "a snapshot is not finished");
    const snapshot: AppSnapshot = { ...request, id, state: "PENDING", storage: [], createdAt: new Date() };
    this.snapshots.set(id, snapshot);
    return snapshot;
  }

  async list(appId: string): Promise<readonly AppSnapshot[]> {
    return [...this.snapshots.values()].filter((each) => each.appId === appId).reverse();
  }

  async get(id: string): Promise<AppSnapshot | undefined> {
    return this.snapshots.get(id);
  }

  async restore({ id = uuidv7(), app, ...request }: RestoreRequest): Promise<SnapshotRestore> {
    const { appId, appName } = app;
    const restore: SnapshotRestore = {
      ...request,
      id,
      appId,
      appName,
      undoId: uuidv7(),
      state: "PENDING",
      createdAt: new Date(),
    };
    this.restores.set(id, restore);
    return restore;
  }

  async getRestore(id: string): Promise<SnapshotRestore | undefined> {
    return this.restores.get(id);
  }

  async isRestored(appId: string): Promise<boolean> {
    return [...this.restores.values()].some((restore) => restore.appId === appId && restore.state === "COMPLETED");
  }

  async finished(id: string): Promise<AppSnapshot> {
    const found = this.snapshots.get(id);
    if (!found) throw new AppError("NOT_FOUND", `there is no snapshot ${id}`);
    return found;
  }

  async remove(id: string): Promise<void> {
    this.snapshots.delete(id);
  }

  /** Completes a restore, as an orchestrator does. */
  complete(restoreId: string): void {
    const found = this.restores.get(restoreId);
    if (found) this.restores.set(restoreId, { ...found, state: "COMPLETED" });
  }

  /** Ends a snapshot, as an orchestrator does. */
  end(id: string, end: Pick<AppSnapshot, "state" | "error">): void {
    const found = this.snapshots.get(id);
    if (found) this.snapshots.set(id, { ...found, ...end });
  }
}
