import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { buildPackage, packages } from "@appserver/builds/package";
import { EngineClient, TcpRelay } from "@appserver/containers-docker";
import { eventually, send, uniqueName, untilStatus } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import {
  appserver,
  openContainerNetwork,
  ProductionOrchestrator,
  ProductionServer,
  quietPort,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureTemplateNodeBase } from "./template-bases.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const docker = await dockerEngineForTests();

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

// A platform of its own: it has no other registry.
describe("the platform's own registry", { skip: docker instanceof TestDockerEngine ? false : docker.unavailable }, () => {
  const ends = new AsyncDisposableStack();
  const name = uniqueName("org.example.unlisted");
  let parent = "";
  let registry = "";
  let server: ProductionServer;
  let orchestrator: ProductionOrchestrator;
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-own-registry-"));
    ends.defer(() => rm(parent, { recursive: true }));
    const { socketPath } = docker as TestDockerEngine;
    const services = await startProductionServices();
    if ("unavailable" in services) throw new Error(services.unavailable);
    ends.defer(services.stop);
    const network = await openContainerNetwork(socketPath, services);
    ends.defer(network.remove);
    await appserver(["migrate"], services.environment);
    await appserver(["authz", "bootstrap"], services.environment);
    const admin = await services.accounts.create({ first: "Ada", last: "Admin" });
    await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], services.environment);
    const port = await quietPort();
    registry = `127.0.0.1:${port}`;
    server = await ProductionServer.create({
      ...services.environment,
      APPSERVER_BIND_ADDRESS: network.gateway,
      APPSERVER_UPSTREAM_ALLOW: "10.213.0.0/16",
      APPSERVER_REGISTRY_FOLDER: join(parent, "images"),
      APPSERVER_REGISTRY_ADDRESS: registry,
    });
    const { httpUrl, grpcUrl } = server;
    // Docker pushes over plain HTTP only to the loopback interface, and containers reach the platform at another address.
    const relay = new TcpRelay({ host: "127.0.0.1", port }, { host: network.gateway, port: Number(new URL(httpUrl).port) });
    await relay.start();
    ends.defer(() => relay.stop());
    orchestrator = new ProductionOrchestrator(services.environment, {
      ...{ socketPath, network: network.name, httpUrl, grpcUrl },
      environment: { APPSERVER_REGISTRY_ADDRESS: registry, APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: network.databaseUrl },
    });
    for (const process of [server, orchestrator]) {
      ends.defer(async () => void (await process.stop()));
      process.start();
    }
    await Promise.all([server.ready(), orchestrator.ready()]);
    environment = {
      ...process.env,
      APPSERVER_HTTP_URL: `http://${registry}`,
      APPSERVER_GRPC_URL: grpcUrl,
      APPSERVER_TOKEN: await services.accounts.logInForToken(admin),
      APPSERVER_REGISTRATION_TOKEN: "",
      DOCKER_HOST: `unix://${socketPath}`,
      DOCKER_CONFIG: join(parent, "docker"),
      npm_config_registry: "http://127.0.0.1:9",
    };
    // `appctl create` gets the SDK from the platform.
    const repository = resolve(import.meta.dirname, "../../..");
    for (const each of packages) await buildPackage(join(repository, each.folder), each);
    const engine = new EngineClient(socketPath);
    await ensureTemplateNodeBase(engine);
    await engine.close();
  });
  after(async () => {
    await ends.disposeAsync();
    if (docker instanceof TestDockerEngine) await docker.stop();
  });

  const ctl = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, [appctl, ...args], { cwd: parent, env: { ...environment, ...more } });
  const cli = (...args: string[]) => run("docker", args, { cwd: join(parent, name), env: environment });
  const account = async (name: string, ...flags: string[]): Promise<string> => {
    const { stdout } = await ctl(["--json", "service-accounts", "create", name, ...flags]);
    return (JSON.parse(stdout) as { secret: string }).secret;
  };

  test("docker push and pull with the token of a service account, and without one neither", async () => {
    await ctl(["create", name, "--name", name, "--template", "api"]);
    const image = `${registry}/${name}:by-hand`;
    await cli("build", "--tag", image, ".");
    await assert.rejects(cli("push", image), /unauthorized|no basic auth/i);
    const token = await account("pushes", "--permission", "app:register");
    await cli("login", registry, "--username", "any", "--password", token);
    const { stdout } = await cli("push", image);
    const [digest = ""] = /sha256:[0-9a-f]{64}/.exec(stdout) ?? [];
    await cli("image", "rm", "--force", image);
    assert.match((await cli("pull", `${registry}/${name}@${digest}`)).stdout, new RegExp(digest));
    await cli("logout", registry);
  });

  test("a service account deploys without another registry, and the app runs by the digest that was pushed", async () => {
    const temporary = await mkdtemp(join(parent, "tmp-"));
    const role = ["--permission", "app:register", "--permission", "app:install", "--permission", "app:view"];
    const token = await account("deploys", ...role);
    const { stdout, stderr } = await ctl(["--json", "deploy", name], { APPSERVER_TOKEN: token, TMPDIR: temporary });
    assert.equal((JSON.parse(stdout) as { version: string }).version, "0.1.0");
    const [digest = ""] = /(?<=digest: )sha256:[0-9a-f]{64}/.exec(stderr) ?? [];
    assert.ok((await (docker as TestDockerEngine).imageDigests()).includes(`${registry}/${name}@${digest}`));
    const headers = { authorization: `Bearer ${environment["APPSERVER_TOKEN"]}` };
    await untilStatus(server.httpUrl, `/api/apps/${name}/hello/ada`, 200, { headers });
    const own = await readFile(join(parent, "docker/config.json"), "utf8");
    assert.ok(!own.includes(registry), "the user's own logins have none of the push");
    assert.deepEqual(await readdir(temporary), [], "the login of the push was removed");
    for (const { log } of [server, orchestrator])
      assert.ok(!log.includes("appserver-engine"), "no log has the engine's credential");
    assert.ok(!stderr.includes(token));
  });

  test("the engine pulls the image by its own credential", async () => {
    await (docker as TestDockerEngine).forget(name, `${registry}/${name}`);
    await ctl(["redeploy", name, "--pull"]);
    const headers = { authorization: `Bearer ${environment["APPSERVER_TOKEN"]}` };
    assert.equal((await send(server.httpUrl, `/api/apps/${name}/hello/ada`, { headers })).status, 200);
  });

  test("uploads over HTTP/2: one that ends early is continued, and its blob is sent in part", async () => {
    const session = connect(server.httpUrl);
    const authorization = `Bearer ${environment["APPSERVER_TOKEN"]}`;
    const ask = async (headers: OutgoingHttpHeaders, body = ""): Promise<Answer> => {
      const stream = session.request({ authorization, ...headers }, { endStream: body === "" });
      if (body !== "") stream.end(body);
      const [received] = (await once(stream, "response")) as [IncomingHttpHeaders];
      return { status: Number(received[":status"]), headers: received, text: await text(stream) };
    };
    try {
      const { headers } = await ask({ ":method": "POST", ":path": `/v2/${name}/blobs/uploads/` });
      const location = String(headers.location);
      const cut = session.request({ authorization, ":method": "PATCH", ":path": location });
      cut.on("error", () => {});
      cut.write("0123");
      await eventually(async () => {
        const written = await readdir(join(parent, "images/writing"));
        assert.equal(written.length, 1);
        assert.equal((await stat(join(parent, "images/writing", String(written[0])))).size, 4);
      });
      cut.close(constants.NGHTTP2_CANCEL);
      const progress = { ":method": "GET", ":path": location };
      await eventually(async () => assert.equal((await ask(progress)).headers["range"], "0-3"));
      const digest = `sha256:${createHash("sha256").update("01234567").digest("hex")}`;
      const put = await ask({ ":method": "PUT", ":path": `${location}?digest=${digest}` }, "4567");
      assert.equal(put.status, 201, put.text);
      const part = await ask({ ":method": "GET", ":path": `/v2/${name}/blobs/${digest}`, range: "bytes=2-5" });
      assert.deepEqual([part.status, part.text, part.headers["content-range"]], [206, "2345", "bytes 2-5/8"]);
    } finally {
      session.close();
    }
    assert.doesNotMatch(server.log, /a request failed/, "a client that leaves is no failure");
  });

  test("a release without a digest is refused, and so is a token without the permission", async () => {
    const token = await account("views", "--permission", "app:view");
    const headers = { authorization: `Basic ${Buffer.from(`any:${token}`).toString("base64")}` };
    assert.equal((await send(server.httpUrl, `/v2/${name}/tags/list`, { headers })).status, 403);
    assert.equal((await send(server.httpUrl, `/v2/${name}/tags/list`)).status, 401);
    const file = join(parent, name, "app.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("version: 0.1.0", "version: 0.2.0"));
    await assert.rejects(ctl(["register", name]), /digest/);
  });
});
