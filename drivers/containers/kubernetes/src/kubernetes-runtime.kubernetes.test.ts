import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { kubernetesForTests, pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { containersSuite } from "../../containers.suite.ts";
import { probeEntry, writeProbeApp } from "../../probe-app.ts";
import type { Connection } from "./connection.ts";
import { KubernetesRuntime } from "./kubernetes-runtime.ts";

const found = await kubernetesForTests();
const cluster = "unavailable" in found ? undefined : found;
const namespace = `apps-${randomBytes(4).toString("hex")}`;
const registry = cluster?.registry ?? "";
const image = `${registry}/${namespace}/com.example.probe:latest`;

/** As the platform has it: with the rights of its role. */
let connection: Connection | undefined;

/** Every pod has them. */
const apiVariables = [
  ...["KUBERNETES_PORT", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "KUBERNETES_SERVICE_PORT_HTTPS"],
  ...["", "_ADDR", "_PORT", "_PROTO"].map((end) => `KUBERNETES_PORT_443_TCP${end}`),
];

async function publish(version: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "appserver-probe-"));
  writeProbeApp(folder, version);
  await pushNodeImage(image, readFileSync(join(folder, probeEntry), "utf8"));
  rmSync(folder, { recursive: true });
}

before(async () => {
  if (!cluster) return;
  await cluster.makeNamespace(namespace);
  await cluster.makeVolumes(namespace, 24);
  connection = await cluster.orchestratorConnection(namespace);
  await publish("1");
});
after(async () => {
  await cluster?.removeNamespace(namespace);
  await cluster?.stop();
});

containersSuite(
  "kubernetes",
  async () => ({
    open: async () => {
      if (!connection) throw new Error("no cluster");
      const options = {
        namespace,
        connection,
        plainRegistries: [registry],
        pullSecrets: [],
        storageClass: namespace,
        drainMs: 0,
        // The suite is on the host, outside of the cluster.
        gateways: ["10.199.0.0/24"],
      };
      return new KubernetesRuntime({ ...options, clock: new SystemClock(), logger: silentLogger });
    },
    image,
    publish,
    missingImage: `${registry}/com.example.missing:latest`,
    ownEnvironment: ["PATH", "HOSTNAME", "HOME", ...apiVariables],
    differences: {
      endpoint: /^http:\/\/10\.96\.\d+\.\d+:3000$/,
      reachedByAddress: /^(?:ECONNREFUSED|timeout)$/,
      noUserNames: "this driver has no names of users: the cluster does not read them from images",
      noProcessLimits: "this driver has no limit of processes for a container: the machines have one",
      noStorageContents: "this driver has no access to the contents of claims",
      identityFiles: { mode: "440", isOwn: false },
      storageMode: "775",
    },
    close: async () => {},
  }),
  "unavailable" in found ? { skip: found.unavailable } : {},
);
