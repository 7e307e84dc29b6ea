import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { kubernetesForTests, pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { isAlive } from "./container-view.ts";
import { mergePatch } from "./kubernetes-client.ts";
import { KubernetesRuntime } from "./kubernetes-runtime.ts";
import { objectName } from "./object-names.ts";
import { annotations, appContainer, managedBy, objectLabel, type Pod } from "./objects.ts";
import { podSecurity } from "./workload.ts";

const found = await kubernetesForTests();
const cluster = "unavailable" in found ? undefined : found;
const skip = "unavailable" in found ? found.unavailable : false;
const namespace = `apps-${randomBytes(4).toString("hex")}`;
const image = `${cluster?.registry}/${namespace}/com.example.web:latest`;
const source = `require("node:http").createServer((_, response) => response.end()).listen(3000);`;

function specOf(app: string, attempt = "1"): ContainerSpec {
  const { instance, appId, generation, attempt: label } = containerLabels;
  return {
    name: `app-${namespace}.${app}`,
    image,
    environment: { PORT: "3000" },
    labels: { [instance]: namespace, [appId]: app, [generation]: "1", [label]: attempt },
    network: "apps",
    port: 3000,
    endpoint: "publish",
    memoryMb: 128,
    cpuShares: 512,
    pidsLimit: 64,
    readOnlyRoot: true,
  };
}

describe("containers that a killed process or the cluster left", { skip }, () => {
  const client = () => cluster?.client ?? assert.fail();
  let runtime: KubernetesRuntime;
  before(async () => {
    await cluster?.makeNamespace(namespace);
    await pushNodeImage(image, source);
    const connection = (await cluster?.orchestratorConnection(namespace)) ?? assert.fail();
    const own = { namespace, connection, plainRegistries: [cluster?.registry ?? ""], pullSecrets: [], drainMs: 0 };
    runtime = new KubernetesRuntime({ ...own, storageClass: undefined, clock: new SystemClock(), logger: silentLogger });
  });
  after(async () => {
    await runtime?.close();
    await cluster?.removeNamespace(namespace);
    await cluster?.stop();
  });

  const patch = (path: string, body: object) => client().call("PATCH", path, { contentType: mergePatch, body });

  test("a container that a killed create left is created again by its attempt only, and can be removed", async () => {
    const spec = specOf("killed");
    await runtime.create(spec);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${objectName(spec.name)}`;
    const leave = async (): Promise<void> => {
      await patch(path, { metadata: { annotations: { [annotations.isComplete]: null } } });
      await eventually(async () => (await runtime.inspect(spec.name))?.status === "exited");
    };
    await leave();
    await assert.rejects(runtime.start(spec.name), /incomplete/);
    await assert.rejects(runtime.writeFiles(spec.name, []), /incomplete/);
    assert.equal((await runtime.create(specOf("killed", "2"))).status, "exited", "its environment is of another attempt");
    assert.equal((await runtime.create(spec)).status, "created");
    await leave();
    await runtime.remove(spec.name);
    assert.equal(await runtime.inspect(spec.name), undefined);
    assert.equal((await runtime.create(spec)).status, "created", "its parts are made again");
    await runtime.remove(spec.name);
  });

  test("an evicted pod does not keep a container from its stop", async () => {
    const spec = specOf("evicted");
    await runtime.create(spec);
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const securityContext = podSecurity();
    const own = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    const resources = { requests: { memory: "16Mi" }, limits: { memory: "16Mi" } };
    const containers = [{ name: appContainer, image, securityContext: own, resources }];
    const body = { metadata: { name: "evicted" }, spec: { schedulerName: "none", securityContext, containers } };
    await client().call("POST", pods, { body });
    await patch(`${pods}/evicted/status`, { status: { phase: "Failed", reason: "Evicted", message: "low on memory" } });
    await patch(`${pods}/evicted`, { metadata: { labels: { ...managedBy, [objectLabel]: objectName(spec.name) } } });
    await runtime.start(spec.name);
    await eventually(async () => (await runtime.inspect(spec.name))?.instances.length === 1);
    await runtime.stop(spec.name, 1_000);
    assert.equal((await runtime.inspect(spec.name))?.status, "exited");
    assert.equal((await client().find<Pod>(`${pods}/evicted`))?.metadata.name, "evicted");
    await runtime.remove(spec.name);
  });

  test("no pod is made after a stop that follows a start at once", async () => {
    const spec = specOf("hasty");
    await runtime.create(spec);
    for (let round = 0; round < 3; round += 1) {
      await runtime.start(spec.name);
      await runtime.stop(spec.name, 1_000);
      const query = { labelSelector: `${objectLabel}=${objectName(spec.name)}` };
      const { items } = await client().call<{ readonly items: readonly Pod[] }>("GET", `/api/v1/namespaces/${namespace}/pods`, {
        query,
      });
      assert.deepEqual(
        // One that has ended is an object for a moment longer.
        items.filter(isAlive).map(({ metadata }) => metadata.name),
        [],
      );
    }
    await runtime.remove(spec.name);
  });
});
