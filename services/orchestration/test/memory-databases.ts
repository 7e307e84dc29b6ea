import type { DataRemoval, StorageRemoval, StoredStorage } from "@appserver/contracts/deployments";
import type { AppDatabases, DatabaseCopy, DatabaseLogin, DatabaseOwner, DatabaseSize } from "@appserver/kernel/ports";
import type { DeclaredStorage } from "../src/domain/desired-app.ts";
import type { DataRemovals, StorageRecords, StorageUsage } from "../src/ports.ts";

/** Databases and logins by name. A password is the number of the call that made it. */
export class MemoryDatabases implements AppDatabases {
  readonly address = { host: "db", port: 5432 };
  readonly databases = new Set<string>();
  readonly logins = new Map<string, string>();
  /** In bytes, by app id. The limit is 100. */
  readonly sizes = new Map<string, number>();
  measurements = 0;
  /** Throws after the call with this number (from 1), to simulate a kill between two steps. */
  killAfterCall = 0;
  calls = 0;
  onKill: () => void = () => {};

  async open({ appName, appId }: DatabaseOwner, generation: number): Promise<DatabaseLogin> {
    const user = `${appName} ${generation}`;
    this.databases.add(appId);
    const password = String(this.calls + 1);
    this.logins.set(user, password);
    this.#end();
    return { host: "db", port: 5432, database: appName, user, password };
  }

  async close({ appName }: DatabaseOwner, generation: number): Promise<void> {
    this.logins.delete(`${appName} ${generation}`);
    this.#end();
  }

  async remove({ appId }: DatabaseOwner): Promise<void> {
    this.databases.delete(appId);
    this.#end();
  }

  nameOf({ appId }: DatabaseOwner): string {
    return appId;
  }

  async limitSizes(): Promise<readonly DatabaseSize[]> {
    this.measurements += 1;
    const limitBytes = 100;
    return [...this.sizes].map(([name, usedBytes]) => ({ name, usedBytes, limitBytes, isFull: usedBytes > limitBytes }));
  }

  /** The app that each copy was made of, by the id of the copy. */
  readonly copies = new Map<string, string>();
  /** What happened to databases and copies, in order. */
  readonly copying: string[] = [];
  /** How long each copy takes. */
  onCopy: (timeoutMs: number) => Promise<void> = async () => {};

  async copy({ appId }: DatabaseOwner, copyId: string, timeoutMs: number): Promise<DatabaseCopy | undefined> {
    if (!this.databases.has(appId)) return undefined;
    await this.onCopy(timeoutMs);
    this.copies.set(copyId, appId);
    this.copying.push(`copy ${copyId}`);
    this.#end();
    return { name: this.nameOfCopy(copyId), usedBytes: 8 };
  }

  async restoreCopy({ appId }: DatabaseOwner, copyId: string, _from: DatabaseOwner): Promise<void> {
    if (!this.copies.has(copyId)) throw new Error(`no copy ${copyId}`);
    this.databases.add(appId);
    this.copying.push(`restore ${copyId}`);
    this.#end();
  }

  async removeCopy(copyId: string): Promise<void> {
    this.copies.delete(copyId);
    this.copying.push(`remove ${copyId}`);
    this.#end();
  }

  nameOfCopy(copyId: string): string {
    return copyId;
  }

  #end(): void {
    this.calls += 1;
    if (this.calls !== this.killAfterCall) return;
    this.onKill();
    throw new Error("killed");
  }
}

type Removal = DataRemoval | StorageRemoval;

export class MemoryDataRemovals implements DataRemovals {
  readonly open: Removal[] = [];

  async request(removal: Removal): Promise<void> {
    this.open.push(removal);
  }

  async ofApp(appName: string): Promise<readonly Removal[]> {
    return this.open.filter((owner) => owner.appName === appName);
  }

  async appNames(): Promise<readonly string[]> {
    return this.open.map(({ appName }) => appName);
  }

  async done(removal: Removal): Promise<void> {
    this.open.splice(0, this.open.length, ...this.open.filter((each) => keyOf(each) !== keyOf(removal)));
  }
}

function keyOf(removal: Removal): string {
  return `${removal.appId} ${"storage" in removal ? removal.storage : ""}`;
}

export class MemoryStorageRecords implements StorageRecords {
  readonly records = new Map<string, StoredStorage>();

  async save(appId: string, storage: readonly DeclaredStorage[], at: Date): Promise<void> {
    for (const declared of storage) {
      const key = `${appId} ${declared.name}`;
      const { createdAt = at, usedBytes, measuredAt } = this.records.get(key) ?? {};
      this.records.set(key, { ...declared, createdAt, usedBytes, measuredAt });
    }
  }

  async ofApp(appId: string): Promise<readonly StoredStorage[]> {
    return [...this.records].filter(([key]) => key.startsWith(appId)).map(([, storage]) => storage);
  }

  async saveUsage(usage: readonly StorageUsage[], measuredAt: Date): Promise<void> {
    for (const { appId, name, usedBytes } of usage) {
      const record = this.records.get(`${appId} ${name}`);
      if (record) this.records.set(`${appId} ${name}`, { ...record, usedBytes, measuredAt });
    }
  }

  async summary() {
    const { size: count } = this.records;
    return { count, measuredAt: [...this.records.values()].find(({ measuredAt }) => measuredAt !== undefined)?.measuredAt };
  }

  async remove(appId: string, name = ""): Promise<void> {
    for (const key of this.records.keys()) if (key.startsWith(`${appId} ${name}`)) this.records.delete(key);
  }
}
