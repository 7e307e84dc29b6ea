import type { AppSnapshot, SnapshotRestore } from "@appserver/contracts/deployments";
import { AppError } from "@appserver/kernel";
import type { SnapshotRecords, SnapshotResult, SnapshotWork, StoredSnapshot, Writer } from "../src/ports.ts";

/** Records of snapshots in memory, by id. */
export class MemorySnapshots implements SnapshotRecords {
  readonly snapshots = new Map<string, StoredSnapshot>();
  readonly restores = new Map<string, SnapshotRestore>();

  /** Throws before the write with this number (from 1), to simulate a kill between two steps. */
  killAtWrite = 0;
  kills = 0;
  onKill: () => void = () => {};
  #writes = 0;

  async work(appName: string, operationId: string | undefined): Promise<SnapshotWork> {
    const isDue = (work: AppSnapshot | SnapshotRestore): boolean =>
      work.appName === appName && (isUnfinished(work) || (operationId !== undefined && work.operationId === operationId));
    const snapshots = [...this.snapshots.values()];
    return {
      snapshots: snapshots.filter((each) => isDue(each) && !each.removalRequestedAt),
      removals: snapshots.filter((each) => each.appName === appName && each.removalRequestedAt),
      restores: [...this.restores.values()].filter(isDue),
    };
  }

  async ofApp(appId: string): Promise<readonly StoredSnapshot[]> {
    return [...this.snapshots.values()].filter((each) => each.appId === appId);
  }

  async userOf(appId: string): Promise<string | undefined> {
    const users = [...this.restores.values()].filter((restore) => isUnfinished(restore) && restore.appId !== appId);
    return users.find(({ snapshotId }) => this.snapshots.get(snapshotId)?.appId === appId)?.appName;
  }

  async find(id: string): Promise<StoredSnapshot | undefined> {
    return this.snapshots.get(id);
  }

  async appNames(): Promise<readonly string[]> {
    return [...this.snapshots.values()].filter(isUnfinished).map(({ appName }) => appName);
  }

  async add(_writer: Writer, snapshot: AppSnapshot, restore?: SnapshotRestore): Promise<void> {
    const isTaken = [...this.snapshots.values()].some((each) => isUnfinished(each) && each.reason === snapshot.reason);
    if (isTaken) throw new AppError("CONFLICT", `a snapshot (${snapshot.reason}) is not finished`);
    this.snapshots.set(snapshot.id, snapshot);
    if (restore) this.restores.set(restore.id, restore);
  }

  async setRunning(_writer: Writer, id: string, isRunning: boolean): Promise<void> {
    this.#change(id, { state: isRunning ? "RUNNING" : "PENDING" });
  }

  async complete(_writer: Writer, id: string, result: SnapshotResult, finishedAt: Date): Promise<void> {
    this.#change(id, { ...result, state: "COMPLETED", finishedAt });
  }

  async fail(_writer: Writer, id: string, error: string, finishedAt: Date): Promise<void> {
    this.#change(id, { state: "FAILED", error, finishedAt });
  }

  async setRestoring(_writer: Writer, id: string, isRunning: boolean): Promise<void> {
    this.#changeRestore(id, { state: isRunning ? "RUNNING" : "PENDING" });
  }

  async finishRestore(_writer: Writer, id: string, error: string | undefined, finishedAt: Date): Promise<void> {
    this.#changeRestore(id, { state: error === undefined ? "COMPLETED" : "FAILED", error, finishedAt });
  }

  async remove(_writer: Writer, id: string): Promise<void> {
    this.snapshots.delete(id);
  }

  async forget(_writer: Writer, appId: string): Promise<void> {
    for (const { id } of await this.ofApp(appId)) this.snapshots.delete(id);
  }

  async removeSurplus(): Promise<void> {}

  async expire(): Promise<readonly string[]> {
    return [];
  }

  #write(): void {
    this.#writes += 1;
    if (this.#writes !== this.killAtWrite) return;
    this.kills += 1;
    this.onKill();
    throw new Error("killed");
  }

  #change(id: string, changes: Partial<StoredSnapshot>): void {
    this.#write();
    const found = this.snapshots.get(id);
    if (found && isUnfinished(found)) this.snapshots.set(id, { ...found, ...changes });
  }

  #changeRestore(id: string, changes: Partial<SnapshotRestore>): void {
    this.#write();
    const found = this.restores.get(id);
    if (found && isUnfinished(found)) this.restores.set(id, { ...found, ...changes });
  }
}

function isUnfinished({ state }: AppSnapshot | SnapshotRestore): boolean {
  return state === "PENDING" || state === "RUNNING";
}
