import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeAppImage } from "@appserver/containers-docker/images";
import { ensureAppKeys, loadManifest } from "@appserver/sdk";
import {
  approvePermissions,
  eventually,
  foreignSecrets,
  jsonOf,
  type PlatformUnderTest,
  send,
  testApp,
  untilRouted,
  untilState,
} from "@appserver/testing/kit";
import { separationProblem, type TestDockerEngine } from "@appserver/testing/kit/docker";
import { type Attempt, allowed, attempts } from "./attempts.ts";
import { type Facts, factsOf, inspectApp } from "./facts.ts";
import type { Order } from "./orders.ts";

const [intruder, victim] = ["com.example.intruder", "com.example.notes"];

/** A platform with the sample apps in containers. */
export interface IsolatedPlatform {
  readonly platform: PlatformUnderTest;
  readonly engine: TestDockerEngine;
  /** Registry and path of the images of apps. */
  readonly registry: string;
  /** Puts an image that the engine has into the registry. */
  publish(image: string): Promise<void>;
  readonly servers: Facts["servers"];
  /** Values that no container may have: passwords and keys of the platform. */
  readonly secrets: readonly string[];
  stop(): Promise<void>;
}

export interface IsolationOptions {
  readonly skip: string | undefined;
  readonly hasAllServers: boolean;
  /** What only this platform has. */
  readonly more?: readonly Attempt[];
}

/** Declares the tests of what an app in a container reaches (docs/interface/containers.md#isolation). */
export function isolationSuite(
  name: string,
  start: () => Promise<IsolatedPlatform>,
  { skip, hasAllServers, more = [] }: IsolationOptions,
): void {
  describe(`an app in a container on ${name}`, { skip: skip ?? false, concurrency: false }, () => {
    let running: IsolatedPlatform;
    let facts: Facts;

    const outcomeOf = async (order: Order): Promise<string> => {
      const { status, text } = await send(running.platform.httpUrl, `/api/apps/${intruder}/try`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(order),
      });
      assert.equal(status, 200, text);
      return (JSON.parse(text) as { outcome: string }).outcome;
    };
    const declare = (attempt: Attempt): void => {
      test(attempt.what, async (context) => {
        const orders = attempt.orders(facts);
        if (orders.length === 0) {
          assert.ok(!hasAllServers, "nothing was attempted");
          return context.skip("this driver has no such server");
        }
        if (attempt.needsFirewall) {
          const problem = await separationProblem(running.engine.socketPath, facts.victim.network);
          if (problem !== undefined) return context.skip(problem);
        }
        for (const order of orders) assert.match(await outcomeOf(order), attempt.ends, JSON.stringify(order));
      });
    };

    before(async () => {
      running = await start();
      await installIntruder(running);
      const { platform: under, engine, servers } = running;
      facts = await factsOf({ under, engine, hostAddress: hostAddress(), servers }, intruder, victim);
    });
    after(async () => {
      await running?.stop();
    });

    describe("reaches", () => {
      for (const attempt of allowed) declare(attempt);
    });
    describe("does not reach", () => {
      for (const attempt of [...attempts, ...more]) declare(attempt);
    });

    test("each app has a network of its own, and the platform's has no container of an app", async () => {
      const [own, other] = [await inspectApp(running.engine, intruder), await inspectApp(running.engine, victim)];
      assert.notEqual(own.network.name, other.network.name);
      assert.match(own.network.name, /-app-com\.example\.intruder-[0-9a-f]{8}$/);
    });

    test("`docker inspect` of an app shows no secret of the platform or of another app", async () => {
      const { text } = await inspectApp(running.engine, intruder);
      const secrets = [...running.secrets, ...Object.values(foreignSecrets), facts.victim.password];
      assert.ok(secrets.every((secret) => secret.length > 3));
      assert.deepEqual(
        secrets.filter((secret) => text.includes(secret)),
        [],
      );
    });

    test("the platform forwards no request to a backend of another app that a manifest names by address or name", async () => {
      const targets = [facts.victim.address, `app-${victim}`];
      for (const [index, target] of targets.entries()) {
        const name = `com.example.detour${index}`;
        const routes = [{ pattern: "/ping", methods: ["GET"], is_public: true }];
        const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://${target}:${facts.victim.port}`, routes };
        await running.platform.register(await testApp({ name, web_app: { api: { ...api, strip_base_path: true } } }));
        await running.platform.client().marketplace.installApp({ name });
        const { status, text } = await untilRouted(running.platform.httpUrl, name, "/ping");
        assert.equal(status, 502, text);
      }
    });

    test("uninstalling removes the network, after its container", async () => {
      const { network } = await inspectApp(running.engine, intruder);
      const instance = (await running.engine.inspect(`app-${intruder}`))?.Config.Labels["appserver.instance"] ?? "";
      assert.ok((await running.engine.networks(`appserver.instance=${instance}`)).includes(network.name));
      await running.platform.client().marketplace.uninstallApp({ name: intruder });
      await eventually(
        () => running.engine.networks(`appserver.instance=${instance}`),
        (names) => !names.includes(network.name),
        { timeoutMs: 60_000, what: "the network is removed" },
      );
      assert.equal(await running.engine.inspect(`app-${intruder}`), undefined);
      const ping = await send(running.platform.httpUrl, `/api/apps/${victim}/ping`);
      assert.deepEqual(jsonOf(ping), { pong: true });
    });
  });
}

/** Builds, registers and installs the intruder as a developer and an administrator do. */
async function installIntruder({ platform, engine, registry, publish }: IsolatedPlatform): Promise<void> {
  const source = join(import.meta.dirname, "intruder");
  const folder = await mkdtemp(join(tmpdir(), "intruder-"));
  try {
    for (const name of ["src", "app.yaml"]) await symlink(join(source, name), join(folder, name));
    const keys = await ensureAppKeys(folder, intruder);
    const image = `${registry}/${intruder}:latest`;
    const extraFolders = ["app.yaml"];
    await makeAppImage({ socketPath: engine.socketPath, appFolder: folder, entry: "src/server.ts", image, extraFolders });
    await publish(image);
    await platform.register({ ...(await loadManifest(folder, keys)), keys });
  } finally {
    await rm(folder, { recursive: true });
  }
  await approvePermissions(platform, intruder);
  await platform.client().marketplace.installApp({ name: intruder });
  await untilState(platform, intruder, "RUNNING", 120_000);
  await untilRouted(platform.httpUrl, intruder, "/try");
}

/** Returns an address of this machine that belongs to no container network. */
function hostAddress(): string | undefined {
  const found = Object.entries(networkInterfaces()).filter(([name]) => !/^(br-|docker|veth|lo)/.test(name));
  return found.flatMap(([, addresses]) => addresses ?? []).find(({ family }) => family === "IPv4")?.address;
}
