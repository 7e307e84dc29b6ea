import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, type TestContext, test } from "node:test";
import { type ContainerSpec, type ContainerView, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { ask } from "../../ask-probe.ts";
import { hasReason } from "../../has-reason.ts";
import { makeProbeImage } from "../../probe-image.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";

const engine = await dockerEngineForTests();
const available = "unavailable" in engine ? undefined : engine;
const socketPath = available?.socketPath ?? "";
const image = "appserver-suite.invalid/com.example.probe:latest";
const instance = `replicas-${randomBytes(4).toString("hex")}`;
const network = `appserver-${instance}`;

type Call = Parameters<EngineClient["request"]>;

describe("instances of a container on Docker", { skip: "unavailable" in engine ? engine.unavailable : false }, () => {
  const runtime = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });
  const client = new EngineClient(socketPath);
  const labels = { [containerLabels.instance]: instance };

  const specOf = (app: string, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
    name: `app-${instance}.${app}`,
    image,
    environment: { PORT: "3000", GREETING: "a b = c" },
    labels: { ...labels, [containerLabels.appId]: app },
    network,
    port: 3000,
    endpoint: "publish",
    memoryMb: 128,
    cpuShares: 512,
    pidsLimit: 64,
    readOnlyRoot: true,
    ...changes,
  });
  const started = async (spec: ContainerSpec, replicas: number): Promise<ContainerView> => {
    await runtime.create(spec);
    return await runtime.start(spec.name, replicas);
  };
  const endpointsOf = ({ instances }: ContainerView): readonly { readonly endpoint: string }[] =>
    instances.map(({ address }) => ({ endpoint: `http://${address}` }));
  const names = async (): Promise<readonly string[]> =>
    (await available?.containers(`${containerLabels.instance}=${instance}`, true))?.toSorted() ?? [];
  const inspect = async (name: string) => (await available?.inspect(name)) ?? assert.fail(`no ${name}`);

  before(async () => {
    await makeProbeImage(socketPath, image);
    await runtime.ensureNetwork(network);
  });
  after(async () => {
    for (const { name } of await runtime.list(labels)) await runtime.remove(name);
    await client.request("DELETE", `/networks/${network}`, { accept: [404] });
    await Promise.all([runtime.close(), client.close()]);
    await available?.stop();
  });

  test("have the same image, environment, user, limits and hardening", async () => {
    const spec = specOf("same", { user: "1000:1000", aliases: [specOf("same").name] });
    const view = await started(spec, 2);
    for (const endpoint of endpointsOf(view)) {
      const { GREETING, HOSTNAME, ...environment } = (await ask(endpoint, "/env")) as Record<string, string>;
      assert.deepEqual([GREETING, environment["PORT"]], ["a b = c", "3000"]);
      assert.ok(HOSTNAME);
      const { value: status } = (await ask(endpoint, "/read?path=/proc/self/status")) as { value: string };
      for (const line of [/^CapEff:\t0+$/m, /^NoNewPrivs:\t1$/m, /^Seccomp:\t2$/m, /^Uid:\t1000\t/m])
        assert.match(status, line);
      assert.deepEqual(await ask(endpoint, "/write?path=/x"), { error: "EROFS" });
    }
    const [first, second] = [await inspect(spec.name), await inspect(`${spec.name}--2`)];
    const { Mounts: _own, ...host } = first.HostConfig;
    const { Mounts: _shared, ...hostOfSecond } = second.HostConfig;
    assert.deepEqual(hostOfSecond, host);
    assert.deepEqual([second.Config.User, second.Config.Env], [first.Config.User, first.Config.Env]);
  });

  test("have one identity, also one that is started later, and a renewal reaches all", async () => {
    const { name } = await runtime.create(specOf("known"));
    await runtime.writeFiles(name, [{ name: "key.pem", text: "a key" }]);
    await runtime.start(name, 2);
    const view = await runtime.start(name, 3);
    const fileOf = (text: string) => ({ value: { text, mode: "400", isOwn: true } });
    const read = async (file: string): Promise<readonly unknown[]> =>
      await Promise.all(endpointsOf(view).map((endpoint) => ask(endpoint, `/identity?file=${file}`)));
    assert.deepEqual(await read("key.pem"), new Array(3).fill(fileOf("a key")));
    await runtime.writeFiles(name, [{ name: "certificate.pem", text: "renewed" }]);
    assert.deepEqual(await read("certificate.pem"), new Array(3).fill(fileOf("renewed")));

    const { body } = await client.request("GET", `/containers/${name}/json`);
    const { Mounts } = body as { readonly Mounts: readonly { readonly Name: string; readonly Destination: string }[] };
    const volume = Mounts.find(({ Destination }) => Destination === "/run/appserver")?.Name;
    const volumeStatus = async (): Promise<number> =>
      (await client.request("GET", `/volumes/${volume}`, { accept: [404] })).status;
    await runtime.start(name, 1);
    assert.equal(await volumeStatus(), 200, "the first one has it still");
    await runtime.start(name, 2);
    await runtime.remove(name);
    assert.equal(await volumeStatus(), 404, "no key is left");
  });

  test("are one container in the list, and one that is left of a removed container is removed", async () => {
    const spec = specOf("grouped");
    const view = await started(spec, 3);
    const listed = await runtime.list(spec.labels);
    assert.deepEqual(listed, [view]);
    assert.deepEqual([view.wanted, view.instances.length], [3, 3]);
    assert.equal(await runtime.inspect(`${spec.name}--2`), undefined, "no container of its own");
    await client.request("DELETE", `/containers/${spec.name}`, { query: { force: "true" } });
    assert.equal(await runtime.inspect(spec.name), undefined);
    // The names of what is left are needed before anything was listed.
    const again = await started(spec, 2);
    assert.equal(again.instances.length, 2);
    assert.deepEqual(await runtime.list(spec.labels), [again]);
    assert.deepEqual(
      (await names()).filter((name) => name.includes(".grouped")),
      [spec.name, `${spec.name}--2`],
    );
  });

  /** Returns the ends of the names of the containers of an app. */
  const endsOf = async (app: string): Promise<readonly string[]> => {
    const { name: start } = specOf(app);
    return (await names()).filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
  };

  test("a start, rename, restart or removal that was killed after any of its steps is repeated, and leaves nothing", async (t) => {
    const first = specOf("cut-g2", { aliases: [specOf("cut-g2").name] });
    const { name: newName } = specOf("cut");
    const steps: readonly (readonly [work: (by: DockerRuntime) => Promise<unknown>, left: readonly string[]])[] = [
      [(by) => by.start(first.name, 3), ["-g2", "-g2--2", "-g2--3"]],
      [(by) => by.restart(first.name, 1_000), ["-g2", "-g2--2", "-g2--3"]],
      [(by) => by.rename(first.name, newName), ["", "--2", "--3"]],
      [(by) => by.start(newName, 2), ["", "--2"]],
      [(by) => by.stop(newName, 1_000), ["", "--2"]],
      [(by) => by.restart(newName, 1_000), ["", "--2"]],
      [(by) => by.start(newName, 1), [""]],
      [(by) => by.start(newName, 3), ["", "--2", "--3"]],
      [(by) => by.remove(newName), []],
    ];
    const { id } = await runtime.create(first);
    let kills = 0;
    for (const [index, [work, left]] of steps.entries()) {
      for (let killed = true, calls = 1; killed; calls += 1) {
        killed = await killedAfter(t, calls, work);
        kills += Number(killed);
        const seen = (await runtime.list(first.labels)).map((view) => view.id);
        assert.ok(seen.length === 0 || (seen.length === 1 && seen[0] === id), `step ${index}, call ${calls}: ${seen}`);
      }
      assert.deepEqual(await endsOf("cut"), left, `step ${index}`);
      const view = await runtime.inspect(left[0] === "-g2" ? first.name : newName);
      const expected = left.length === 0 ? undefined : index === 4 ? 0 : left.length;
      assert.equal(view?.instances.filter(({ isReady }) => isReady).length, expected, `step ${index}`);
    }
    assert.ok(kills >= 20, `${kills} kills`);
  });

  /** Does it in a process that ends after so many calls that change something. Returns whether it ended so. */
  async function killedAfter(t: TestContext, calls: number, work: (by: DockerRuntime) => Promise<unknown>): Promise<boolean> {
    const killed = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });
    const { request } = EngineClient.prototype;
    let left = calls;
    const { mock } = t.mock.method(EngineClient.prototype, "request", async function (this: EngineClient, ...call: Call) {
      if (left === 0) throw new Error("killed");
      const response = await request.apply(this, call);
      if (call[0] === "GET") return response;
      left -= 1;
      if (left === 0) throw new Error("killed");
      return response;
    });
    try {
      await work(killed);
      return false;
    } catch (error) {
      if (left > 0) throw error;
      return true;
    } finally {
      mock.restore();
      await killed.close();
    }
  }

  test("a rename is refused if another container has the name of an instance", async () => {
    const spec = specOf("held-g2");
    const newName = specOf("held").name;
    await started(spec, 2);
    const taken = { name: `${newName}--2` };
    await client.request("POST", "/containers/create", { query: taken, body: { Image: image } });
    await assert.rejects(runtime.rename(spec.name, newName), hasReason("name_conflict"));
    assert.equal((await runtime.inspect(spec.name))?.instances.length, 2);
    await client.request("DELETE", `/containers/${taken.name}`);
    assert.equal((await runtime.rename(spec.name, newName)).instances.length, 2);
  });

  test("are reached on the network at names that a rename does not change", async () => {
    const spec = specOf("inner-g2", { endpoint: "network", aliases: [specOf("inner-g2").name] });
    const view = await started(spec, 2);
    const addresses = view.instances.map(({ address }) => address);
    assert.deepEqual(addresses, [`${spec.name}:3000`, `${spec.name}--2:3000`]);
    const client = await started(specOf("client"), 1);
    await runtime.rename(spec.name, specOf("inner").name);
    for (const address of addresses) {
      const url = encodeURIComponent(`http://${address}/env`);
      await eventually(async () => (await ask(client, `/fetch?url=${url}`)) === 200);
    }
  });

  test("restart replaces each, stop keeps their number for the next restart, and statistics are their sum", async () => {
    const spec = specOf("restarted");
    const before = await started(spec, 2);
    for (const endpoint of endpointsOf(before)) await ask(endpoint, "/env");
    const stats = (await runtime.stats(spec.name)) ?? assert.fail("no statistics");
    assert.deepEqual(new Set(Object.keys(stats.cpuSecondsOf ?? {})), new Set(before.instances.map(({ id }) => id)));
    assert.equal(stats.memoryLimitBytes, 2 * 128 * 1024 * 1024);
    const after = await runtime.restart(spec.name, 1_000);
    assert.deepEqual([after.id, after.fingerprint, after.wanted], [before.id, before.fingerprint, 2]);
    for (const [index, { id, startedAt }] of after.instances.entries()) {
      assert.equal(id, before.instances[index]?.id);
      assert.ok((startedAt?.getTime() ?? 0) > (before.instances[index]?.startedAt?.getTime() ?? 0));
    }
    await runtime.stop(spec.name, 1_000);
    assert.deepEqual(
      [(await runtime.inspect(spec.name))?.status, (await runtime.restart(spec.name, 1_000)).wanted],
      ["exited", 2],
    );
  });
});
