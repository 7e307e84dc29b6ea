import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { containerLabels } from "@appserver/kernel/ports";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { makeProbeImage } from "../../probe-image.ts";
import { DockerRuntime } from "./docker-runtime.ts";
import { EngineClient } from "./engine-client.ts";

const engine = await dockerEngineForTests();

test("an app is no gateway, also if its image has the label of gateways", {
  skip: "unavailable" in engine ? engine.unavailable : false,
}, async (t) => {
  if ("unavailable" in engine) return;
  const { socketPath } = engine;
  const instance = `gateway-${randomBytes(4).toString("hex")}`;
  const [runtime, client] = [new DockerRuntime({ socketPath, pullPolicy: "if-not-present" }), new EngineClient(socketPath)];
  const [image, labelled] = [`appserver-suite.invalid/${instance}:latest`, `appserver-suite.invalid/${instance}:gateway`];
  const name = `app-${instance}`;
  t.after(async () => {
    await runtime.remove(name);
    for (const each of [labelled, image]) await client.request("DELETE", `/images/${each}`, { accept: [404, 409] });
    await client.request("DELETE", `/networks/${instance}`, { accept: [404] });
    await Promise.all([runtime.close(), client.close()]);
    await engine.stop();
  });

  await makeProbeImage(socketPath, image);
  const created = await client.request("POST", "/containers/create", { body: { Image: image } });
  const { Id } = created.body as { readonly Id: string };
  const query = { container: Id, repo: labelled.slice(0, -":gateway".length), tag: "gateway" };
  await client.request("POST", "/commit", {
    query: { ...query, changes: `LABEL ${containerLabels.gateway}=${instance}` },
    body: {},
  });
  await client.request("DELETE", `/containers/${Id}`);
  await runtime.ensureNetwork(instance);
  const limits = { memoryMb: 128, cpuShares: 512, pidsLimit: 64, readOnlyRoot: true } as const;
  const labels = { [containerLabels.instance]: instance, [containerLabels.appId]: "app" };
  const place = { network: instance, port: 3000, endpoint: "publish" } as const;
  const view = await runtime.create({ name, image: labelled, environment: { PORT: "3000" }, labels, ...place, ...limits });
  assert.equal(view.labels[containerLabels.gateway], "");
});
