import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { ask } from "../../ask-probe.ts";
import { hasReason } from "../../has-reason.ts";
import { makeProbeImage } from "../../probe-image.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";

const engine = await dockerEngineForTests();
const available = "unavailable" in engine ? undefined : engine;
const skip = "unavailable" in engine ? engine.unavailable : undefined;

const socketPath = available?.socketPath ?? "";
const instance = `volumes-${randomBytes(4).toString("hex")}`;
const network = `appserver-${instance}`;
const image = `appserver-volumes.invalid/${instance}:latest`;
const data = { name: "data", mountPath: "/data", variable: "APP_STORAGE_DATA" };

describe("the volumes of apps", { skip: skip ?? false }, () => {
  const runtime = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });
  const client = new EngineClient(socketPath);
  const specOf = (app: string, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
    name: `app-${instance}.${app}`,
    image,
    environment: { PORT: "3000" },
    labels: { [containerLabels.instance]: instance, [containerLabels.appId]: app },
    network,
    port: 3000,
    endpoint: "publish",
    memoryMb: 128,
    cpuShares: 512,
    pidsLimit: 64,
    readOnlyRoot: true,
    storage: [data],
    ...changes,
  });
  const running = async (spec: ContainerSpec) => {
    await runtime.create(spec);
    return await runtime.start(spec.name);
  };
  const helperOf = (app: string): string => `appserver-storage-${instance}-${app}`;
  const exists = async (container: string): Promise<boolean> =>
    (await client.request("GET", `/containers/${container}/json`, { accept: [404] })).status !== 404;

  before(async () => {
    await makeProbeImage(socketPath, image);
    await runtime.ensureNetwork(network);
  });
  after(async () => {
    for (const { name } of await runtime.list({ [containerLabels.instance]: instance })) await runtime.remove(name);
    for (const { appId } of await runtime.storage({ instance })) await runtime.removeStorage({ instance, appId });
    for (const path of [`/networks/${network}`, `/images/${image}`])
      await client.request("DELETE", path, { accept: [404, 409] });
    await runtime.close();
    await client.close();
    await available?.stop();
  });

  test("storage belongs to the user of the image, or to the user that the container runs as", async () => {
    const own = await running(specOf("own"));
    assert.deepEqual(await ask(own, "/write?path=/data/file"), {});
    const foreign = await running(specOf("foreign", { user: "65532:65532" }));
    assert.deepEqual(await ask(foreign, "/write?path=/data/file"), {});
    await runtime.remove(foreign.name);
    const again = await running(specOf("foreign", { user: "1000:1000" }));
    assert.deepEqual(await ask(again, "/write?path=/data/other"), {}, "the owner is set again");
    const large = await running(specOf("large", { user: "2097152:0" }));
    assert.deepEqual(await ask(large, "/write?path=/data/file"), {}, "an id of more than seven octal digits");
  });

  test("a release that is started again gets the storage back that one with another user had", async () => {
    const first = await running(specOf("returned", { user: "1000:1000" }));
    assert.deepEqual(await ask(first, "/write?path=/data/file"), {});
    await runtime.stop(first.name, 1_000);
    const second = specOf("returned", { user: "2000:2000" });
    await running({ ...second, name: `${second.name}-g2` });
    await runtime.remove(`${second.name}-g2`);
    const again = await runtime.start(first.name);
    await eventually(
      () => ask(again, "/env").catch(() => undefined),
      (seen) => seen !== undefined,
    );
    assert.deepEqual(await ask(again, "/write?path=/data/file"), {});
  });

  test("the container that sets the owner is removed, also one that a killed orchestrator left", async () => {
    const body = { Image: image, Entrypoint: ["/"] };
    await client.request("POST", "/containers/create", { query: { name: helperOf("left") }, body });
    const view = await running(specOf("left"));
    assert.deepEqual(await ask(view, "/write?path=/data/file"), {});
    assert.equal(await exists(helperOf("left")), false);
    await runtime.remove(view.name);
    const Mounts = [{ Type: "volume", Source: `appserver-${instance}-left-data`, Target: "/mnt" }];
    await client.request("POST", "/containers/create", {
      query: { name: helperOf("left") },
      body: { ...body, HostConfig: { Mounts } },
    });
    await runtime.removeStorage({ instance, appId: "left" });
    assert.deepEqual(await runtime.storage({ instance, appId: "left" }), []);
  });

  test("an image with a named user is refused, because the owner of its files would be unknown", async () => {
    const named = `appserver-volumes.invalid/${instance}:named`;
    const created = await client.request("POST", "/containers/create", { body: { Image: image } });
    const { Id } = created.body as { readonly Id: string };
    const query = { container: Id, repo: named.slice(0, -":named".length), tag: "named", changes: "USER app" };
    await client.request("POST", "/commit", { query, body: {} });
    await client.request("DELETE", `/containers/${Id}`);
    try {
      await assert.rejects(runtime.create(specOf("named", { image: named })), (error) => {
        assert.ok(hasReason("start_failed")(error));
        assert.match(String(error), /the user of the image .* is "app"; an app with storage needs a number/);
        return true;
      });
      assert.deepEqual(await runtime.storage({ instance, appId: "named" }), []);
      const owned = specOf("named", { image: named, user: "1000:1000" });
      assert.deepEqual(await ask(await running(owned), "/write?path=/data/file"), {});
      await runtime.remove(owned.name);
    } finally {
      await client.request("DELETE", `/images/${named}`, { accept: [404] });
    }
  });

  test("a missing image is image_not_found, and a volume of another program is not touched", async () => {
    const missing = specOf("missing", { image: "appserver-volumes.invalid/missing:latest" });
    await assert.rejects(runtime.create(missing), hasReason("image_not_found"));
    const owned = { ...missing, user: "1:1" };
    await assert.rejects(runtime.create(owned), hasReason("image_not_found"));
    const Name = `appserver-${instance}-taken-data`;
    await client.request("POST", "/volumes/create", { body: { Name, Labels: { theirs: "true" } } });
    await assert.rejects(runtime.create(specOf("taken")), hasReason("name_conflict"));
    assert.deepEqual(await runtime.storage({ instance, appId: "taken" }), []);
    await client.request("DELETE", `/volumes/${Name}`);
  });
});
