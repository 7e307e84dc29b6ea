import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { eventually, send } from "@appserver/testing/kit";
import { pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { linesApp, linesManifest } from "../contract/lines-app.ts";
import { RequestLoad } from "../kit/request-load.ts";
import { contentsOf, inTurn } from "../kit/under-load.ts";
import { withoutChromium } from "../production/e2e/launch-chromium.ts";
import { ClusterOperator } from "./cluster-operator.ts";
import { installNotes, lookAtInstances, uninstallNotes } from "./notes-in-cluster.ts";
import { administratorOf } from "./person.ts";

const started = await ClusterOperator.start();
const skip = "unavailable" in started ? started.unavailable : false;
const timeoutMs = 500_000;

describe("the commands of the guide for Kubernetes", { skip, timeout: 2 * timeoutMs }, () => {
  const operator = started as ClusterOperator;
  const lines = `com.example.lines${skip ? "" : operator.id}`;
  /** Of the Service, which this machine reaches. */
  let address = "";
  let token = "";

  before(
    async () => {
      await operator.prepare();
      const folder = await linesApp();
      await pushNodeImage(`${operator.registry}/${lines}:latest`, await readFile(join(folder, "src/server.ts"), "utf8"));
      await rm(folder, { recursive: true });
    },
    { timeout: timeoutMs },
  );
  after(() => operator.stop());

  const httpUrl = (): string => `http://${address}:8080`;
  const grpcUrl = (): string => `http://${address}:9090`;
  const path = `/api/apps/${lines}/lines`;
  const secret = (key: string): Promise<string> =>
    operator.call(`kubectl get secret appserver --output jsonpath='{.data.${key}}' | base64 --decode`);

  test("install: the platform runs on two PostgreSQL servers", { timeout: timeoutMs }, async () => {
    for (const section of ["Databases", "Secrets", "Install"]) await operator.follow(section);
    address = await operator.call("kubectl get service appserver --output jsonpath='{.spec.clusterIP}'");
    await operator.openPlatform(address);
  });

  test("first administrator: the link makes one, and the platform is ready", { timeout: timeoutMs }, async () => {
    await operator.follow("First administrator");
    token = await administratorOf(await operator.call("cat ~/link"), httpUrl());
  });

  test("an app with storage is deployed, and serves", { timeout: timeoutMs }, async () => {
    const app = await linesManifest(lines, "1.0.0", [{ name: "data", mount_path: "/data", size: "10Mi" }]);
    // As through a forwarded port: that of HTTP has gRPC, too.
    await registerApp(createPlatformClient({ grpcUrl: httpUrl() }), app, await secret("APPSERVER_REGISTRATION_TOKEN"));
    await createPlatformClient({ grpcUrl: grpcUrl(), token }).marketplace.installApp({ name: lines });
    await eventually(() => contentsOf(`${httpUrl()}${path}`), undefined, { timeoutMs: 120_000, what: `${lines} is served` });
    assert.equal((await send(httpUrl(), `${path}?text=kept`, { method: "POST" })).status, 200);
  });

  test("the console shows the instances of an app on both machines", {
    skip: withoutChromium,
    timeout: timeoutMs,
  }, async () => {
    const reached = {
      ...{ httpUrl: httpUrl(), grpcUrl: grpcUrl(), token },
      registrationToken: await secret("APPSERVER_REGISTRATION_TOKEN"),
    };
    await installNotes(operator, reached);
    await lookAtInstances(operator);
    await uninstallNotes(operator, reached);
  });

  test("upgrade: no request and no call fails", { timeout: timeoutMs }, async (t: TestContext) => {
    const { marketplace } = createPlatformClient({ grpcUrl: grpcUrl(), token });
    const calls = async (): Promise<number> => ((await marketplace.getApp({ name: lines })).app?.name === lines ? 200 : 0);
    const load = new RequestLoad({ app: inTurn([httpUrl()], path), calls }, "upgrade", { app: 2, calls: 2 });
    try {
      await load.responded(100);
      await operator.follow("Upgrade");
    } finally {
      await load.stop();
      for (const line of load.report()) t.diagnostic(line);
    }
    assert.deepEqual(load.failed(), []);
  });

  test("a backup says that the storage of the app is not in it", { timeout: timeoutMs }, async () => {
    const commands = `
      at=postgres.example.com:5432
      openssl rand -hex 16 > ~/passphrase
      env APPSERVER_DB_HOST=\${at%:*} APPSERVER_DB_PORT=\${at#*:} APPSERVER_DB_PASSWORD="$APPSERVER_DB_PASSWORD" \\
        APPSERVER_INSTANCE=appserver APPSERVER_SETTINGS_ENCRYPTION_KEY=${await secret("APPSERVER_SETTINGS_ENCRYPTION_KEY")} \\
        APPSERVER_CONTAINERS_DRIVER=kubernetes APPSERVER_KUBERNETES_KUBECONFIG="$KUBECONFIG" \\
        APPSERVER_KUBERNETES_NAMESPACE=${operator.namespace}-apps \\
        APPSERVER_BACKUP_DATABASE_URL=postgres://postgres:secret@postgres.example.com:5432/postgres \\
        APPSERVER_CONTAINERS_DATABASE_ADMIN_URL=postgres://postgres:secret@apps-postgres.example.com:5432/postgres \\
        ${process.execPath} bin/appserver.mjs backup --passphrase-file ~/passphrase --to ~/backup.age`;
    const { printed } = await operator.run({ commands, output: undefined });
    assert.match(printed, new RegExp(`The storage of ${lines} is not in the backup`));
  });

  test("uninstall: the apps run on, and their claims stay", { timeout: timeoutMs }, async () => {
    await operator.follow("Backup");
    const isDeletion = (commands: string): boolean => commands.includes("delete");
    await operator.follow("Uninstall", (commands) => !isDeletion(commands));
    const left = (kind: string) =>
      operator.call(`kubectl get ${kind} --namespace ${operator.namespace}-apps --output name | wc -l`);
    assert.deepEqual([await left("persistentvolumeclaims"), await left("deployments"), await left("roles")], ["1", "1", "0"]);
    await operator.follow("Uninstall", isDeletion);
  });
});
