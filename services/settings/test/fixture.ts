import { randomBytes } from "node:crypto";
import { EmbeddedAuthorization, MemoryTupleStore } from "@appserver/authorization-embedded";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { type Caller, platformMigrations, SqlOutbox, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import {
  AuthorizedPermissions,
  createTestDatabase,
  FakeClock,
  recordsMigrations,
  SqlAuditLog,
  startTestPostgres,
  type TestDatabase,
} from "@appserver/testing/kit";
import { SqlSettingsStore } from "../src/adapters/sql-settings-store.ts";
import { settingsMigrations } from "../src/index.ts";
import type { EncryptionKey, SettingsApp } from "../src/ports.ts";
import type { SettingsContext } from "../src/use-cases/context.ts";
import { ValueVault } from "../src/use-cases/value-vault.ts";

export const system: Caller = { kind: "system", reason: "test" };
export const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
/** Holds only settings:read. */
export const reader: Caller = { kind: "user", id: "reader", displayName: "Reader" };
/** Holds only settings:write. */
export const writer: Caller = { kind: "user", id: "writer", displayName: "Writer" };
export const nobody: Caller = { kind: "user", id: "nobody", displayName: "Nobody" };

export function newKey(id: string): EncryptionKey {
  return { id, key: randomBytes(32) };
}

/** The parts of the service on a real database and a real permission model, with apps that tests create. */
export class SettingsFixture {
  readonly home: TestDatabase;
  readonly context: SettingsContext;
  readonly clock = new FakeClock();
  readonly keys: EncryptionKey[] = [newKey("first")];
  readonly #apps = new Map<string, SettingsApp>();
  readonly #stops: readonly (() => Promise<unknown>)[];

  private constructor(home: TestDatabase, authorization: EmbeddedAuthorization, stops: readonly (() => Promise<unknown>)[]) {
    this.home = home;
    this.#stops = stops;
    this.context = {
      apps: { find: async (appId) => this.#apps.get(appId) },
      store: this.newStore(),
      vault: this.newVault(),
      permissions: new AuthorizedPermissions(authorization),
      clock: this.clock,
    };
  }

  static async start(): Promise<SettingsFixture> {
    const postgres = await startTestPostgres();
    const home = await createTestDatabase(postgres);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...settingsMigrations]);
    const clock = new FakeClock();
    const authorization = new EmbeddedAuthorization({ model: authorizationModel, store: new MemoryTupleStore(), clock });
    await authorization.start();
    const holder = (user: string, scope: string) => ({ user, relation: "holder", object: `permission_scope:${scope}` });
    await authorization.write({
      writes: [
        ...initialTuples,
        { user: "user:admin", relation: "assignee", object: "role:easy" },
        holder("user:reader", "read_settings"),
        holder("user:writer", "write_settings"),
        holder("app:com.example.other", "read_settings"),
        holder("app:com.example.installer", "write_settings"),
        holder("app:com.example.installer", "install_app"),
      ],
    });
    const stops = [() => authorization.stop(), () => home.stop(), () => postgres.stop()];
    return new SettingsFixture(home, authorization, stops);
  }

  /** Returns the store of another process. */
  newStore(): SqlSettingsStore {
    const { database } = this.home;
    const audit = new SqlAuditLog({ database, clock: this.clock });
    return new SqlSettingsStore({ database, outbox: new SqlOutbox(), audit, source: "/appserver/test" });
  }

  /** Returns the vault of another process. */
  newVault(keys: () => readonly EncryptionKey[] = () => this.keys): ValueVault {
    return new ValueVault({ load: async () => [...keys()] }, this.clock);
  }

  /** Registers an app, or gives the app with that id another schema. */
  app(definitions: readonly SettingDefinition[], more: Partial<SettingsApp> = {}): SettingsApp {
    const id = more.id ?? uuidv7();
    const updatedAt = new Date(this.clock.now());
    const app = { id, name: `com.example.a${id.slice(-6)}`, version: "1.0.0", definitions, mayWrite: true, updatedAt, ...more };
    this.#apps.set(id, app);
    return app;
  }

  async events({ name }: SettingsApp): Promise<readonly EventEnvelope[]> {
    const { rows } = await this.home.database.query<{ event: EventEnvelope }>(
      "select event from platform.outbox where subject = $1 order by id",
      [name],
    );
    return rows.map(({ event }) => event);
  }

  async stored({ id }: SettingsApp): Promise<Readonly<Record<string, string>>> {
    const { rows } = await this.home.database.query<{ key: string; value: string }>(
      "select key, value from settings.values where app_id = $1",
      [id],
    );
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }
}

/** Returns the app as a caller, as in a signed call. */
export function asItself({ id, name }: SettingsApp): Caller {
  return { kind: "app", id, name };
}
