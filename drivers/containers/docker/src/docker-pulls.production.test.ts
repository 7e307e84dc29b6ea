import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { containerLabels, type PullProgress } from "@appserver/kernel/ports";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { ensureRegistry } from "../../../../tools/services/registry.ts";
import { ask } from "../../ask-probe.ts";
import { hasReason } from "../../has-reason.ts";
import { makeProbeImage } from "../../probe-image.ts";
import { withRegistry } from "../test/registries.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";
import { pushImage } from "./images/index.ts";

const engine = await dockerEngineForTests();
const skip = "unavailable" in engine ? engine.unavailable : false;
const mustRun = process.env["CI"] === "true" && process.getuid?.() === 0;
const socketPath = "unavailable" in engine ? "" : engine.socketPath;
const folder = mkdtempSync(join(tmpdir(), "appserver-pulls-"));
const instance = `pulls-${randomBytes(4).toString("hex")}`;

describe("DockerRuntime pulls", { skip }, () => {
  const runtime = new DockerRuntime({ socketPath });
  after(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
    if (!("unavailable" in engine)) await engine.stop();
  });

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
      await makeProbeImage(socketPath, reference, "1");
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
      const absent = `${reference}@sha256:${"0".repeat(64)}`;
      await assert.rejects(runtime.pull(absent, options), {
        reason: "image_not_found",
        message: `repository not found: ${absent}`,
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
    const network = `${instance}-digests`;
    const push = async (version: string): Promise<string> => {
      await makeProbeImage(socketPath, reference, version);
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
      await client.request("DELETE", `/networks/${network}`, { accept: [404] });
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

  test("a registry that allows no more pulls is pull_limited", async () => {
    const errors = [{ code: "TOOMANYREQUESTS", message: "You have reached your pull rate limit" }];
    await withRegistry(
      (_, response) => response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify({ errors })),
      async (host) => {
        const pull = runtime.pull(`${host}/com.example.popular:latest`, { signal: AbortSignal.timeout(30_000) });
        await assert.rejects(pull, hasReason("pull_limited"));
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
