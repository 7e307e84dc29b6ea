import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { TcpRelay } from "@appserver/containers-docker";
import { kubernetesForTests, pushPlatformImages, type TestKubernetes } from "@appserver/testing/kit/kubernetes";
import { quietPort } from "@appserver/testing/kit/production";
import { ensureDebianProgram } from "../../tools/services/debian-package.ts";
import { freePort } from "../../tools/services/free-port.ts";
import { ensureGoProgram } from "../../tools/services/go-program.ts";
import { helmProgram } from "../../tools/services/helm.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../../tools/services/postgres.ts";
import { type GuideStep, masked, stepsOf } from "../production/guides/guide-steps.ts";
import { OperatorShell } from "../production/guides/operator-shell.ts";

const repository = resolve(import.meta.dirname, "../..");
const page = join(repository, "docs/guides/kubernetes.md");
const stepTimeoutMs = 400_000;
const volumes = 2;

/** What the guide calls by a name of its own, and how it is called here. */
type Name = readonly [guide: string, here: string];

interface Parts {
  /** Names what is made in the cluster. */
  readonly id: string;
  readonly namespace: string;
  readonly cluster: TestKubernetes;
  readonly shell: OperatorShell;
  readonly names: readonly Name[];
  /** Where pods reach the platform: the cluster has no DNS. */
  readonly platformPort: number;
  readonly ends: AsyncDisposableStack;
}

/** Of this machine, for pods. */
const hostAddress = "10.199.0.1";

