import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { ensureAppKeys } from "@appserver/sdk";
import { type EchoUpstream, echoUpstream, eventually, send, testApp, until, writeAppFolder } from "@appserver/testing/kit";
import { type ProductionServices, ReplicaGroup, startProductionServices } from "@appserver/testing/kit/production";
import { stringify } from "yaml";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const name = "com.example.tunnelled";
const backend = `
import { createServer } from "node:http";
createServer((_, response) => response.end("mine")).listen(Number(process.env.PORT), process.env.HOST);
`;

/** docs/interface/proxy.md#developer-tunnels */
describe("a developer's tunnel behind a load balancer", { skip }, () => {
  let group: ReplicaGroup;
  let installed: EchoUpstream;
  let balancer: Server;
  let folder: string;
  let developer: ChildProcess;

  before(async () => {
    group = await ReplicaGroup.start(started as ProductionServices, 2);
    installed = await echoUpstream();
    folder = await writeAppFolder(backend);
    const keys = await ensureAppKeys(folder, name);
    const web_app = { api: { base_path: "/", upstream_base_url: installed.url } };
    const fields = { name, version: "1.0.0", display_name: "Tunnelled", web_app };
    await writeFile(join(folder, "app.yaml"), stringify(fields));
    await group.register(group.server(0), await testApp(fields, {}, keys));
    await group.client(group.server(0)).marketplace.installApp({ name });
    balancer = await balance(group.servers.map(({ grpcUrl }) => Number(new URL(grpcUrl).port)));
  });
  after(async () => {
    developer?.kill("SIGTERM");
    balancer?.close();
    await group?.stop();
    await installed?.stop();
    await (started as ProductionServices).stop();
    await rm(folder, { recursive: true });
  });

  const answerOf = async (number: number): Promise<string> => {
    const headers = { authorization: `Bearer ${group.adminToken}` };
    const { status, text } = await send(group.server(number).httpUrl, `/api/apps/${name}/`, { headers });
    return status === 200 && text !== "mine" ? "installed" : text;
  };

  test("each server carries the requests to it, also one that was started later", async () => {
    for (const number of [0, 1]) await until("the app serves", async () => (await answerOf(number)) === "installed");
    developer = spawn(process.execPath, [appctl, "dev", "--tunnel", folder], {
      env: {
        ...process.env,
        APPSERVER_HTTP_URL: group.server(0).httpUrl,
        APPSERVER_GRPC_URL: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
        APPSERVER_TOKEN: group.adminToken,
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    for (const number of [0, 1])
      await eventually(
        () => answerOf(number),
        (answer) => answer === "mine",
      );
    await group.server(1).stop();
    group.server(1).start();
    await group.server(1).ready();
    await eventually(
      () => answerOf(1),
      (answer) => answer === "mine",
      { timeoutMs: 60_000 },
    );
    assert.equal(await answerOf(0), "mine");
    developer.kill("SIGTERM");
    await once(developer, "exit");
    for (const number of [0, 1])
      await eventually(
        () => answerOf(number),
        (answer) => answer === "installed",
      );
  });
});

/** Connects each connection to the next port. */
async function balance(ports: readonly number[]): Promise<Server> {
  let next = 0;
  const server = createServer((client) => {
    const target = connect(ports[next++ % ports.length] ?? 0, "127.0.0.1");
    client.pipe(target).pipe(client);
    client.on("error", () => target.destroy());
    target.on("error", () => client.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}
