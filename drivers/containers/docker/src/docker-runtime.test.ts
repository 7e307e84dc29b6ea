import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ContainerSpec, containerLabels, type PullProgress } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { ensureDockerEngine } from "../../../../tools/services/docker-engine.ts";
import { ensureRegistry } from "../../../../tools/services/registry.ts";
import { ask } from "../../ask-probe.ts";
import { containersSuite, hasReason, suiteNetwork } from "../../containers.suite.ts";
import { probeEntry, writeProbeApp } from "../../probe-app.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";
import { buildImage, makeAppImage, pushImage } from "./images/index.ts";

const engine = await ensureDockerEngine();
const available = "unavailable" in engine ? undefined : engine;
const skip = "unavailable" in engine ? engine.unavailable : undefined;
const mustRun = process.env["CI"] === "true" && process.getuid?.() === 0;
if (skip !== undefined && mustRun) throw new Error(`the Docker tests must run here: ${skip}`);

const socketPath = available?.socketPath ?? "";
const image = "appserver-suite.invalid/com.example.probe:latest";
const folder = mkdtempSync(join(tmpdir(), "appserver-docker-"));
const instance = `docker-${randomBytes(4).toString("hex")}`;
const network = `appserver-${instance}`;

before(async () => {
  if (!available) return;
  await makeProbe(image, "1");
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await available?.stop();
});

