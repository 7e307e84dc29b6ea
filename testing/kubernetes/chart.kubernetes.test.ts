import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";
import { kubernetesForTests } from "@appserver/testing/kit/kubernetes";
import { ensureDebianProgram } from "../../tools/services/debian-package.ts";
import { ensureGoProgram } from "../../tools/services/go-program.ts";
import { helmProgram } from "../../tools/services/helm.ts";
import { additions, minimal, refusals, tryOut } from "./chart-cases.ts";

const chart = resolve(import.meta.dirname, "../../deploy/helm/appserver");
const chartVersion = /^version: (.*)$/m.exec(readFileSync(join(chart, "Chart.yaml"), "utf8"))?.[1] ?? "";
const helm = await ensureGoProgram(helmProgram);
const skip = "unavailable" in helm ? helm.unavailable : false;
const folder = mkdtempSync(join(tmpdir(), "appserver-chart-"));
after(() => rmSync(folder, { recursive: true }));

const wholeOutput = { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 } as const;

function run(command: string, valueSets: readonly string[], ...flags: readonly string[]): SpawnSyncReturns<string> {
  const files = valueSets.map((values, index) => {
    const file = join(folder, `values-${index}.yaml`);
    writeFileSync(file, values);
    return file;
  });
  const values = files.flatMap((file) => ["--values", file]);
  return spawnSync("path" in helm ? helm.path : "", [...command.split(" "), chart, ...values, ...flags], wholeOutput);
}

/** Returns all objects of a release `appserver` in the namespace `platform`. */
function rendered(...valueSets: readonly string[]): string {
  const { status, stdout, stderr } = run(
    "template appserver",
    valueSets,
    "--namespace",
    "platform",
    "--kube-version",
    "1.30.0",
  );
  assert.equal(status, 0, stderr);
  // A release changes no snapshot.
  return stdout.replaceAll(chartVersion, "<version>");
}

/** Returns the lines that differ, each with the one before it. */
function difference(before: string, now: string): string {
  const [one, other] = [join(folder, "before.yaml"), join(folder, "now.yaml")];
  writeFileSync(one, before);
  writeFileSync(other, now);
  const { stdout } = spawnSync("git", ["diff", "--no-index", "--no-color", "--unified=1", one, other], wholeOutput);
  return stdout.slice(stdout.indexOf("\n@@") + 1).replaceAll(/^@@.*$/gm, "@@");
}

/** `node --test --test-update-snapshots` of this file writes them again. */
function snapshotOf(name: string): string {
  return resolve(import.meta.dirname, "chart-snapshots", `${name.replaceAll(" ", "-")}.txt`);
}

const asItIs = { serializers: [(value: unknown) => String(value)] };

describe("the chart", { skip }, () => {
  test("helm finds nothing wrong in it", () => {
    for (const values of [minimal, tryOut]) {
      const { status, stdout } = run("lint --strict", [values]);
      assert.equal(status, 0, stdout);
    }
  });

  test("minimal values, and a trial in one pod, make these objects", (t) => {
    t.assert.fileSnapshot(rendered(minimal), snapshotOf("minimal"), asItIs);
    t.assert.fileSnapshot(rendered(tryOut), snapshotOf("try-out"), asItIs);
  });

  for (const [name, values] of Object.entries(additions))
    test(`what changes with ${name}`, (t) => {
      t.assert.fileSnapshot(difference(rendered(minimal), rendered(minimal, values)), snapshotOf(name), asItIs);
    });

  for (const [name, [values, message]] of Object.entries(refusals))
    test(`${name} is refused`, () => {
      const { status, stderr } = run("template appserver", [values], "--namespace", "platform", "--kube-version", "1.30.0");
      assert.equal(status, 1);
      assert.match(stderr, message);
    });
});

const client = ensureDebianProgram("kubectl", "kubernetes-client");
const found = "unavailable" in client ? client : await kubernetesForTests();

function kubectl(flags: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync("path" in client ? client.path : "", flags, wholeOutput);
}

describe("the chart in a cluster", { skip: skip || ("unavailable" in found && found.unavailable) }, () => {
  const cluster = "unavailable" in found ? undefined : found;
  const id = randomBytes(4).toString("hex");
  const [namespace, apps] = [`platform-${id}`, `apps-${id}`];
  after(async () => {
    for (const each of [namespace, apps]) await cluster?.removeNamespace(each);
    await cluster?.stop();
  });

  test("the API server accepts all objects, in a namespace of the level restricted too", async () => {
    for (const each of [namespace, apps]) await cluster?.makeNamespace(each);
    const kubeconfig = join(folder, "kubeconfig");
    copyFileSync(cluster?.kubeconfig ?? "", kubeconfig);
    // Objects that name another namespace are refused with the flag `--namespace`.
    kubectl(["config", "set-context", "--current", "--namespace", namespace, "--kubeconfig", kubeconfig]);
    // No definitions of a Gateway and of the Prometheus Operator are in this cluster.
    const isInstalled = (values: string): boolean => !/^(gateway|monitoring):/m.test(values);
    const own = `apps: { namespace: ${apps}, createNamespace: false }`;
    for (const values of [...Object.values(additions).filter(isInstalled), tryOut]) {
      const { stdout, stderr } = run(
        "template appserver",
        [minimal, values, own],
        "--namespace",
        namespace,
        "--kube-version",
        "1.30.0",
      );
      assert.equal(stderr, "");
      const file = join(folder, "objects.yaml");
      writeFileSync(file, stdout);
      const flags = ["apply", "--dry-run=server", "--filename", file, "--kubeconfig", kubeconfig];
      const applied = kubectl(flags);
      assert.deepEqual([applied.status, applied.stderr], [0, ""]);
    }
  });
});
