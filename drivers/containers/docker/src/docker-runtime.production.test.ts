import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { ask } from "../../ask-probe.ts";
import { containersSuite, suiteNetwork } from "../../containers.suite.ts";
import { hasReason } from "../../has-reason.ts";
import { makeProbeImage } from "../../probe-image.ts";
import { emptyRegistry, openRegistry } from "../test/registries.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";
import { buildImage } from "./images/index.ts";

const engine = await dockerEngineForTests();
const available = "unavailable" in engine ? undefined : engine;
const skip = "unavailable" in engine ? engine.unavailable : undefined;

const socketPath = available?.socketPath ?? "";
const image = "appserver-suite.invalid/com.example.probe:latest";
const instance = `docker-${randomBytes(4).toString("hex")}`;
const network = `appserver-${instance}`;

before(async () => {
  if (!available) return;
  await makeProbeImage(socketPath, image);
});
after(() => available?.stop());

containersSuite(
  "docker",
  async () => {
    const registry = await openRegistry(emptyRegistry);
    return {
      open: async () => new DockerRuntime({ socketPath, pullPolicy: "if-not-present" }),
      image,
      publish: (version) => makeProbeImage(socketPath, image, version),
      missingImage: `${registry.host}/com.example.missing:latest`,
      ownEnvironment: ["PATH", "HOSTNAME", "HOME"],
      close: async () => {
        registry.close();
        await removeNetwork(suiteNetwork);
      },
    };
  },
  skip === undefined ? {} : { skip },
);

