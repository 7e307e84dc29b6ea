import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, KubernetesClient, KubernetesError, readConnection } from "@appserver/containers-kubernetes";
import { SystemClock } from "@appserver/kernel";
import { parse } from "yaml";
import { ensureKubernetes, type Kubernetes } from "../../tools/services/kubernetes.ts";

export { pushPlatformImages } from "./platform-image.ts";
export { pushNodeImage } from "./push-image.ts";

/** A real cluster of two nodes. Tests inspect and disturb it as an administrator would. */
export class TestKubernetes {
  readonly registry: string;
  readonly connection: Connection;
  readonly client: KubernetesClient;
  readonly #cluster: Kubernetes;
  /** Names of the volumes that were made. */
  readonly #volumes = new Set<string>();

  constructor(cluster: Kubernetes) {
    this.#cluster = cluster;
    this.registry = cluster.registry;
    this.connection = readConnection(cluster.kubeconfig);
    this.client = new KubernetesClient(this.connection, new SystemClock());
  }

  /** With the folder of the programs in the path. */
  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, PATH: `${this.#cluster.programs}:${process.env["PATH"]}` };
  }

  get kubeconfig(): string {
    return this.#cluster.kubeconfig;
  }

  /** Makes a namespace in which only pods without privileges may run. */
  async makeNamespace(name: string): Promise<void> {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
    await this.client.call("POST", "/api/v1/namespaces", { body });
    // The controller makes it a moment later, and no pod starts before.
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    for (let left = 100; left > 0 && !(await this.client.find(account)); left -= 1) await sleep(100);
  }

  /** Returns a connection with the rights of the orchestrator in a namespace of apps, as the chart gives them. */
  async orchestratorConnection(namespace: string): Promise<Connection> {
    const metadata = { name: "appserver-orchestrator", namespace };
    const apiGroup = "rbac.authorization.k8s.io";
    const apiVersion = `${apiGroup}/v1`;
    const rules = parse(
      readFileSync(resolve(import.meta.dirname, "../../deploy/helm/appserver/files/orchestrator-rules.yaml"), "utf8"),
    );
    const roleRef = { apiGroup, kind: "Role", name: metadata.name };
    const subjects = [{ kind: "ServiceAccount", ...metadata }];
    const make = (path: string, body: object) =>
      this.client.call("POST", path.replace("*", `namespaces/${namespace}`), { body });
    await make("/api/v1/*/serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata });
    await make(`/apis/${apiVersion}/*/roles`, { apiVersion, kind: "Role", metadata, rules });
    await make(`/apis/${apiVersion}/*/rolebindings`, { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects });
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/appserver-orchestrator/token`;
    const { status } = await this.client.call<{ readonly status: { readonly token: string } }>("POST", account, {
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3_600 } },
    });
    return { ...this.connection, token: () => status.token };
  }

  /** Makes volumes of a storage class of this name, until {@link stop}. Each is a folder of this machine that the first node has. */
  async makeVolumes(storageClass: string, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const name = `${storageClass}-${index}`;
      const path = this.#folderOf(name);
      this.#volumes.add(name);
      mkdirSync(path, { recursive: true });
      const values = { key: "kubernetes.io/hostname", operator: "In", values: ["node1"] };
      const spec = {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: storageClass,
        persistentVolumeReclaimPolicy: "Delete",
        local: { path },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [values] }] } },
      };
      const body = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec };
      await this.client.call("POST", "/api/v1/persistentvolumes", { body });
    }
  }

  /** A volume ends with the claim on it. */
  async #removeVolumes(): Promise<void> {
    for (const name of this.#volumes) {
      await this.#delete(`/api/v1/persistentvolumes/${name}`);
      rmSync(this.#folderOf(name), { recursive: true, force: true });
    }
  }

  #folderOf(volume: string): string {
    return `${this.#cluster.folder}/volumes/${volume}`;
  }

  /** Deletes it with all that is in it. Does not wait for the end. */
  async removeNamespace(name: string): Promise<void> {
    await this.#delete(`/api/v1/namespaces/${name}`);
  }

  async #delete(path: string): Promise<void> {
    await this.client.call("DELETE", path).catch((error: unknown) => {
      if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
    });
  }

  /** Returns the process id of one of its programs: `apiserver`, `kubelet1`. */
  pid(program: string): number {
    return Number(readFileSync(`${this.#cluster.folder}/${program}.pid`, "utf8"));
  }

  /** Takes a machine off the network. Returns what connects it again. */
  cutMachine(number: 1 | 2): () => void {
    const inside = (...command: readonly string[]): string =>
      execFileSync("nsenter", ["-t", String(this.pid(`node${number}`)), "-n", ...command], { encoding: "utf8" });
    const routes = inside("ip", "route", "show", "dev", "eth0")
      .split("\n")
      .filter((line) => line.includes(" via "));
    inside("ip", "link", "set", "eth0", "down");
    return () => {
      inside("ip", "link", "set", "eth0", "up");
      for (const route of routes) inside("ip", "route", "replace", ...route.trim().split(/\s+/), "dev", "eth0");
    };
  }

  /** Allows or forbids new pods on a machine. */
  async setSchedulable(node: string, isSchedulable: boolean): Promise<void> {
    const body = { spec: { unschedulable: !isSchedulable } };
    await this.client.call("PATCH", `/api/v1/nodes/${node}`, { contentType: "application/merge-patch+json", body });
  }

  /** Kills the API server. Returns what starts it again, and resolves when it responds. */
  killApiServer(): () => Promise<void> {
    const pid = this.pid("apiserver");
    const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8")
      .split("\0")
      .filter((part) => part !== "");
    process.kill(pid, "SIGKILL");
    return async () => {
      const { folder } = this.#cluster;
      const log = openSync(`${folder}/apiserver.log`, "a");
      // In the folder and the session of the cluster, which stops it by its process id.
      const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", log, log], env: this.#environment });
      child.unref();
      writeFileSync(`${folder}/apiserver.pid`, String(child.pid));
      const isReady = () =>
        this.client.call("GET", "/readyz", { timeoutMs: 2_000 }).then(
          () => true,
          () => false,
        );
      for (let left = 240; left > 0 && !(await isReady()); left -= 1) await sleep(250);
    };
  }

  async stop(): Promise<void> {
    await using ends = new AsyncDisposableStack();
    ends.defer(() => this.#cluster.stop());
    ends.defer(() => this.client.close());
    await this.#removeVolumes();
  }
}

export async function kubernetesForTests(): Promise<TestKubernetes | { readonly unavailable: string }> {
  const cluster = await ensureKubernetes();
  return "unavailable" in cluster ? cluster : new TestKubernetes(cluster);
}
