import type { KeyObject } from "node:crypto";
import { createPlatformClient, type PlatformClient, registerApp } from "@appserver/sdk";
import type { TestApp } from "@appserver/testing/kit";
import { approvePermissions, askGraphql, dumpTables, type SearchedTexts, TraceSink, untilRouted } from "@appserver/testing/kit";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureRabbitMq } from "../../../tools/services/rabbitmq.ts";
import { startRedis } from "../../../tools/services/redis.ts";
import { RabbitObserver } from "./rabbit-observer.ts";
import { RedisObserver } from "./redis-observer.ts";

/** An app with its key, as its developer and the platform have it. */
export interface InstalledApp {
  readonly id: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

interface Observed {
  readonly services: ProductionServices;
  readonly redis: RedisObserver;
  readonly rabbit: RabbitObserver;
  readonly sink: TraceSink;
  readonly adminToken: string;
}

/** `appserver serve` on production backends, with everything that it writes anywhere. */
export class WatchedPlatform {
  readonly services: ProductionServices;
  readonly redis: RedisObserver;
  readonly #rabbit: RabbitObserver;
  readonly #sink: TraceSink;
  /** Session token of an administrator. */
  readonly adminToken: string;
  readonly #ends: AsyncDisposableStack;
  readonly #servers: ProductionServer[] = [];

  private constructor({ services, redis, rabbit, sink, adminToken }: Observed, ends: AsyncDisposableStack) {
    this.services = services;
    this.redis = redis;
    this.#rabbit = rabbit;
    this.#sink = sink;
    this.adminToken = adminToken;
    this.#ends = ends;
  }

  /**
   * Starts everything except the server, so that all its output is observed. Or returns the reason if a backend is unavailable.
   */
  static async prepare(): Promise<WatchedPlatform | { readonly unavailable: string }> {
    await using ends = new AsyncDisposableStack();
    const ownRedis = await startRedis();
    if ("unavailable" in ownRedis) return ownRedis;
    ends.defer(() => ownRedis.stop());
    const rabbitMq = await ensureRabbitMq();
    if ("unavailable" in rabbitMq) return rabbitMq;
    ends.defer(rabbitMq.stop);
    const services = await startProductionServices({ redis: ownRedis });
    if ("unavailable" in services) return services;
    ends.defer(() => services.stop());
    const sink = new TraceSink();
    await sink.start();
    ends.defer(() => sink.stop());
    const redis = await RedisObserver.open(ownRedis.url);
    ends.defer(() => redis.stop());
    const rabbit = await RabbitObserver.open(services.environment["APPSERVER_RABBITMQ_URL"] ?? "", rabbitMq.ctl);
    ends.defer(() => rabbit.stop());
    await appserver(["migrate"], services.environment);
    await appserver(["authz", "bootstrap"], services.environment);
    const admin = await services.accounts.create();
    await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], services.environment);
    const adminToken = await services.accounts.logInForToken(admin);
    return new WatchedPlatform({ services, redis, rabbit, sink, adminToken }, ends.move());
  }

  get server(): ProductionServer {
    const server = this.#servers.at(-1);
    if (!server) throw new Error("no server was started");
    return server;
  }

  /** The environment with which a process writes everything that it can. */
  get telemetry(): Readonly<Record<string, string>> {
    return { APPSERVER_LOG_LEVEL: "debug", APPSERVER_OTLP_ENDPOINT: this.#sink.endpoint };
  }

  /** Stops the last server and starts another. The last server's spans have then arrived. */
  async serve(environment: Readonly<Record<string, string>>): Promise<void> {
    await this.#servers.at(-1)?.stop();
    const server = await ProductionServer.create({ ...this.services.environment, ...this.telemetry, ...environment });
    this.#servers.push(server);
    server.start();
    await server.ready();
  }

  /** A gRPC client with a user's session or with an app's key. */
  client(caller: string | InstalledApp): PlatformClient {
    const { grpcUrl } = this.server;
    return createPlatformClient(typeof caller === "string" ? { grpcUrl, token: caller } : { grpcUrl, app: caller });
  }

  /** Session token of a new user with these permissions of the platform. */
  async user(...permissions: readonly `${string}:${string}`[]): Promise<string> {
    const account = await this.services.accounts.create();
    for (const permission of permissions) {
      const [resource, action] = permission.split(":");
      const object = `permission_scope:${action}_${resource}`;
      await appserver(["authz", "grant", `user:${account.id}`, "holder", object], this.services.environment);
    }
    return this.services.accounts.logInForToken(account);
  }

  /** Registers the app as its developer would and installs it as the administrator. */
  async install(name: string, app: TestApp): Promise<InstalledApp> {
    const open = createPlatformClient({ grpcUrl: this.server.grpcUrl });
    const { app: registered } = await registerApp(open, app, this.services.registrationToken);
    const administrator = { authorization: `Bearer ${this.adminToken}` };
    const { httpUrl } = this.server;
    await approvePermissions({ graphql: (...asked) => askGraphql({ httpUrl, administrator }, ...asked) }, name);
    await this.client(this.adminToken).marketplace.installApp({ name });
    await untilRouted(this.server.httpUrl, name, app.manifest.webApp?.api?.routes[0]?.pattern);
    return { id: registered?.id ?? "", name, privateKey: app.keys.privateKey };
  }

  /** The logs of all servers so far. */
  get log(): string {
    return this.#servers.map(({ log }) => log).join("\n");
  }

  /** The exported spans as they were sent. */
  get spans(): Uint8Array {
    return Buffer.concat(this.#sink.bodies);
  }

  /** Everything written so far, by kind and name of the place. The metrics are those of the running server. */
  async places(): Promise<SearchedTexts> {
    const metrics = await fetch(`${this.server.httpUrl}/metrics`);
    return {
      log: this.log,
      metrics: await metrics.text(),
      spans: this.spans,
      ...named("table", await dumpTables(this.services.database)),
      "redis-commands": this.redis.commands,
      ...named("redis-key", await this.redis.dump()),
      messages: this.#rabbit.messages,
      ...named("queue", await this.#rabbit.queued()),
      definitions: await this.#rabbit.definitions(),
    };
  }

  async stop(): Promise<void> {
    await this.#servers.at(-1)?.stop();
    await this.#ends.disposeAsync();
  }
}

export function named<T>(kind: string, places: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(places).map(([name, place]) => [`${kind} ${name}`, place]));
}