describe("DockerRuntime", { skip: skip ?? false }, () => {
  const runtime = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });

  const specOf = (app: string, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
    name: `app-${instance}.${app}`,
    image,
    environment: { PORT: "3000" },
    labels: { [containerLabels.instance]: instance, [containerLabels.appId]: app },
    network,
    port: 3000,
    endpoint: "publish",
    memoryMb: 256,
    cpuShares: 512,
    pidsLimit: 64,
    readOnlyRoot: true,
    ...changes,
  });

  before(async () => await runtime.ensureNetwork(network));
  after(async () => {
    for (const { name } of await runtime.list({ [containerLabels.instance]: instance })) await runtime.remove(name);
    await runtime.close();
    await removeNetwork(network);
  });

  test("the hardening is effective inside the container", async () => {
    await runtime.create(specOf("hardened"));
    const view = await runtime.start(specOf("hardened").name);
    const { value: status } = (await ask(view, "/read?path=/proc/self/status")) as { value: string };
    assert.match(status, /^CapEff:\t0+$/m);
    assert.match(status, /^CapBnd:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.match(status, /^Seccomp:\t2$/m);
    assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m);
    assert.deepEqual(await ask(view, "/write?path=/app/x"), { error: "EROFS" });
    assert.deepEqual(await ask(view, "/write?path=/x"), { error: "EROFS" });
    assert.deepEqual(await ask(view, "/write?path=/tmp/x"), {});
    assert.deepEqual(await ask(view, "/read?path=/var/run/docker.sock"), { error: "ENOENT" });
    assert.notEqual(await ask(view, "/pid"), 1);
  });

  test("a container may run as root, and a name must be one of the image that is not root", async () => {
    await runtime.create(specOf("root-user", { user: "root" }));
    const view = await runtime.start(specOf("root-user").name);
    const { value: status } = (await ask(view, "/read?path=/proc/self/status")) as { value: string };
    assert.match(status, /^Uid:\t0\t/m);
    const [renamed, client] = ["appserver-suite.invalid/com.example.toor:latest", new EngineClient(socketPath)];
    const passwd = "root:x:0:0::/:/nologin\ntoor:x:0:0::/:/nologin\n";
    const files = [{ kind: "file", path: "passwd", contents: passwd }] as const;
    await buildImage(client, renamed, `FROM ${image}\nCOPY passwd /etc/passwd\n`, files);
    await client.close();
    for (const [user, message] of [
      ["nobody-here", /has no user nobody-here/],
      ["toor", /the user toor of the image has the id of root/],
    ] as const) {
      const spec = specOf(user, { user, image: renamed });
      await assert.rejects(runtime.create(spec), (error) => {
        assert.match(String(error), message);
        return hasReason("start_failed")(error);
      });
      assert.equal(await runtime.inspect(spec.name), undefined);
    }
  });

  test("a change by hand changes the fingerprint, and changing it back restores it", async () => {
    const { name } = specOf("changed");
    const other = `${network}-other`;
    await runtime.ensureNetwork(other);
    await runtime.create(specOf("changed"));
    const { fingerprint } = await runtime.start(name);
    const client = new EngineClient(socketPath);
    const fingerprintAfter = async (path: string, body: object): Promise<string | undefined> => {
      await client.request("POST", path, { body });
      return (await runtime.inspect(name))?.fingerprint;
    };
    const update = `/containers/${name}/update`;
    const memory = (mb: number) => ({ Memory: mb * 1024 * 1024, MemorySwap: mb * 1024 * 1024 });
    const changes: readonly (readonly [path: string, body: object, undo: string, undone: object])[] = [
      [update, memory(512), update, memory(256)],
      [update, { CpuShares: 2_048 }, update, { CpuShares: 512 }],
      [update, { PidsLimit: 4_096 }, update, { PidsLimit: 64 }],
      [`/networks/${other}/connect`, { Container: name }, `/networks/${other}/disconnect`, { Container: name }],
      [`/networks/${network}/disconnect`, { Container: name }, `/networks/${network}/connect`, { Container: name }],
    ];
    for (const [path, body, undo, undone] of changes) {
      const what = `${path} ${JSON.stringify(body)}`;
      assert.notEqual(await fingerprintAfter(path, body), fingerprint, what);
      assert.equal(await fingerprintAfter(undo, undone), fingerprint, what);
    }
    await client.close();
    await removeNetwork(other);
  });

  test("apps on the network reach each other by name, and no port is published", async () => {
    await runtime.create(specOf("inner", { endpoint: "network" }));
    await runtime.create(specOf("outer"));
    const inner = await runtime.start(specOf("inner").name);
    const outer = await runtime.start(specOf("outer").name);
    assert.equal(inner.endpoint, `http://${inner.name}:3000`);
    const url = encodeURIComponent(`${inner.endpoint}/env`);
    assert.equal(await ask(outer, `/fetch?url=${url}`), 200);
  });

  test("a renamed container is reached by its first name, at the same endpoint, and by the new one", async () => {
    const spec = specOf("versioned-g2", { endpoint: "network", aliases: [specOf("versioned-g2").name] });
    const newName = specOf("versioned").name;
    await runtime.create(spec);
    const view = await runtime.start(spec.name);
    await runtime.create(specOf("client"));
    const client = await runtime.start(specOf("client").name);
    const status = async (host: string): Promise<unknown> =>
      await ask(client, `/fetch?url=${encodeURIComponent(`http://${host}:3000/env`)}`);
    await eventually(async () => (await status(spec.name)) === 200);

    const renamed = await runtime.rename(spec.name, newName);
    assert.equal(renamed.endpoint, `http://${spec.name}:3000`);
    assert.equal(renamed.endpoint, view.endpoint);
    assert.deepEqual([await status(spec.name), await status(newName)], [200, 200]);

    await runtime.stop(newName, 2_000);
    assert.equal((await runtime.start(newName)).endpoint, view.endpoint);
    await eventually(async () => (await status(spec.name)) === 200);
    assert.equal(await status(newName), 200);
  });

  test("a container without aliases is reached by its new name", async () => {
    await runtime.create(specOf("plain", { endpoint: "network" }));
    await runtime.start(specOf("plain").name);
    const view = await runtime.rename(specOf("plain").name, specOf("plainer").name);
    assert.equal(view.endpoint, `http://${specOf("plainer").name}:3000`);
  });

  test("a running container and its successor are reached by different names, until the successor takes the name", async () => {
    const name = specOf("upgraded").name;
    await runtime.create(specOf("upgraded", { endpoint: "network" }));
    await runtime.start(name);
    const next = specOf("upgraded-g2", { endpoint: "network", aliases: [`${name}-g2`] });
    await runtime.create(next);
    const started = await runtime.start(next.name);
    await assert.rejects(runtime.rename(next.name, name), hasReason("name_conflict"));
    await runtime.remove(name);
    const renamed = await runtime.rename(next.name, name);
    assert.deepEqual(renamed, { ...started, name });
  });

  test("containers reach this host at the network's gateway", async () => {
    const gateway = await runtime.networkGateway(network);
    assert.ok(gateway);
    const server = createServer((_, response) => response.end("host")).listen(0, gateway);
    await once(server, "listening");
    await runtime.create(specOf("caller"));
    const caller = await runtime.start(specOf("caller").name);
    const url = encodeURIComponent(`http://${gateway}:${(server.address() as AddressInfo).port}/`);
    assert.equal(await ask(caller, `/fetch?url=${url}`), 200);
    server.close();
    assert.equal(await runtime.networkGateway("appserver-no-such-network"), undefined);
  });

  test("a container removed by hand is reported as missing", async () => {
    await runtime.create(specOf("deleted"));
    await runtime.start(specOf("deleted").name);
    const client = new EngineClient(socketPath);
    await client.request("DELETE", `/containers/${specOf("deleted").name}`, { query: { force: "true" } });
    await client.close();
    assert.equal(await runtime.inspect(specOf("deleted").name), undefined);
    assert.notEqual((await runtime.create(specOf("deleted"))).id, undefined);
  });

  test("a missing network is no fault of the image", async () => {
    for (const changes of [{}, { aliases: ["unplugged"] }]) {
      const spec = specOf("unplugged", { network: "appserver-no-such-network", ...changes });
      await runtime.create(spec);
      await assert.rejects(runtime.start(spec.name), hasReason("other"));
      await runtime.remove(spec.name);
    }
  });

  test("a container that does not belong to the platform is not touched", async () => {
    const client = new EngineClient(socketPath);
    const spec = specOf("foreign");
    await client.request("POST", "/containers/create", { query: { name: spec.name }, body: { Image: image } });
    await assert.rejects(runtime.create(spec), hasReason("name_conflict"));
    await client.request("DELETE", `/containers/${spec.name}`);
    await client.close();
  });
});

describe("DockerRuntime without an engine", () => {
  test("every call rejects with the text of docs/interface/errors.md#orchestrator-errors", async () => {
    const runtime = new DockerRuntime({ socketPath: join(tmpdir(), "appserver-no-engine.sock") });
    const expected = { reason: "unreachable", message: "Cannot connect to Docker daemon" };
    await assert.rejects(runtime.ping(500), expected);
    await assert.rejects(runtime.inspect("app-any"), expected);
    await assert.rejects(runtime.pull("any/image:latest", { signal: AbortSignal.timeout(1_000) }), expected);
    await runtime.close();
  });
});

async function removeNetwork(name: string): Promise<void> {
  const client = new EngineClient(socketPath);
  await client.request("DELETE", `/networks/${name}`, { accept: [404] });
  await client.close();
}
