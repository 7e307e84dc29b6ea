import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, mock, test } from "node:test";
import { SystemClock } from "@appserver/kernel";
import { ContainerError, type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { kubernetesForTests } from "@appserver/testing/kit/kubernetes";
import { parse } from "yaml";
import { appPort, type IsolatedApps, isolatedApps } from "../test/isolated-apps.ts";
import { KubernetesClient, mergePatch } from "./kubernetes-client.ts";
import type { KubernetesObject } from "./mirror.ts";
import { claimName, environmentSecret, identitySecret, objectName, policyName } from "./object-names.ts";
import { managedBy } from "./objects.ts";

const found = await kubernetesForTests();
const cluster = "unavailable" in found ? undefined : found;
const skip = "unavailable" in found ? found.unavailable : false;
const source = `
import { createServer } from "node:http";
console.log("started");
createServer((_, response) => response.end()).listen(${appPort});
process.on("SIGTERM", () => process.exit());
`;
const canary = "canary-5f1c0d9e";
const storage = [{ name: "data", mountPath: "/data", variable: "APP_STORAGE_DATA" }];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Returns rules as `apps deployments create`. */
function rights(rules: readonly Rule[]): readonly string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`))),
    )
    .toSorted();
}

/** Returns what a call needs, in the same form. Undefined for the version of the server, which each account may read. */
function rightOf(method: string, path: string): string | undefined {
  const [, group = "", resource = "", name, part] =
    /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/[^/]+\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?$/.exec(path) ?? [];
  if (resource === "") return undefined;
  const verbs: Readonly<Record<string, string>> = { POST: "create", PATCH: "patch", DELETE: "delete", WATCH: "watch" };
  const verb = verbs[method] ?? (name === undefined ? "list" : "get");
  return `${group} ${part === undefined ? resource : `${resource}/${part}`} ${verb}`;
}

describe("objects and rights of the driver in a cluster", { skip }, () => {
  const client = () => cluster?.client ?? assert.fail();
  let apps: IsolatedApps;
  const used = new Set<string>();
  before(async () => {
    const { call, watch, log } = KubernetesClient.prototype;
    const note = (by: KubernetesClient, method: string, path: string): void => {
      const right = by === client() ? undefined : rightOf(method, path);
      if (right !== undefined) used.add(right);
    };
    mock.method(KubernetesClient.prototype, "call", function (this: KubernetesClient, ...args: Parameters<typeof call>) {
      note(this, args[0], args[1]);
      return call.apply(this, args);
    });
    mock.method(KubernetesClient.prototype, "watch", function (this: KubernetesClient, ...args: Parameters<typeof watch>) {
      note(this, "WATCH", args[0]);
      return watch.apply(this, args);
    });
    mock.method(KubernetesClient.prototype, "log", function (this: KubernetesClient, ...args: Parameters<typeof log>) {
      note(this, "GET", args[0]);
      return log.apply(this, args);
    });
    apps = await isolatedApps(cluster ?? assert.fail(), source);
    await cluster?.makeVolumes(apps.namespace, 2);
  });
  after(async () => {
    await apps?.close();
    await cluster?.stop();
    mock.restoreAll();
  });

  const pathOf = (kind: string): string => {
    const groups: Readonly<Record<string, string>> = {
      deployments: "/apis/apps/v1",
      replicasets: "/apis/apps/v1",
      networkpolicies: "/apis/networking.k8s.io/v1",
      endpointslices: "/apis/discovery.k8s.io/v1",
      poddisruptionbudgets: "/apis/policy/v1",
      horizontalpodautoscalers: "/apis/autoscaling/v2",
    };
    return `${groups[kind] ?? "/api/v1"}/namespaces/${apps.namespace}/${kind}`;
  };

  test("an object of our name that has another owner is never changed, and the error names the owner", async () => {
    const owner = { instance: apps.instance, appId: "taken" };
    const spec = apps.specOf("taken", { storage, replicas: { min: 1, max: 2 } });
    const name = objectName(spec.name);
    const container = { name: "other", image: apps.image };
    const template = { metadata: { labels: { other: "yes" } }, spec: { containers: [container] } };
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } }, storageClassName: "none" };
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "other" };
    const service = { ports: [{ port: 80 }] };
    const objects: readonly (readonly [kind: string, name: string, body: object])[] = [
      ["networkpolicies", policyName(apps.instance), { spec: { podSelector: {}, policyTypes: ["Ingress"] } }],
      ["networkpolicies", objectName(spec.network), { spec: { podSelector: {}, policyTypes: ["Ingress"] } }],
      ["persistentvolumeclaims", claimName(owner, "data"), { spec: claim }],
      ["deployments", name, { spec: { replicas: 0, selector: { matchLabels: { other: "yes" } }, template } }],
      ["services", name, { spec: service }],
      ["secrets", environmentSecret(name), { data: { KEY: "b3RoZXI=" } }],
      ["secrets", identitySecret(name), { data: { KEY: "b3RoZXI=" } }],
      ["poddisruptionbudgets", name, { spec: { maxUnavailable: 1, selector: { matchLabels: { other: "yes" } } } }],
      ["horizontalpodautoscalers", name, { spec: { scaleTargetRef, maxReplicas: 3 } }],
    ];
    for (const [kind, object, body] of objects) {
      const labels = { ...managedBy, [containerLabels.instance]: "other" };
      await client().call("POST", pathOf(kind), { body: { metadata: { name: object, labels }, ...body } });
      const path = `${pathOf(kind)}/${object}`;
      const content = async (): Promise<unknown> => {
        const { metadata, ...rest } =
          (await client().call<KubernetesObject & { status?: object }>("GET", path)) ?? assert.fail();
        return {
          uid: metadata.uid,
          labels: metadata.labels,
          generation: metadata.generation,
          rest: { ...rest, status: undefined },
        };
      };
      const before = await content();
      await assert.rejects(apps.create(spec), (error) => {
        assert.ok(error instanceof ContainerError, String(error));
        assert.deepEqual(
          [error.reason, error.message.includes('the installation "other"')],
          ["name_conflict", true],
          error.message,
        );
        return true;
      });
      assert.deepEqual(await content(), before, `${kind} ${object}`);
      await client().call("DELETE", path);
      // A killed create would leave the same: a Deployment whose parts are missing.
      await apps.runtime.remove(spec.name);
      for (const each of [path, ...objects.slice(4).map(([of, part]) => `${pathOf(of)}/${part}`)])
        await eventually(async () => (await client().find(each)) === undefined);
    }
    await apps.create(spec);
    await apps.runtime.remove(spec.name);
    await apps.runtime.removeStorage(owner);
  });

  test("storage in use is kept; while a claim is deleted no container with it begins, and one begins after it", async () => {
    const spec = apps.specOf("stored", { storage });
    const owner = { instance: apps.instance, appId: "stored" };
    await apps.create(spec);
    await apps.runtime.start(spec.name);
    await eventually(async () => (await apps.runtime.inspect(spec.name))?.instances[0]?.isReady === true);
    await apps.runtime.stats(spec.name);
    await assert.rejects(apps.runtime.removeStorage(owner), /is in use by app-/);
    const path = `${pathOf("persistentvolumeclaims")}/${claimName(owner, "data")}`;
    await client().call("DELETE", path);
    const next: ContainerSpec = {
      ...spec,
      name: `${spec.name}-g2`,
      labels: { ...spec.labels, [containerLabels.generation]: "2" },
    };
    await assert.rejects(apps.create(next), /is being deleted/);
    assert.equal(await apps.runtime.inspect(next.name), undefined);
    await apps.runtime.remove(spec.name);
    const query = { labelSelector: `${containerLabels.appId}=stored` };
    const pods = await client().call<{ items: readonly unknown[] }>("GET", pathOf("pods"), { query });
    assert.deepEqual(pods.items, [], "a removal ends with the last pod");
    await eventually(async () => (await client().find(path)) === undefined);
    await apps.create(next);
    await apps.runtime.remove(next.name);
    await apps.runtime.removeStorage(owner);
    assert.equal(await client().find(path), undefined);
  });

  test("what an app must keep secret is in Secrets only", async () => {
    const spec: ContainerSpec = apps.specOf("secret", { environment: { DB_PASSWORD: canary } });
    await apps.create(spec);
    await apps.runtime.writeFiles(spec.name, [{ name: "key.pem", text: canary }]);
    await apps.runtime.start(spec.name);
    await eventually(async () => (await apps.runtime.inspect(spec.name))?.instances[0]?.isReady === true);
    await apps.runtime.writeFiles(spec.name, [{ name: "key.pem", text: `${canary}-2` }]);
    const lines: string[] = [];
    for await (const batch of apps.runtime.logs(spec.name, {})) lines.push(...batch.map(({ text }) => text));
    assert.deepEqual(lines, ["started"]);
    const holders: string[] = [];
    const encodings = [canary, Buffer.from(canary).toString("base64").slice(0, 18)];
    const kinds = ["deployments", "replicasets", "pods", "events", "services", "endpoints", "endpointslices", "configmaps"];
    for (const kind of [...kinds, "networkpolicies", "persistentvolumeclaims", "secrets"]) {
      const text = JSON.stringify(await client().call("GET", pathOf(kind)));
      if (encodings.some((encoding) => text.includes(encoding))) holders.push(kind);
    }
    assert.deepEqual(holders, ["secrets"]);
    await apps.runtime.stop(spec.name, 2_000);
    await apps.runtime.remove(spec.name);
  });

  test("the role allows what the driver has used in the tests above, each of its verbs, and nothing else", async () => {
    await apps.create(apps.specOf("network"));
    await apps.runtime.storage({ instance: apps.instance });
    const policy = `${pathOf("networkpolicies")}/${policyName(apps.instance)}`;
    const change = { contentType: mergePatch, body: { spec: { egress: [] } } };
    await client().call("PATCH", policy, change);
    await eventually(async () => {
      await apps.runtime.networks.connectGateways(apps.instance);
      return used.has("networking.k8s.io networkpolicies patch");
    });
    await apps.runtime.remove(apps.specOf("network").name);
    for (const network of await apps.runtime.networks.list({})) await apps.runtime.networks.remove(network);

    const file = resolve(import.meta.dirname, "../../../../deploy/helm/appserver/files/orchestrator-rules.yaml");
    const role = rights(parse(readFileSync(file, "utf8")) as Rule[]);
    assert.deepEqual([...used].toSorted(), role, "used");
    const own = new KubernetesClient(apps.connection, new SystemClock());
    const review = { spec: { namespace: apps.namespace } };
    const { status } = await own.call<{ status: { resourceRules: Rule[] } }>(
      "POST",
      "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      { body: review },
    );
    await own.close();
    const ofEachAccount = /^auth(entication|orization)\.k8s\.io /;
    assert.deepEqual(
      rights(status.resourceRules).filter((right) => !ofEachAccount.test(right)),
      role,
      "allowed",
    );
  });
});
