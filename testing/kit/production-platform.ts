import { readFile } from "node:fs/promises";
import type { PostgresConnection } from "@appserver/database-postgres";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import type { KratosAddresses } from "../../tools/services/kratos.ts";
import { type KratosAccount, KratosAccounts } from "../../tools/services/kratos-accounts.ts";
import { onDatabase } from "./platform-database.ts";
import { askGraphql, type GraphqlAnswer, type PlatformUnderTest, type TestUser } from "./platform-under-test.ts";

/** The addresses of a running platform on production drivers. Another process can use them, too. */
export interface ProductionAddresses {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly logFile: string;
  readonly registrationToken: string;
  /** Session token of `admin`. */
  readonly adminToken: string;
  readonly database: PostgresConnection;
  /** The administrator of the server of the apps' databases. */
  readonly appsDatabase: PostgresConnection;
  readonly kratos: KratosAddresses;
  readonly accounts: Readonly<Record<TestUser, KratosAccount>>;
  readonly docker: {
    readonly socketPath: string;
    readonly instance: string;
    readonly network: string;
    /** Where the orchestrator pulls from: `127.0.0.1:43211`. */
    readonly registry: string;
  };
  /** URLs of the servers behind the platform, by the variable of the option. */
  readonly servers: Readonly<Record<string, string>>;
}

/** Runs `appserver serve` and `appserver orchestrate` on production drivers, with the sample apps in containers. */
export class ProductionPlatform implements PlatformUnderTest {
  readonly variant = "production";
  readonly sessionCookieName = "ory_kratos_session";
  readonly addresses: ProductionAddresses;
  readonly #end: () => Promise<void>;

  /** `end` is called by {@link stop}. Default: leaves it running for others. */
  constructor(addresses: ProductionAddresses, end = async (): Promise<void> => {}) {
    this.addresses = addresses;
    this.#end = end;
  }

  get httpUrl(): string {
    return this.addresses.httpUrl;
  }

  get grpcUrl(): string {
    return this.addresses.grpcUrl;
  }

  get administrator(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.addresses.adminToken}` };
  }

  get registration(): { readonly token: string } {
    return { token: this.addresses.registrationToken };
  }

  userId(user: TestUser): string {
    return this.addresses.accounts[user].id;
  }

  async login(user: TestUser): Promise<string> {
    const accounts = new KratosAccounts(this.addresses.kratos);
    return `${this.sessionCookieName}=${await accounts.logInForCookie(this.addresses.accounts[user])}`;
  }

  sessionToken(user: TestUser): Promise<string> {
    return new KratosAccounts(this.addresses.kratos).logInForToken(this.addresses.accounts[user]);
  }

  client(): PlatformClient {
    return createPlatformClient({ grpcUrl: this.grpcUrl, token: this.addresses.adminToken });
  }

  register(app: SignedManifest): ReturnType<typeof registerApp> {
    // Without a session, because an administrator may replace any app's key.
    return registerApp(createPlatformClient({ grpcUrl: this.grpcUrl }), app, this.addresses.registrationToken);
  }

  graphql(query: string, variables: object = {}): Promise<GraphqlAnswer> {
    return askGraphql(this, query, variables);
  }

  onDatabase<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T> {
    return onDatabase(this.addresses.database, work);
  }

  onAppServer<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T> {
    return onDatabase(this.addresses.appsDatabase, work);
  }

  log(): Promise<string> {
    return readFile(this.addresses.logFile, "utf8");
  }

  stop(): Promise<void> {
    return this.#end();
  }
}
