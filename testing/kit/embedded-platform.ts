import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import { embeddedConnection, onDatabase } from "./platform-database.ts";
import { askGraphql, type GraphqlAnswer, type PlatformUnderTest, type TestUser } from "./platform-under-test.ts";

/** The addresses of a running `appserver dev`. Another process can use them, too. */
export interface EmbeddedAddresses {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  /** Where its data is. */
  readonly dataDir: string;
}

/** An `appserver dev` that runs. {@link EmbeddedPlatform.stop} leaves it running for others. */
export class EmbeddedPlatform implements PlatformUnderTest {
  readonly variant = "embedded";
  readonly sessionCookieName = "identity_session";
  readonly administrator = {};
  readonly registration = {};
  readonly addresses: EmbeddedAddresses;

  constructor(addresses: EmbeddedAddresses) {
    this.addresses = addresses;
  }

  get httpUrl(): string {
    return this.addresses.httpUrl;
  }

  get grpcUrl(): string {
    return this.addresses.grpcUrl;
  }

  get dataDir(): string {
    return this.addresses.dataDir;
  }

  /** `Cookie` header of a fresh session. */
  async login(user: string): Promise<string> {
    const response = await fetch(`${this.httpUrl}/dev/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user }),
    });
    const cookie = response.headers.get("set-cookie")?.split(";")[0];
    if (!response.ok || cookie === undefined) throw new Error(`login of ${user} returned ${response.status}`);
    return cookie;
  }

  async sessionToken(user: TestUser): Promise<string> {
    const cookie = await this.login(user);
    return cookie.slice(cookie.indexOf("=") + 1);
  }

  userId(user: TestUser): string {
    return user;
  }

  client(): PlatformClient {
    return createPlatformClient({ grpcUrl: this.grpcUrl });
  }

  register(app: SignedManifest): ReturnType<typeof registerApp> {
    return registerApp(this.client(), app);
  }

  /** Returns the whole response to a query. */
  graphql(query: string, variables: object = {}): Promise<GraphqlAnswer> {
    return askGraphql(this, query, variables);
  }

  async onDatabase<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T> {
    return onDatabase(await embeddedConnection(this.dataDir), work);
  }

  async onAppServer<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T> {
    return onDatabase(await embeddedConnection(this.dataDir, "postgres-apps"), work);
  }

  /** The server's log so far. */
  log(): Promise<string> {
    return readFile(join(this.dataDir, "server.log"), "utf8");
  }

  /** Releases it. */
  async stop(): Promise<void> {}
}
