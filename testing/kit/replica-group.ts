import assert from "node:assert/strict";
import { scopeObject } from "@appserver/contracts/authorization";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import type { KratosAccount } from "../../tools/services/kratos-accounts.ts";
import { approvePermissions } from "./approve-permissions.ts";
import { until } from "./eventually.ts";
import type { GraphqlAnswer } from "./platform-under-test.ts";
import { appserver } from "./production-process.ts";
import { ProductionServer } from "./production-server.ts";
import type { ProductionServices } from "./production-services.ts";

export interface ReplicaOptions {
  readonly outputFile?: string | undefined;
  /** What one of the servers has in addition, by its number. */
  readonly environmentOf?: (number: number) => Promise<Readonly<Record<string, string>>>;
}

/** Several `appserver serve` on the same services, after `appserver migrate` and `authz bootstrap`. */
export class ReplicaGroup {
  readonly services: ProductionServices;
  readonly servers: readonly ProductionServer[];
  /** Session token of an administrator. */
  readonly adminToken: string;

  private constructor(services: ProductionServices, servers: readonly ProductionServer[], adminToken: string) {
    this.services = services;
    this.servers = servers;
    this.adminToken = adminToken;
  }

  /** Resolves when all of them are ready. Their log goes to `outputFile` if that is set. */
  static async start(
    services: ProductionServices,
    count = 2,
    { outputFile, environmentOf }: ReplicaOptions = {},
  ): Promise<ReplicaGroup> {
    const { environment, accounts } = services;
    await appserver(["migrate"], environment);
    await appserver(["authz", "bootstrap"], environment);
    const admin = await accounts.create();
    await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], environment);
    const servers: ProductionServer[] = [];
    // Limits are exact while Redis responds in time. The longer timeout keeps a busy machine from changing the result.
    const patient = { ...environment, APPSERVER_REDIS_TIMEOUT: "5s" };
    for (let n = 0; n < count; n++)
      servers.push(await ProductionServer.create({ ...patient, ...(await environmentOf?.(n)) }, undefined, outputFile));
    const group = new ReplicaGroup(services, servers, await accounts.logInForToken(admin));
    for (const server of servers) server.start();
    try {
      await Promise.all(servers.map((server) => server.ready()));
    } catch (error) {
      await group.stop();
      throw error;
    }
    return group;
  }

  /** Returns the servers in turn, by number. */
  server(number: number): ProductionServer {
    return this.servers[number % this.servers.length] ?? assert.fail("a group without servers");
  }

  /**
   * gRPC as the administrator. Creates a new client for each use, because a stopped server leaves dead connections that look
   * open.
   */
  client(server: ProductionServer): PlatformClient {
    return createPlatformClient({ grpcUrl: server.grpcUrl, token: this.adminToken });
  }

  /** Registers an app as its developer would, with only the registration token. */
  async register(server: ProductionServer, app: SignedManifest): Promise<void> {
    await registerApp(createPlatformClient({ grpcUrl: server.grpcUrl }), app, this.services.registrationToken);
  }

  /** GraphQL as the administrator. */
  async graphql(server: ProductionServer, query: string, variables: object = {}): Promise<GraphqlAnswer> {
    const response = await fetch(`${server.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.adminToken}` },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as GraphqlAnswer;
  }

  /** Approves every permission that an installation of the app needs. */
  async approvePermissions(server: ProductionServer, name: string): Promise<void> {
    await approvePermissions({ graphql: (query, variables) => this.graphql(server, query, variables) }, name);
  }

  /** Returns the app's state according to the server. */
  async stateOf(server: ProductionServer, name: string): Promise<string> {
    const query = "query ($name: String!) { app(name: $name) { state } }";
    const { data } = (await this.graphql(server, query, { name })) as { data: { app: { state: string } | null } | null };
    return data?.app?.state ?? "absent";
  }

  async untilState(server: ProductionServer, name: string, state: string): Promise<void> {
    await until(`${name} is ${state}`, async () => (await this.stateOf(server, name)) === state);
  }

  /** Creates accounts that may see every app. Returns the session token of each. */
  async watchers(count: number): Promise<readonly string[]> {
    const { accounts } = this.services;
    const tokens: string[] = [];
    // One after the other: the database of Kratos here has one writer at a time.
    for (let n = 0; n < count; n++) {
      const account = await accounts.create();
      const tuple = `user: "user:${account.id}", relation: "holder", object: "${scopeObject("app:view")}"`;
      const { errors } = await this.graphql(this.server(0), `mutation { grantAccess(${tuple}) { user } }`);
      assert.equal(errors, undefined);
      tokens.push(await accounts.logInForToken(account));
    }
    return tokens;
  }

  /** Gives a role that no user has a permission: the decisions of all subjects count as outdated afterwards. */
  async changeEveryPermission(): Promise<void> {
    const grant = `grantAccess(user: "role:empty#assignee", relation: "holder", object: "${scopeObject("app:logs")}") { user }`;
    const { errors } = await this.graphql(this.server(0), `mutation { ${grant} }`);
    assert.equal(errors, undefined);
  }

  /** Creates an account with the role `viewer` on the app. Returns it with its cookie header. */
  async viewerOf(app: string): Promise<{ readonly account: KratosAccount; readonly cookie: string }> {
    const account = await this.services.accounts.create();
    await appserver(["authz", "grant", `user:${account.id}`, "viewer", `app:${app}`], this.services.environment);
    return { account, cookie: `ory_kratos_session=${await this.services.accounts.logInForCookie(account)}` };
  }

  /** Ends the servers' processes and starts new ones. */
  async restart(): Promise<void> {
    await this.stop();
    for (const server of this.servers) server.start();
    await Promise.all(this.servers.map((server) => server.ready()));
  }

  /** Stops the servers. The caller stops the services. */
  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