containersSuite(
  "docker",
  async () => {
    const registry = await openRegistry(emptyRegistry);
    return {
      open: async () => new DockerRuntime({ socketPath, pullPolicy: "if-not-present" }),
      image,
      hasLimits: true,
      publish: (version) => makeProbe(image, version),
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

  test("a container runs as its user, and a name must be one of the image that is not root", async () => {
    const statusOf = async (app: string, user: string): Promise<string> => {
      await runtime.create(specOf(app, { user }));
      const view = await runtime.start(specOf(app).name);
      return ((await ask(view, "/read?path=/proc/self/status")) as { value: string }).value;
    };
    assert.match(await statusOf("default-user", "65532:65532"), /^Uid:\t65532\t65532\t65532\t65532\nGid:\t65532\t/m);
    assert.match(await statusOf("named-user", "app"), /^Uid:\t1000\t/m);
    assert.match(await statusOf("root-user", "root"), /^Uid:\t0\t/m);
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

  test("an app over its memory is killed, other apps are not", async () => {
    for (const app of ["greedy", "neighbour"]) await runtime.create(specOf(app, { memoryMb: 128 }));
    const greedy = await runtime.start(specOf("greedy").name);
    const neighbour = await runtime.start(specOf("neighbour").name);
    await ask(greedy, "/env");
    await ask(greedy, "/allocate?mb=512").catch(() => {});
    const ended = await eventually(
      () => runtime.inspect(greedy.name),
      (view) => view?.status === "exited",
    );
    assert.equal(ended?.exitCode, 137);
    await ask(neighbour, "/env");
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

  test("a missing network is start_failed", async () => {
    for (const changes of [{}, { aliases: ["unplugged"] }]) {
      const spec = specOf("unplugged", { network: "appserver-no-such-network", ...changes });
      await runtime.create(spec);
      await assert.rejects(runtime.start(spec.name), hasReason("start_failed"));
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

describe("DockerRuntime pulls", { skip: skip ?? false }, () => {
  const runtime = new DockerRuntime({ socketPath });
  after(async () => await runtime.close());

  test("an image from a registry by tag, and runs it by digest", async (context) => {
    const registry = await ensureRegistry();
    if ("unavailable" in registry) {
      assert.ok(!mustRun, registry.unavailable);
      context.skip(registry.unavailable);
      return;
    }
    const reference = `${registry.host}/com.example.probe:testing`;
    const client = new EngineClient(socketPath);
    try {
      await makeProbe(reference, "1");
      await pushImage(client, reference);
      await client.request("DELETE", `/images/${reference}`);

      const seen: PullProgress[] = [];
      const options = { signal: AbortSignal.timeout(60_000), onProgress: (progress: PullProgress) => seen.push(progress) };
      const { digest } = await runtime.pull(reference, options);
      assert.match(digest, /^sha256:[0-9a-f]{64}$/);
      const fractions = seen.flatMap(({ fraction }) => fraction ?? []);
      assert.deepEqual(
        fractions,
        [...fractions].sort((left, right) => left - right),
      );
      assert.ok(seen.some(({ status }) => status.includes(reference)));

      const name = `app-${instance}.pulled`;
      const labels = { [containerLabels.instance]: instance, [containerLabels.appId]: "pulled" };
      const limits = { memoryMb: 128, cpuShares: 512, pidsLimit: 64, readOnlyRoot: true };
      const rest = { environment: {}, network: "none", port: 3000, endpoint: "network", ...limits } as const;
      const view = await runtime.create({ name, image: `${reference}@${digest}`, labels, ...rest });
      assert.equal(view.image, digest);
      await runtime.remove(name);

      const missing = `${registry.host}/com.example.nobody:latest`;
      await assert.rejects(runtime.pull(missing, options), {
        reason: "image_not_found",
        message: `repository not found: ${missing}`,
      });
    } finally {
      await client.close();
      await registry.stop();
    }
  });

  test("a digest runs its own image after another push of the tag, and without the registry", async (context) => {
    const registry = await ensureRegistry({ folder: join(folder, "registry") });
    if ("unavailable" in registry) {
      assert.ok(!mustRun, registry.unavailable);
      context.skip(registry.unavailable);
      return;
    }
    const reference = `${registry.host}/com.example.probe:latest`;
    const client = new EngineClient(socketPath);
    const signal = AbortSignal.timeout(120_000);
    const network = `${suiteNetwork}-digests`;
    const push = async (version: string): Promise<string> => {
      await makeProbe(reference, version);
      await pushImage(client, reference);
      await client.request("DELETE", `/images/${reference}`);
      return (await runtime.pull(reference, { signal })).digest;
    };
    try {
      const first = await push("1");
      const second = await push("2");
      assert.notEqual(first, second);
      // Without the local copy, the digest is pulled from the registry.
      await client.request("DELETE", `/images/${registry.host}/com.example.probe@${first}`);
      assert.deepEqual(await runtime.pull(`${reference}@${first}`, { signal }), { digest: first });

      await registry.stop();
      await assert.rejects(fetch(`http://${registry.host}/v2/`));
      await assert.rejects(runtime.pull(reference, { signal }), hasReason("pull_failed"));
      await runtime.ensureNetwork(network);
      for (const [version, digest] of [["1", first] as const, ["2", second] as const]) {
        const pinned = `${reference}@${digest}`;
        assert.deepEqual(await runtime.pull(pinned, { signal }), { digest });
        const name = `app-${instance}.digest-${version}`;
        const labels = { [containerLabels.instance]: instance, [containerLabels.appId]: name };
        const limits = { memoryMb: 128, cpuShares: 512, pidsLimit: 64, readOnlyRoot: true };
        const rest = { environment: { PORT: "3000" }, network, port: 3000, endpoint: "publish", ...limits } as const;
        await runtime.create({ name, image: pinned, labels, ...rest });
        const view = await runtime.start(name);
        assert.equal(view.image, digest);
        assert.equal(await ask(view, "/version"), version);
        await runtime.remove(name);
      }
    } finally {
      await removeNetwork(network);
      await client.close();
      await registry.stop();
    }
  });

  test("a pull from a registry that does not respond ends with the caller's signal", async () => {
    await withRegistry(
      () => {},
      async (host) => {
        const pull = runtime.pull(`${host}/com.example.slow:latest`, { signal: AbortSignal.timeout(300) });
        await assert.rejects(pull, {
          reason: "pull_timeout",
          message: `timeout pulling image: ${host}/com.example.slow:latest`,
        });
      },
    );
  });

  test("a failing registry is pull_failed, with its reason", async () => {
    await withRegistry(
      (_, response) => response.writeHead(500).end("out of order"),
      async (host) => {
        const pull = runtime.pull(`${host}/com.example.broken:latest`, { signal: AbortSignal.timeout(30_000) });
        await assert.rejects(pull, { reason: "pull_failed", message: /500 Internal Server Error/ });
      },
    );
  });

  test("credentials are sent to the registry only if given", async () => {
    const seen: (string | undefined)[] = [];
    await withRegistry(
      (request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(401, { "www-authenticate": 'Basic realm="probe"' }).end();
      },
      async (host) => {
        const reference = `${host}/com.example.private:latest`;
        await assert.rejects(runtime.pull(reference, { signal: AbortSignal.timeout(30_000) }), hasReason("pull_failed"));
        assert.deepEqual([...new Set(seen)], [undefined]);
        const credentials = { username: "robot", password: "pässword" };
        await assert.rejects(
          runtime.pull(reference, { signal: AbortSignal.timeout(30_000), credentials }),
          hasReason("pull_failed"),
        );
        assert.ok(seen.includes(`Basic ${Buffer.from("robot:pässword").toString("base64")}`));
      },
    );
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

async function makeProbe(reference: string, version: string): Promise<void> {
  writeProbeApp(folder, version);
  await makeAppImage({ socketPath, appFolder: folder, entry: probeEntry, image: reference });
}

async function removeNetwork(name: string): Promise<void> {
  const client = new EngineClient(socketPath);
  await client.request("DELETE", `/networks/${name}`, { accept: [404] });
  await client.close();
}

/** Starts a faulty registry. On 127.0.0.1 the engine uses plain HTTP. */
async function openRegistry(listener: RequestListener): Promise<{ host: string; close(): void }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function withRegistry(listener: RequestListener, work: (host: string) => Promise<void>): Promise<void> {
  const registry = await openRegistry(listener);
  try {
    await work(registry.host);
  } finally {
    registry.close();
  }
}

/** Responds like a registry without images (OCI Distribution Specification, "Pulling manifests"). */
const emptyRegistry: RequestListener = (request, response) => {
  const isPing = request.url === "/v2/";
  response.writeHead(isPing ? 200 : 404, { "content-type": "application/json" });
  response.end(isPing ? "{}" : JSON.stringify({ errors: [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }] }));
};
