import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type AppNetworkSpec, type AppNetworkView, type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually, scaled } from "@appserver/testing/kit";
import { dockerEngineForTests, separationProblem } from "@appserver/testing/kit/docker";
import { ensureDebianProgram } from "../../../../tools/services/debian-package.ts";
import { ask } from "../../ask-probe.ts";
import { hasReason } from "../../has-reason.ts";
import { makeProbeImage } from "../../probe-image.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";

const engine = await dockerEngineForTests();
const available = "unavailable" in engine ? undefined : engine;
const skip = "unavailable" in engine ? engine.unavailable : undefined;
const mustRun = process.env["CI"] === "true" && process.getuid?.() === 0;

const socketPath = available?.socketPath ?? "";
const image = "appserver-suite.invalid/com.example.networks:latest";
const instance = `networks-${randomBytes(4).toString("hex")}`;
const platformNetwork = `${instance}-platform`;
/** A range that no other test uses. */
const pool = "10.214.0.0/16";

describe("networks of apps", { skip: skip ?? false, concurrency: false }, () => {
  const runtime = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });
  const replica = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });
  const { networks } = runtime;
  const client = new EngineClient(socketPath);
  const gateways: string[] = [];

  const specOf = (app: string, range = pool): AppNetworkSpec => ({
    name: `${instance}-app-${app}`,
    labels: { [containerLabels.instance]: instance, [containerLabels.appId]: app },
    pool: range,
  });
  const containerIn = (network: string, app: string): ContainerSpec => ({
    name: `app-${instance}.${app}`,
    image,
    environment: { PORT: "3000" },
    labels: specOf(app).labels,
    network,
    port: 3000,
    endpoint: "publish",
    memoryMb: 128,
    cpuShares: 512,
    pidsLimit: 64,
    readOnlyRoot: true,
  });
  const inspected = async (path: string): Promise<Record<string, unknown>> =>
    (await client.request("GET", path)).body as Record<string, unknown>;
  const subnetOf = async ({ id }: AppNetworkView): Promise<string> => {
    const { IPAM } = (await inspected(`/networks/${id}`)) as { IPAM: { Config: { Subnet: string }[] } };
    return IPAM.Config[0]?.Subnet ?? "";
  };
  const networksOf = async (container: string): Promise<readonly string[]> => {
    const { NetworkSettings } = (await inspected(`/containers/${container}/json`)) as {
      NetworkSettings: { Networks: Record<string, unknown> };
    };
    return Object.keys(NetworkSettings.Networks).sort();
  };
  /** Runs a container as an operator runs a server: with the label and a name on the platform's network. */
  const startGateway = async (name: string, label = instance): Promise<string> => {
    const container = `${instance}-${name}`;
    gateways.push(container);
    const body = {
      Image: image,
      Env: ["PORT=8080"],
      Labels: { [containerLabels.gateway]: label },
      HostConfig: { NetworkMode: platformNetwork },
      NetworkingConfig: { EndpointsConfig: { [platformNetwork]: { Aliases: ["server"] } } },
    };
    await client.request("POST", "/containers/create", { query: { name: container }, body });
    await client.request("POST", `/containers/${container}/start`);
    return container;
  };

  before(async () => {
    await makeProbeImage(socketPath, image);
    await runtime.ensureNetwork(platformNetwork);
  });
  after(async () => {
    const own = await runtime.list({ [containerLabels.instance]: instance });
    for (const name of [...own.map((view) => view.name), ...gateways]) await runtime.remove(name);
    for (const network of await networks.list({ [containerLabels.instance]: instance })) await networks.remove(network);
    await client.request("DELETE", `/networks/${platformNetwork}`, { accept: [404] });
    await Promise.all([runtime.close(), replica.close(), client.close()]);
    await available?.stop();
  });

  test("several orchestrators create one network, and it gets a /27 of the pool", async () => {
    const views = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 ? networks : replica.networks).ensure(specOf("shared"))),
    );
    const [view] = await networks.list(specOf("shared").labels);
    assert.ok(view);
    assert.equal((await networks.list({ [containerLabels.instance]: instance })).length, 1);
    assert.match(await subnetOf(view), /^10\.214\.\d+\.\d+\/27$/);
    // An early caller may have got the copy that was removed later; from now on all get the same one.
    assert.equal(new Set(views.map((found) => found.name)).size, 1);
    assert.deepEqual(await replica.networks.ensure(specOf("shared")), view);
    await networks.remove(view);
  });

  test("networks of other programs are left out, and an exhausted pool is reported until one is free", async () => {
    // Another one in each run: a killed run leaves routes, and this test needs all four networks of the range.
    const start = `10.215.${randomBytes(1)[0]}`;
    const range = `${start}.0/25`;
    const foreign = { Name: `${instance}-foreign`, IPAM: { Config: [{ Subnet: `${start}.32/27` }] } };
    await client.request("POST", "/networks/create", { body: foreign });
    try {
      const three = ["a", "b", "c"];
      const found = await Promise.all(
        three.map((app, index) => (index ? networks : replica.networks).ensure(specOf(app, range))),
      );
      const subnets = await Promise.all(found.map(subnetOf));
      assert.deepEqual(subnets.sort(), [`${start}.0/27`, `${start}.64/27`, `${start}.96/27`]);
      await assert.rejects(networks.ensure(specOf("d", range)), {
        reason: "no_free_network",
        message: `containers.network_pool ${range} has no free /27 for the network ${specOf("d").name}`,
      });
      await networks.remove(found[1] ?? assert.fail());
      assert.equal(
        await subnetOf(await networks.ensure(specOf("d", range))),
        await subnetOf(await networks.ensure(specOf("d", range))),
      );
      for (const app of ["a", "c", "d"]) await networks.remove(await networks.ensure(specOf(app, range)));
    } finally {
      await client.request("DELETE", `/networks/${foreign.Name}`);
    }
  });

  test("a network to which the machine has a route already is left out", async (context) => {
    const ip = ensureDebianProgram("ip", "iproute2");
    const problem = process.getuid?.() === 0 ? "unavailable" in ip && ip.unavailable : "only root makes routes";
    if (problem || "unavailable" in ip) {
      assert.ok(!mustRun, String(problem));
      return context.skip(String(problem));
    }
    const spec = specOf("routed");
    const first = await networks.ensure(spec);
    const subnet = await subnetOf(first);
    await networks.remove(first);
    // As a VPN makes it, or the bridge of a killed engine.
    execFileSync(ip.path, ["route", "add", subnet, "dev", "lo"]);
    try {
      const second = await networks.ensure(spec);
      assert.notEqual(await subnetOf(second), subnet);
      await networks.remove(second);
    } finally {
      execFileSync(ip.path, ["route", "delete", subnet, "dev", "lo"]);
    }
    const third = await networks.ensure(spec);
    assert.equal(await subnetOf(third), subnet);
    await networks.remove(third);
  });

  test("a name in use by another owner is refused, and its network stays", async () => {
    const spec = specOf("taken");
    const view = await networks.ensure({ ...spec, labels: { ...spec.labels, [containerLabels.instance]: "another" } });
    await assert.rejects(networks.ensure(spec), hasReason("name_conflict"));
    assert.equal((await networks.list({ [containerLabels.instance]: "another", [containerLabels.appId]: "taken" })).length, 1);
    await networks.remove(view);
  });

  test("gateways reach the app by its name and are reached by theirs, also those that start later", async () => {
    const early = await startGateway("early");
    const network = await networks.ensure(specOf("linked"));
    const spec = containerIn(network.name, "linked");
    await runtime.create(spec);
    const app = await runtime.start(spec.name);
    const late = await startGateway("late");
    const foreign = await startGateway("foreign", "another-instance");
    assert.deepEqual(await networksOf(early), [network.name, platformNetwork].sort());
    assert.equal(await ask(app, "/connect?host=server&port=8080").then(String), "connected");

    // The replica may connect the new one at the same moment.
    await Promise.all([networks.connectGateways(instance), replica.networks.connectGateways(instance)]);
    assert.equal(await networks.connectGateways(instance), 0);
    assert.deepEqual(await networksOf(late), await networksOf(early));
    assert.deepEqual(await networksOf(foreign), [platformNetwork]);
    for (const gateway of [early, late]) assert.equal(await ask(app, `/connect?host=${gateway}&port=8080`), "connected");
    assert.match(String(await ask(app, `/connect?host=${foreign}&port=8080`)), /ENOTFOUND|EAI_AGAIN/);

    // A stopped one starts again although the network was removed in between.
    await client.request("POST", `/containers/${late}/stop`, { query: { t: "0" } });
    await assert.rejects(networks.remove(network), /is still there/);
    await runtime.remove(spec.name);
    await networks.remove(network);
    await client.request("POST", `/containers/${late}/start`);
    for (const gateway of [early, late]) assert.deepEqual(await networksOf(gateway), [platformNetwork]);
  });

  test("the network of an app leads to no other container, neither of an app nor of the platform", async (context) => {
    const [one, other] = [await networks.ensure(specOf("one")), await networks.ensure(specOf("other"))];
    const [inOne, inOther] = [containerIn(one.name, "one"), containerIn(other.name, "other")];
    for (const spec of [inOne, inOther]) await runtime.create(spec);
    const [app] = [await runtime.start(inOne.name), await runtime.start(inOther.name)];
    const addressOf = async (container: string, network: string): Promise<string> => {
      const { NetworkSettings } = (await inspected(`/containers/${container}/json`)) as {
        NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
      };
      return NetworkSettings.Networks[network]?.IPAddress ?? assert.fail(network);
    };
    const redis = await startGateway("redis", "no-gateway");
    const targets = [await addressOf(inOther.name, other.name), await addressOf(redis, platformNetwork)];
    for (const network of [one.name, other.name]) {
      const problem = await separationProblem(socketPath, network);
      if (problem !== undefined) return context.skip(problem);
    }
    // Its own address shows that the probe works.
    await eventually(async () => (await ask(app, `/connect?host=${inOne.name}&port=3000`)) === "connected");
    for (const host of targets)
      for (const port of [3000, 8080]) assert.equal(await ask(app, `/connect?host=${host}&port=${port}`), "timeout", host);
  });

  test(`${scaled(200)} apps have networks, and a gateway reaches all of them`, async (context) => {
    const count = scaled(200);
    const gateway = await startGateway("many");
    const startedAt = performance.now();
    for (let app = 0; app < count; app++) await networks.ensure(specOf(`many-${app}`));
    context.diagnostic(`${((performance.now() - startedAt) / count).toFixed(0)} ms for each network`);
    const found = (await networksOf(gateway)).filter((name) => name.includes("-many-"));
    assert.equal(found.length, count);
    const second = await startGateway("second");
    const again = performance.now();
    await networks.connectGateways(instance);
    context.diagnostic(`${((performance.now() - again) / count).toFixed(0)} ms for each network of a new gateway`);
    assert.equal((await networksOf(second)).filter((name) => name.includes("-many-")).length, count);
  });
});
