import { readFile } from "node:fs/promises";
import type { PostgresConnection } from "@appserver/database-postgres";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { type AppKeys, createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import type { KratosAddresses } from "../../tools/services/kratos.ts";
import { KratosAccounts } from "../../tools/services/kratos-accounts.ts";
import { accountsCookieName, logInToAccounts, type PasswordAccount } from "./accounts-http.ts";
import { onDatabase } from "./platform-database.ts";
import { askGraphql, type GraphqlAnswer, type PlatformUnderTest, type TestUser } from "./platform-under-test.ts";
import { withImageDigest } from "./with-image-digest.ts";

/** The addresses of a running platform on production drivers. Another process can use them, too. */
export interface ProductionAddresses {
  /** `serve` and `orchestrate` on a server each, or everything in one process. */
  readonly command: "serve" | "up";
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly logFile: string;
  readonly registrationToken: string;
  /** Session token of `admin`. */
  readonly adminToken: string;
  readonly database: PostgresConnection;
  /** The administrator of the server of the apps' databases. */
  readonly appsDatabase: PostgresConnection;
  /** Undefined: the platform has the accounts. */
  readonly kratos?: KratosAddresses;
  readonly accounts: Readonly<Record<TestUser, PasswordAccount>>;
  readonly docker: {
    readonly socketPath: string;
    readonly instance: string;
    readonly network: string;
    /** Where the orchestrator pulls from: `127.0.0.1:43211`. */
    readonly registry: string;
    /** The registry is the platform's own, and these may push. */
    readonly credentials?: { readonly username: string; readonly password: string };
  };
  /** URLs of the servers behind the platform, by the variable of the option. */
  readonly servers: Readonly<Record<string, string>>;
}

/** `appserver serve` and `appserver orchestrate` on production drivers, or `appserver up`, with the sample apps in containers. */
export class ProductionPlatform implements PlatformUnderTest {
  readonly variant = "production";
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

  get sessionCookieName(): string {
    return this.addresses.kratos ? "ory_kratos_session" : accountsCookieName;
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
    const { kratos, accounts } = this.addresses;
    const value = kratos ? new KratosAccounts(kratos).logInForCookie(accounts[user]) : this.sessionToken(user);
    return `${this.sessionCookieName}=${await value}`;
  }

  sessionToken(user: TestUser): Promise<string> {
    const { kratos, accounts, httpUrl } = this.addresses;
    return kratos ? new KratosAccounts(kratos).logInForToken(accounts[user]) : logInToAccounts(httpUrl, accounts[user]);
  }

  client(): PlatformClient {
    return createPlatformClient({ grpcUrl: this.grpcUrl, token: this.addresses.adminToken });
  }

  async register(app: SignedManifest & { readonly keys?: AppKeys }): ReturnType<typeof registerApp> {
    const { registry: host, credentials } = this.addresses.docker;
    const complete = credentials ? await withImageDigest(app, { host, token: credentials.password }) : app;
    // Without a session, because an administrator may replace any app's key.
    return await registerApp(createPlatformClient({ grpcUrl: this.grpcUrl }), complete, this.addresses.registrationToken);
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
