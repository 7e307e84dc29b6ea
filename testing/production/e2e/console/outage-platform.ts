import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { appserver, ReplicaGroup, startProductionServices } from "@appserver/testing/kit/production";
import { startPrivateOpenFga } from "../../../../tools/services/openfga.ts";
import { startPrivatePostgres } from "../../../../tools/services/postgres.ts";
import { startPrivateRabbitMq } from "../../../../tools/services/rabbitmq.ts";

/** A server that a test stops and starts again. It keeps its data and its address. */
export interface Stoppable {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** `appserver serve` on servers of its own, for tests that stop them. No orchestrator: apps are registered only. */
export interface OutagePlatform {
  readonly group: ReplicaGroup;
  readonly httpUrl: string;
  /** The session of an administrator, for a browser. */
  readonly cookie: { readonly name: string; readonly value: string };
  readonly postgres: Stoppable;
  readonly rabbitmq: Stoppable;
  readonly openfga: Stoppable;
  stop(): Promise<void>;
}

export async function startOutagePlatform(): Promise<OutagePlatform | { readonly unavailable: string }> {
  await using ends = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "appserver-outages-"));
  ends.defer(() => rm(folder, { recursive: true, force: true }));
  const openfga = await startPrivateOpenFga(join(folder, "openfga"), { datastore: "sqlite" });
  if ("unavailable" in openfga) return openfga;
  ends.defer(() => openfga.stop());
  const rabbitmq = await startPrivateRabbitMq(join(folder, "rabbitmq"));
  if ("unavailable" in rabbitmq) return rabbitmq;
  ends.defer(() => rabbitmq.stop());
  const postgres = await startPrivatePostgres(join(folder, "postgres"));
  if ("unavailable" in postgres) return postgres;
  ends.defer(() => postgres.remove());
  const services = await startProductionServices({ openfga, rabbitmq, postgres });
  if ("unavailable" in services) return services;
  ends.defer(() => services.stop());
  await buildFrontend(resolve(import.meta.dirname, "../../../../apps/console"));
  const group = await ReplicaGroup.start(services, 1);
  ends.defer(() => group.stop());
  const { accounts, environment } = services;
  const admin = await accounts.create({ first: "Ada", last: "Admin" });
  await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], environment);
  const cookie = { name: "ory_kratos_session", value: await accounts.logInForCookie(admin) };
  const running = ends.move();
  const stop = () => running.disposeAsync();
  return { group, httpUrl: group.server(0).httpUrl, cookie, postgres, rabbitmq, openfga, stop };
}
