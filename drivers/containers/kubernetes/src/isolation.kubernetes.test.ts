import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { kubernetesForTests } from "@appserver/testing/kit/kubernetes";
import { appPort, type IsolatedApps, isolatedApps } from "../test/isolated-apps.ts";
import { mergePatch } from "./kubernetes-client.ts";
import type { NetworkPolicy } from "./network-policies.ts";
import { objectName, policyName } from "./object-names.ts";
import { objectLabel, type Pod } from "./objects.ts";
import { checkPolicies } from "./policy-check.ts";
import { podSecurity } from "./workload.ts";

const found = await kubernetesForTests();
const cluster = "unavailable" in found ? undefined : found;
const skip = "unavailable" in found ? found.unavailable : false;
const nodes = ["node1", "node2"];

/** Tries all targets in its first lines, and again for a second, prints those that it reached, and then serves. */
const source = `
import { connect, createServer } from "node:net";
const reached = new Set();
const attempt = ([name, host, port]) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 500 });
  const end = () => { socket.destroy(); resolve(); };
  socket.once("connect", () => { reached.add(name); end(); }).once("timeout", end).once("error", end);
});
const targets = JSON.parse(process.env.TARGETS ?? "[]");
for (let round = 0; round < 6; round += 1) {
  await Promise.all(targets.map(attempt));
  await new Promise((resolve) => setTimeout(resolve, 200));
}
console.log(JSON.stringify([...reached].sort()));
createServer((socket) => socket.on("error", () => {}).end()).listen(${appPort});
process.on("SIGTERM", () => process.exit());
`;

type Target = readonly [name: string, host: string, port: number];

interface Endpoints {
  readonly subsets: readonly {
    readonly addresses: readonly { readonly ip: string }[];
    readonly ports: readonly { readonly port: number }[];
  }[];
}

