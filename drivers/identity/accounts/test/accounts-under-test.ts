import assert from "node:assert/strict";
import { PostgresDatabase } from "@appserver/database-postgres";
import type { Identity } from "@appserver/driver";
import { AppError, type Clock, SystemClock, silentLogger } from "@appserver/kernel";
import type { Database, GroupMemberships, Mail, SelfServiceRequest, SqlExecutor } from "@appserver/kernel/ports";
import { createTestDatabase, plainSeal, startTestPostgres, type TestDatabase, testPool } from "@appserver/testing/kit";
import { openAccounts } from "../src/accounts.ts";
import { accountsMigrations } from "../src/accounts-migrations.ts";
import type { ProviderOptions } from "../src/oidc/provider-options.ts";

type Connection = TestDatabase["connection"];

/** Accounts in one database, which several servers share. */
export class AccountsUnderTest {
  readonly database: TestDatabase;
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(database: TestDatabase, stop: () => Promise<void>) {
    this.database = database;
    this.#stops.push(stop);
  }

  static async open(): Promise<AccountsUnderTest> {
    const server = await startTestPostgres();
    const database = await createTestDatabase(server);
    await database.database.migrate(accountsMigrations);
    return new AccountsUnderTest(database, async () => {
      await database.stop();
      await server.stop();
    });
  }

  /** Starts a server with a pool of its own. */
  async server(options: ServerOptions = {}): Promise<Server> {
    const {
      clock = new SystemClock(),
      connection = this.database.connection,
      providers = [],
      mail,
      groups,
      ownUrl = "http://platform.test",
      scimToken,
    } = options;
    const pool = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock() });
    const statements: string[] = [];
    const times = { lifetimeMs: 7 * 24 * 3_600_000, idleMs: 24 * 3_600_000 };
    const identity = openAccounts(
      { ...times, providers, scimToken },
      {
        ownUrl,
        platformName: "Acme",
        database: async () => counted(pool, statements),
        seal: plainSeal,
        mail,
        ...(groups && { groups: async () => groups }),
        clock,
        logger: silentLogger,
      },
    );
    await identity.provider.start?.();
    this.#stops.push(async () => {
      await identity.provider.stop?.();
      await pool.stop();
    });
    return { identity, statements };
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
  }
}

interface ServerOptions {
  readonly clock?: Clock;
  readonly connection?: Connection;
  readonly providers?: readonly ProviderOptions[];
  readonly groups?: GroupMemberships;
  readonly scimToken?: string;
  readonly mail?: Mail;
  readonly ownUrl?: string;
}

export interface Server {
  readonly identity: Identity;
  /** All statements that it sent, except those of the connection for notifications. */
  readonly statements: string[];
}

/** Notes the first word of each line of a statement. */
function counted(pool: PostgresDatabase, statements: string[]): Database {
  const noting = (executor: SqlExecutor): SqlExecutor["query"] => {
    return (text, parameters) => {
      statements.push(text.trim().replaceAll(/\s+/g, " "));
      return executor.query(text, parameters);
    };
  };
  return {
    query: noting(pool),
    transaction: (work, options) => pool.transaction((tx) => work({ isTransaction: true, query: noting(tx) }), options),
    listen: (...given) => pool.listen(...given),
    migrate: (migrations) => pool.migrate(migrations),
    ping: (timeoutMs) => pool.ping(timeoutMs),
  };
}

export interface Page {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: {
    readonly requested_aal?: string;
    readonly redirect_browser_to?: string;
    readonly id?: string;
    readonly session?: object;
    readonly error?: { readonly id?: string; readonly reason?: string };
    readonly ui?: { readonly nodes: readonly Node[]; readonly messages?: readonly { readonly text: string }[] };
  };
}

