import type { AppDatabases, DatabaseLogin, DatabaseOwner } from "@appserver/kernel/ports";
import type { DataRemoval, DataRemovals } from "../src/ports.ts";

/** Databases and logins by name. A password is the number of the call that made it. */
export class MemoryDatabases implements AppDatabases {
  readonly address = { host: "db", port: 5432 };
  readonly databases = new Set<string>();
  readonly logins = new Map<string, string>();
  /** Throws after the call with this number (from 1), to simulate a kill between two steps. */
  killAfterCall = 0;
  calls = 0;

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

  #end(): void {
    this.calls += 1;
    if (this.calls === this.killAfterCall) throw new Error("killed");
  }
}

export class MemoryDataRemovals implements DataRemovals {
  readonly open: DataRemoval[] = [];

  async request(removal: DataRemoval): Promise<void> {
    this.open.push(removal);
  }

  async ofApp(appName: string): Promise<readonly DataRemoval[]> {
    return this.open.filter((owner) => owner.appName === appName);
  }

  async appNames(): Promise<readonly string[]> {
    return this.open.map(({ appName }) => appName);
  }

  async done({ appId }: DatabaseOwner): Promise<void> {
    this.open.splice(0, this.open.length, ...this.open.filter((owner) => owner.appId !== appId));
  }
}