/** The person of docs/guides/kubernetes.md: a shell with kubectl and helm, and two PostgreSQL servers that pods reach. */
export class ClusterOperator {
  readonly #parts: Parts;
  /** The commands that failed. Every later step needs them. */
  #failed: string | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the reason if it is unavailable. */
  static async start(): Promise<ClusterOperator | { readonly unavailable: string }> {
    const helm = await ensureGoProgram(helmProgram);
    if ("unavailable" in helm) return helm;
    const kubectl = ensureDebianProgram("kubectl", "kubernetes-client");
    if ("unavailable" in kubectl) return kubectl;
    const cluster = await kubernetesForTests();
    if ("unavailable" in cluster) return cluster;
    await using ends = new AsyncDisposableStack();
    ends.defer(() => cluster.stop());
    const root = await mkdtemp(join(tmpdir(), "appserver-cluster-"));
    ends.defer(() => rm(root, { recursive: true }));
    const servers: Name[] = [];
    for (const name of ["apps-postgres", "postgres"]) {
      const server = await startPrivatePostgres(join(root, name), { superuser: "postgres" });
      if ("unavailable" in server) return server;
      ends.defer(() => server.remove());
      servers.push(...(await reachable(server, `${name}.example.com`, ends)));
    }
    mkdirSync(join(root, "bin"));
    symlinkSync(helm.path, join(root, "bin/helm"));
    copyFileSync(cluster.kubeconfig, join(root, "kubeconfig"));
    const shell = new OperatorShell(root, {
      PATH: [join(root, "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(":"),
      HOME: root,
      LANG: "C.UTF-8",
      KUBECONFIG: join(root, "kubeconfig"),
    });
    ends.defer(() => shell.kill());
    const id = randomBytes(4).toString("hex");
    const namespace = `appserver-${id}`;
    const platformPort = await freePort();
    const names = [
      ...ownNames(root),
      ...platformNames(platformPort),
      ...servers,
      ...clusterNames(id, namespace, cluster.registry, await quietPort()),
    ];
    return new ClusterOperator({ id, namespace, cluster, shell, names, platformPort, ends: ends.move() });
  }

  get id(): string {
    return this.#parts.id;
  }

  /** Of the platform. That of apps has the suffix `-apps`. */
  get namespace(): string {
    return this.#parts.namespace;
  }

  get registry(): string {
    return this.#parts.cluster.registry;
  }

  /** Pushes the images that the guide installs, and makes volumes for its claims. */
  async prepare(): Promise<void> {
    const { id, namespace, cluster } = this.#parts;
    await pushPlatformImages(cluster.registry, [`${id}-1`, `${id}-2`]);
    await cluster.makeVolumes(namespace, volumes);
  }

  /** Lets pods reach the platform. `address`: of its Service. */
  async openPlatform(address: string): Promise<void> {
    const { platformPort, ends } = this.#parts;
    const relay = new TcpRelay({ host: hostAddress, port: platformPort }, { host: address, port: 8_080 });
    await relay.start();
    ends.defer(() => relay.stop());
  }

  /** Runs the steps of a section, and compares what they print. `isWanted` gets their commands. */
  async follow(section: string, isWanted = (_commands: string): boolean => true): Promise<void> {
    const steps = stepsOf(await readFile(page, "utf8")).filter((step) => step.section === section && isWanted(step.commands));
    assert.ok(steps.length > 0, section);
    assert.equal(this.#failed, undefined, "an earlier step failed");
    for (const step of steps) {
      this.#failed = step.commands;
      const { printed, expected } = await this.run(step);
      if (expected !== undefined) assert.equal(printed, expected, step.commands);
      this.#failed = undefined;
    }
  }

  /** Runs commands with the names of the guide. Returns what they print and what the guide says. */
  async run({
    commands,
    output,
  }: Omit<GuideStep, "section">): Promise<{ readonly printed: string; readonly expected: string | undefined }> {
    const { names } = this.#parts;
    const printed = await this.call(names.reduce((text, [guide, here]) => text.replaceAll(guide, here), commands));
    const back = names.reduce((text, [guide, here]) => text.replaceAll(here, guide), printed);
    return { printed: masked(back), expected: output === undefined ? undefined : masked(output) };
  }

  /** Runs commands as they are. Returns what they print. */
  async call(commands: string): Promise<string> {
    return (await this.#parts.shell.run(commands, stepTimeoutMs)).trim();
  }

  async stop(): Promise<void> {
    const { namespace, cluster, ends } = this.#parts;
    try {
      for (const suffix of ["", "-apps", "-trial"]) await cluster.removeNamespace(`${namespace}${suffix}`);
    } finally {
      await ends.disposeAsync();
    }
  }
}

function ownNames(root: string): readonly Name[] {
  return [
    ["cat > values.yaml", `cat > ${root}/values.yaml`],
    ["--values values.yaml", `--values ${root}/values.yaml`],
    [" > link", ` > ${root}/link`],
    [" > check", ` > ${root}/check`],
    ["head -n 1 check", `head -n 1 ${root}/check`],
    ["token=' link", `token=' ${root}/link`],
    ["deploy/", `${repository}/deploy/`],
  ];
}

function platformNames(port: number): readonly Name[] {
  const platform = `${hostAddress}:${port}`;
  const secret = "existingSecret: appserver-apps-database";
  return [
    [secret, `${secret}\n  env: { APPSERVER_HTTP_URL: "http://${platform}" }`],
    ['egress: ["10.0.0.7:5432"]', `egress: ["10.0.0.7:5432", "${platform}"]`],
  ];
}

/** Longer names come before those that they contain. */
function clusterNames(id: string, namespace: string, registry: string, port: number): readonly Name[] {
  const ofTrial = {
    "apps.registry": registry,
    "apps.plainRegistries": `{${registry}}`,
    "tryOutStorage.storageClass": namespace,
    "tryOutStorage.size": "1Gi",
  };
  return [
    [
      "registry: registry.example.com/apps",
      `registry: ${registry}\n  plainRegistries: ["${registry}"]\n  storageClass: ${namespace}`,
    ],
    [
      "apps.registry=registry.example.com/apps",
      Object.entries(ofTrial)
        .map((each) => each.join("="))
        .join(),
    ],
    ["registry.example.com/platform", registry],
    ["tag: 0.1.0", `tag: ${id}-1`],
    ["tag=0.1.0", `tag=${id}-1`],
    ["tag=0.1.1", `tag=${id}-2`],
    ["server:0.1.1", `server:${id}-2`],
    ["orchestrator:0.1.0", `orchestrator:${id}-1`],
    ["namespace appserver", `namespace ${namespace}`],
    ["trial-apps", `${namespace}-trial`],
    ["service/appserver 8080", `service/appserver ${port}:8080`],
    ["127.0.0.1:8080", `127.0.0.1:${port}`],
  ];
}

/** Makes a server that listens on loopback reachable for pods. Returns its names. */
async function reachable({ connection }: PrivatePostgres, name: string, ends: AsyncDisposableStack): Promise<readonly Name[]> {
  const host = hostAddress;
  const port = await freePort();
  const relay = new TcpRelay({ host, port }, { host: connection.host, port: connection.port });
  await relay.start();
  ends.defer(() => relay.stop());
  return [
    [`postgres:secret@${name}:5432`, `postgres:${connection.password}@${host}:${port}`],
    [`${name}:5432`, `${host}:${port}`],
    ...(name === "apps-postgres.example.com" ? [["10.0.0.7:5432", `${host}:${port}`] as const] : []),
    [`host: ${name}, port: 5432`, `host: ${host}, port: ${port}`],
  ];
}
