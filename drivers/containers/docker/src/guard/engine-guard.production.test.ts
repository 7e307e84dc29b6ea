import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { containersSuite, suiteNetwork } from "../../../containers.suite.ts";
import { makeProbeImage } from "../../../probe-image.ts";
import { emptyRegistry, openRegistry } from "../../test/registries.ts";
import type { InspectedContainer } from "../container-view.ts";
import { replicaBody } from "../create-body.ts";
import { DockerRuntime } from "../docker-runtime.ts";
import { EngineClient } from "../engine-client.ts";
import { EngineGuard } from "./engine-guard.ts";

const engine = await dockerEngineForTests();
const enginePath = "unavailable" in engine ? "" : engine.socketPath;
const skip = "unavailable" in engine ? engine.unavailable : undefined;
const image = "appserver-suite.invalid/com.example.probe:latest";
const instance = `guarded-${randomBytes(4).toString("hex")}`;
const folder = await mkdtemp(join(tmpdir(), "appserver-guard-"));
const socketPath = join(folder, "engine.sock");
const guard = new EngineGuard({ enginePath, socketPath, socketMode: 0o660, instance, logger: silentLogger });

before(async () => {
  if (skip !== undefined) return;
  await makeProbeImage(enginePath, image);
  await guard.start();
});
after(async () => {
  await guard.stop();
  if (!("unavailable" in engine)) await engine.stop();
  await rm(folder, { recursive: true, force: true });
});

containersSuite(
  "docker behind its guard",
  async () => {
    const registry = await openRegistry(emptyRegistry);
    return {
      open: async () => new DockerRuntime({ socketPath, pullPolicy: "if-not-present" }),
      image,
      publish: (version) => makeProbeImage(enginePath, image, version),
      missingImage: `${registry.host}/com.example.missing:latest`,
      ownEnvironment: ["PATH", "HOSTNAME", "HOME"],
      close: async () => {
        registry.close();
        await removeNetwork(suiteNetwork);
      },
    };
  },
  skip === undefined ? { instance } : { instance, skip },
);

describe("the guard of the engine", { skip: skip ?? false }, () => {
  const name = `vault-${randomBytes(4).toString("hex")}`;
  before(async () => {
    const client = new EngineClient(enginePath);
    await client.request("POST", "/containers/create", { query: { name }, body: { Image: image, Env: ["SECRET=canary"] } });
    await client.close();
  });
  after(async () => {
    const client = new EngineClient(enginePath);
    await client.request("DELETE", `/containers/${name}`, { query: { force: "true" } });
    await client.close();
  });

  function call(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = body ? { "content-type": "application/json" } : {};
      const sent = request({ socketPath, method, path, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on("error", reject).end(body && JSON.stringify(body));
    });
  }

  it("hides and refuses the containers of other programs, by name and by id", async () => {
    const listed = await call("GET", "/containers/json?all=true");
    assert.equal(listed.status, 200);
    assert.ok(!listed.text.includes(name));
    for (const [method, path] of [
      ["GET", `/containers/${name}/json`],
      ["GET", `/containers/${name}/logs?stdout=true`],
      ["POST", `/containers/${name}/start`],
      ["POST", `/containers/${name}/rename?name=app-x`],
      ["DELETE", `/containers/${name}?force=true`],
      ["PUT", `/containers/${name}/archive?path=/run/appserver`],
      ["DELETE", "/networks/bridge"],
    ] as const) {
      const { status, text } = await call(method, path);
      assert.deepEqual([status, text.includes("canary")], [404, false], `${method} ${path}`);
    }
    const connection = { Container: name, EndpointConfig: { Aliases: [] } };
    assert.equal((await call("POST", "/networks/bridge/connect", connection)).status, 404);
  });

  it("gives the identity of a container to no container but another instance of it", async () => {
    const runtime = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });
    const client = new EngineClient(enginePath);
    const spec = (app: string): ContainerSpec => ({
      name: `app-${instance}.${app}`,
      image,
      environment: { PORT: "3000" },
      labels: { [containerLabels.instance]: instance, [containerLabels.appId]: app },
      network: suiteNetwork,
      port: 3000,
      endpoint: "publish",
      memoryMb: 128,
      cpuShares: 512,
      pidsLimit: 64,
      readOnlyRoot: true,
    });
    const inspected = async (container: string): Promise<InspectedContainer> =>
      (await client.request("GET", `/containers/${container}/json`)).body as InspectedContainer;
    const [victim, thief] = [await runtime.create(spec("victim")), await runtime.create(spec("thief"))];
    const [first, other] = [await inspected(victim.id), await inspected(thief.id)];
    const create = async (body: object) => (await call("POST", "/containers/create?name=app-stolen", body)).status;
    const own = replicaBody(first, 2, true) as { readonly HostConfig: object };
    const stolen = { ...replicaBody(other, 2, true), HostConfig: own.HostConfig };
    const identityOf = { ...own, Labels: { ...first.Config.Labels, "appserver.replica-of": name } };
    for (const body of [
      stolen,
      { ...own, Labels: first.Config.Labels ?? {} },
      identityOf,
      replicaBody({ ...first, Id: other.Id }, 2, true),
    ])
      assert.equal(await create(body), 404, JSON.stringify(body));
    assert.equal(await create(own), 201);
    await client.request("DELETE", "/containers/app-stolen");
    for (const app of ["victim", "thief"]) await runtime.remove(spec(app).name);
    await Promise.all([client.close(), runtime.close()]);
  });

  it("refuses what the driver does not send, with a reason, and its socket is closed to other users", async () => {
    const container = { Image: image, HostConfig: { Privileged: true }, Labels: { [containerLabels.instance]: instance } };
    const privileged = await call("POST", "/containers/create?name=app-x", container);
    assert.equal(privileged.status, 403);
    assert.match(privileged.text, /engine guard: /);
    assert.equal((await call("POST", `/containers/${name}/exec`, { Cmd: ["sh"] })).status, 403);
    assert.equal((await stat(socketPath)).mode & 0o777, 0o660);
  });
});

async function removeNetwork(network: string): Promise<void> {
  const client = new EngineClient(enginePath);
  await client.request("DELETE", `/networks/${network}`, { accept: [404] });
  await client.close();
}