describe("apps of a cluster are kept apart", { skip }, () => {
  const client = () => cluster?.client ?? assert.fail();
  let apps: IsolatedApps;
  before(async () => {
    apps = await isolatedApps(cluster ?? assert.fail(), source);
  });
  after(async () => {
    await apps?.close();
    await cluster?.stop();
  });

  /** Returns the pods that are to run. */
  const podsOf = async (container: string): Promise<readonly Pod[]> => {
    const query = { labelSelector: `${objectLabel}=${objectName(container)}` };
    const path = `/api/v1/namespaces/${apps.namespace}/pods`;
    const { items } = await client().call<{ items: readonly Pod[] }>("GET", path, { query });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  const logOf = async (pods: string, pod: string, container: string): Promise<string> => {
    const body = await client()
      .log(`${pods}/${pod}/log`, { container })
      .catch(() => undefined);
    return (await body?.text()) ?? "";
  };
  const printed = async (pods: string, pod: string): Promise<readonly string[]> => {
    const text = await eventually(
      () => logOf(pods, pod, "app"),
      (seen) => seen.startsWith("["),
    );
    return JSON.parse(text) as readonly string[];
  };
  /** A pod of the administrator, on a node, with the program of the apps. */
  const makePod = async (
    where: string,
    name: string,
    { node, labels = {}, targets = [] }: { node: string; labels?: Record<string, string>; targets?: readonly Target[] },
  ): Promise<Target> => {
    const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    const env = [{ name: "TARGETS", value: JSON.stringify(targets) }];
    const spec = {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      securityContext: podSecurity(),
      containers: [{ name: "app", image: apps.image, env, securityContext }],
    };
    const pods = `/api/v1/namespaces/${where}/pods`;
    await client().call("POST", pods, { body: { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec } });
    const { status } = await eventually(
      () => client().call<Pod>("GET", `${pods}/${name}`),
      (pod) => pod.status?.containerStatuses?.[0]?.state?.running !== undefined,
    );
    return [name, status?.podIP ?? assert.fail(), appPort];
  };
  /** Addresses of the cluster that no app may reach. */
  const machines = async (): Promise<readonly Target[]> => {
    const found = await client().call<Endpoints>("GET", "/api/v1/namespaces/default/endpoints/kubernetes");
    const { addresses, ports } = found.subsets[0] ?? assert.fail();
    return [
      ["service of the API server", "10.96.0.1", 443],
      ["API server", addresses[0]?.ip ?? "", ports[0]?.port ?? 0],
      ["kubelet 1", "10.199.0.11", 10_250],
      ["kubelet 2", "10.199.0.12", 10_250],
    ];
  };

  test("from its first line an app reaches the platform and what the operator opened, and no other app, pod or machine", async () => {
    const victim = apps.specOf("victim");
    await apps.runtime.networks.ensure({ name: victim.network, labels: victim.labels, pool: "" });
    const attacker = apps.specOf("attacker");
    await apps.runtime.networks.ensure({ name: attacker.network, labels: attacker.labels, pool: "" });
    const gateway = { [containerLabels.gateway]: apps.instance };
    const others: Target[] = [];
    const members: Target[] = [];
    const allowed: Target[] = [];
    // With one of each on both machines, every attempt is on one machine and across.
    for (const node of nodes) {
      others.push(await makePod(apps.namespace, `victim-${node}`, { node, labels: { ...victim.labels } }));
      others.push(await makePod(apps.platform, `unlabelled-${node}`, { node }));
      allowed.push(await makePod(apps.platform, `server-${node}`, { node, labels: gateway }));
      members.push(await makePod(apps.namespace, `member-${node}`, { node, labels: { ...attacker.labels } }));
    }
    const forbidden: Target[] = [...others, ...(await machines()), ["metadata", "169.254.169.254", 80]];
    const [host = "", registryPort = ""] = (cluster?.registry ?? "").split(":");
    allowed.push(...members, ["registry", host, Number(registryPort)]);

    // What is tried is there: pods without the labels of an installation reach it, and gateways reach the app.
    const free: Target[] = forbidden.filter(([name]) => !/^victim|metadata/.test(name));
    await makePod(apps.platform, "control", { node: "node1", targets: [...free, ...others] });
    assert.deepEqual(
      await printed(`/api/v1/namespaces/${apps.platform}/pods`, "control"),
      free.map(([name]) => name).toSorted(),
    );
    await makePod(apps.platform, "gateway", { node: "node2", labels: gateway, targets: [...others, ...members] });
    const ofApps = [...others, ...members].map(([name]) => name);
    assert.deepEqual(await printed(`/api/v1/namespaces/${apps.platform}/pods`, "gateway"), ofApps.toSorted());

    const expected = allowed.map(([name]) => name).toSorted();
    const names = ["attacker", "second", "third", "fourth", "fifth"];
    const environment = { TARGETS: JSON.stringify([...forbidden, ...allowed]) };
    for (const name of names) await apps.create(apps.specOf(name, { environment }));
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        names.map(async (name) => {
          const container = apps.specOf(name).name;
          await apps.runtime.start(container);
          const [pod] = await eventually(
            () => podsOf(container),
            (pods) => pods.length === 1,
          );
          const reached = await printed(`/api/v1/namespaces/${apps.namespace}/pods`, pod?.metadata.name ?? "");
          const own = name === "attacker" ? expected : expected.filter((each) => !each.startsWith("member"));
          assert.deepEqual(reached, own, `${name}, round ${round}`);
          await apps.runtime.stop(container, 1_000);
        }),
      );
    }
  });

  const policies = () => `/apis/networking.k8s.io/v1/namespaces/${apps.namespace}/networkpolicies`;
  const check = (gateImage?: string): Promise<string | undefined> =>
    checkPolicies({ connection: apps.connection, namespace: apps.namespace, gateImage, pullSecrets: [] });
  /** Returns what a check has made. Its pods end a moment after it. */
  const leftOfChecks = async (): Promise<readonly string[]> => {
    const lists = [
      `/apis/apps/v1/namespaces/${apps.namespace}/deployments`,
      `/api/v1/namespaces/${apps.namespace}/pods`,
      policies(),
    ];
    const all = await Promise.all(lists.map((path) => client().call<{ items: readonly Pod[] }>("GET", path)));
    const left = all.flatMap(({ items }) => items).map(({ metadata }) => metadata);
    return left.filter(({ labels }) => labels?.[containerLabels.instance]?.startsWith("check-")).map(({ name }) => name);
  };

  test("the check finds that the cluster enforces policies, says when it could not try, and leaves nothing", async () => {
    assert.equal(await check(apps.gateImage), undefined);
    assert.match((await check()) ?? "", /could not be tried.*kubernetes\.gate_image is not set/);
    assert.match((await check("Not:an:image")) ?? "", /could not be tried: InvalidImageName/);
    await eventually(leftOfChecks, (left) => left.length === 0);
  });

  test("where policies have no effect, the check says so and no app starts, with the reason", async () => {
    const spec = apps.specOf("unprotected");
    // As in a cluster without policies: this one allows everything.
    const everything = { podSelector: {}, policyTypes: ["Egress", "Ingress"], egress: [{}], ingress: [{}] };
    await client().call("POST", policies(), { body: { metadata: { name: "everything" }, spec: everything } });
    const checked = check(apps.gateImage);
    await apps.create(spec);
    await apps.runtime.start(spec.name);
    const problem = async () => (await apps.runtime.inspect(spec.name))?.instances[0]?.problem;
    const refused = await eventually(problem, (seen) => seen !== undefined);
    assert.match(refused?.message ?? "", /still reaches the API server at 10\.96\.0\.1:443/);
    assert.match((await checked) ?? "", /^this cluster does not enforce NetworkPolicy/);
    await client().call("DELETE", `${policies()}/everything`);
    await eventually(async () => (await apps.runtime.inspect(spec.name))?.instances[0]?.isReady === true);
    assert.equal(await problem(), undefined);
    await apps.runtime.remove(spec.name);
    await eventually(leftOfChecks, (left) => left.length === 0);
  });

  test("an app whose pod does not reach the platform does not start, with the reason", async () => {
    const spec = apps.specOf("apart", { environment: { APPSERVER_HTTP_URL: "http://10.199.0.1:9" } });
    await apps.create(spec);
    await apps.runtime.start(spec.name);
    const problem = async () => (await apps.runtime.inspect(spec.name))?.instances[0]?.problem;
    const refused = await eventually(problem, (seen) => seen !== undefined);
    assert.match(refused?.message ?? "", /does not reach the platform at 10\.199\.0\.1:9/);
    await apps.runtime.remove(spec.name);
  });

  test("rules that another program has changed or deleted are corrected, and those of an app go with its network", async () => {
    const spec = apps.specOf("changed");
    await apps.create(spec);
    const [network] = await apps.runtime.networks.list(spec.labels);
    assert.equal(network?.name, spec.network);
    const path = `${policies()}/${policyName(apps.instance)}`;
    const rules = async () => (await client().find<NetworkPolicy>(path))?.spec;
    const wanted = await rules();
    await client().call("PATCH", path, { contentType: mergePatch, body: { spec: { egress: [{}] } } });
    const corrected = async () => {
      await apps.runtime.networks.connectGateways(apps.instance);
      return isDeepStrictEqual(await rules(), wanted);
    };
    await eventually(corrected);
    await client().call("DELETE", path);
    await eventually(corrected);
    await assert.rejects(apps.runtime.networks.remove(network ?? assert.fail()), /app-\S+ is still there/);
    await apps.runtime.remove(spec.name);
    await apps.runtime.networks.remove(network);
    await apps.runtime.networks.remove(network);
    assert.deepEqual(await apps.runtime.networks.list(spec.labels), []);
  });

  test("an app that runs as root is refused for good, by the level of the namespace", async () => {
    const spec = { ...apps.specOf("root"), user: "root" };
    await apps.create(spec);
    await apps.runtime.start(spec.name);
    const problem = async () => (await apps.runtime.inspect(spec.name))?.problem;
    const { isFinal, message } = (await eventually(problem, (seen) => seen !== undefined)) ?? assert.fail();
    assert.match(message, /violates PodSecurity "restricted/);
    assert.equal(isFinal, true);
    await apps.runtime.remove(spec.name);
  });
});