export interface Node {
  readonly type: string;
  readonly group: string;
  readonly attributes: {
    readonly name?: string;
    readonly value?: string;
    readonly type?: string;
    readonly id?: string;
    readonly src?: string;
    readonly ceremony?: string;
    readonly options?: { readonly challenge: string; readonly rpId?: string; readonly allowCredentials?: readonly object[] };
    readonly text?: { readonly text: string; readonly context?: { readonly secrets?: readonly { readonly text: string }[] } };
  };
  readonly messages: readonly { readonly type: string; readonly text: string }[];
  readonly meta: { readonly label?: { readonly text: string } };
}

/** A browser that keeps cookies. */
export class Browser {
  readonly #server: Server;
  readonly #address: string;
  readonly #cookies = new Map<string, string>();

  constructor(server: Server, address = "192.0.2.1") {
    this.#server = server;
    this.#address = address;
  }

  get token(): string | undefined {
    return this.#cookies.get(this.#server.identity.provider.sessionCookieName);
  }

  set token(value: string | undefined) {
    this.#set(this.#server.identity.provider.sessionCookieName, value ?? "");
  }

  /** What it keeps of a sign-in that continues at a provider, or with the second factor. */
  get pending(): string | undefined {
    return this.#cookies.get("appserver_flow") ?? this.#cookies.get("__Host-appserver_flow");
  }

  set pending(value: string | undefined) {
    this.#set("appserver_flow", value ?? "");
  }

  /** Returns a browser with the same cookies, at any server. */
  copy(server = this.#server, address = this.#address): Browser {
    const copy = new Browser(server, address);
    for (const [name, value] of this.#cookies) copy.#set(name, value);
    return copy;
  }

  #set(name: string, value: string): void {
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }

  get(target: string): Promise<Page> {
    return this.#send({ method: "GET", target, headers: {} });
  }

  post(target: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return this.#send({ method: "POST", target, headers, body: Buffer.from(new URLSearchParams(fields).toString()) });
  }

  signIn(identifier: string, password: string): Promise<Page> {
    return this.post("/self-service/login?flow=login", { method: "password", identifier, password });
  }

  /** Completes the account of a link. */
  register(path: string, { email = "", name, password }: { email?: string; name: string; password: string }): Promise<Page> {
    const token = new URL(path, "http://platform.test").hash.replace("#token=", "");
    return this.post("/self-service/registration?flow=link", { method: "password", token, email, name, password });
  }

  async whoami() {
    return await this.#server.identity.provider.whoami({ kind: "cookie", value: this.token ?? "" });
  }

  async #send(request: SelfServiceRequest): Promise<Page> {
    const { selfService } = this.#server.identity;
    assert.ok(selfService);
    const cookie = { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const headers = { ...request.headers, ...cookie, "x-forwarded-for": this.#address, "user-agent": agent };
    const answer = await selfService.send({ ...request, headers });
    const parts: Buffer[] = [];
    for await (const part of answer.body) parts.push(part);
    for (const set of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#set(name, value);
    }
    const location = answer.headers["location"];
    return {
      status: answer.status,
      location: typeof location === "string" ? location : undefined,
      body: JSON.parse(Buffer.concat(parts).toString()),
    };
  }
}

export const password = "a horse is no battery";
let lastNumber = 0;

/** Makes an account, and returns the browser that is signed in to it. */
export async function account(server: Server, address?: string) {
  lastNumber += 1;
  const email = `Person${lastNumber}@Example.test`;
  const { path, userId } = await invite(server, email);
  const browser = new Browser(server, address);
  const { status } = await browser.register(path, { name: `Person ${lastNumber}`, password });
  assert.equal(status, 200);
  return { browser, email, userId, displayName: `Person ${lastNumber}` };
}

export function invite({ identity }: Server, email?: string) {
  assert.ok(identity.accounts);
  return identity.accounts.invite({ email, invitedBy: "operator", validMs: 60_000 });
}

/** Fails unless a session was refused as one that is not valid. */
export function failed(error: unknown): true {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, "AUTHENTICATION_FAILED");
  return true;
}

export function limited(error: unknown): boolean {
  return error instanceof AppError && error.code === "RATE_LIMIT_EXCEEDED";
}
