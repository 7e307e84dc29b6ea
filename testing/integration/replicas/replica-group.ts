import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, type PlatformClient, registerApp, type SignedManifest } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";
import { appserver, ProductionServer, type ProductionServices } from "@appserver/testing/kit/production";
import type { KratosAccount } from "../../../tools/services/kratos-accounts.ts";

/** Several `appserver serve` on the same services, made ready by `appserver migrate` and `authz bootstrap`. */
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

  /** Resolves when all of them are ready. */
  static async start(services: ProductionServices, count = 2): Promise<ReplicaGroup> {
    const { environment, accounts } = services;
    await appserver(["migrate"], environment);
    await appserver(["authz", "bootstrap"], environment);
    const admin = await accounts.create();
    await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], environment);
    const servers: ProductionServer[] = [];
    // Limits are exact as long as Redis answers in time: what is seen here is that, not how busy the machine is.
    const patient = { ...environment, APPSERVER_REDIS_TIMEOUT: "5s" };
    for (let n = 0; n < count; n++) servers.push(await ProductionServer.create(patient));
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

  /** In turn, by number. */
  server(number: number): ProductionServer {
    return this.servers[number % this.servers.length] ?? assert.fail("a group without servers");
  }

  /** gRPC as the administrator. A client of its own for each use: a stopped server leaves connections that only look alive. */
  client(server: ProductionServer): PlatformClient {
    return createPlatformClient({ grpcUrl: server.grpcUrl, token: this.adminToken });
  }

  /** As the app's developer does, with the registration token alone. */
  async register(server: ProductionServer, app: SignedManifest): Promise<void> {
    await registerApp(createPlatformClient({ grpcUrl: server.grpcUrl }), app, this.services.registrationToken);
  }

  /** As the administrator. */
  async graphql(server: ProductionServer, query: string, variables: object = {}): Promise<GraphqlAnswer> {
    const response = await fetch(`${server.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.adminToken}` },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as GraphqlAnswer;
  }

  /** The app's state as the server tells it. */
  async stateOf(server: ProductionServer, name: string): Promise<string> {
    const query = "query ($name: String!) { app(name: $name) { state } }";
    const { data } = (await this.graphql(server, query, { name })) as { data: { app: { state: string } | null } | null };
    return data?.app?.state ?? "absent";
  }

  async untilState(server: ProductionServer, name: string, state: string): Promise<void> {
    await until(`${name} is ${state}`, async () => (await this.stateOf(server, name)) === state);
  }

  /** An account, with its cookie header and what `viewer` of the app may. */
  async viewerOf(app: string): Promise<{ readonly account: KratosAccount; readonly cookie: string }> {
    const account = await this.services.accounts.create();
    await appserver(["authz", "grant", `user:${account.id}`, "viewer", `app:${app}`], this.services.environment);
    return { account, cookie: `ory_kratos_session=${await this.services.accounts.logInForCookie(account)}` };
  }

  /** Stops the servers; the services are the caller's. */
  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

/** Looks until it holds. Rejects, with what was waited for, when it does not in time; a look that rejects does not hold. */
export async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  let problem: unknown;
  for (const deadline = performance.now() + timeoutMs; ; await sleep(50)) {
    try {
      if (await holds()) return;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: problem });
  }
}
