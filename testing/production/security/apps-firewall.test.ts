import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { DockerRuntime } from "@appserver/containers-docker";
import { type ContainerView, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { ask } from "../../../drivers/containers/ask-probe.ts";
import { makeProbeImage } from "../../../drivers/containers/probe-image.ts";

const script = resolve(import.meta.dirname, "../../../deploy/apps-firewall.sh");
const found = await dockerEngineForTests();
const engine = found instanceof TestDockerEngine ? found : undefined;
const id = randomBytes(3).toString("hex");
const instance = `firewall-${id}`;
const pool = "10.217.0.0/24";
/** A host next to this one that only this test has: with an address like a metadata service's, and one of the internet. */
const neighbour = { namespace: `apps-${id}`, here: `af${id}a`, there: `af${id}b` };
const [metadata, internet] = ["169.254.213.2", "203.0.113.2"];

const run = (command: string, ...args: readonly string[]): string => execFileSync(command, args, { encoding: "utf8" });

function missing(): string | false {
  if (!engine) return "unavailable" in found ? found.unavailable : "no Docker engine";
  if (process.getuid?.() !== 0) return "needs root";
  if (spawnSync("iptables", ["-w", "-S", "INPUT"]).status !== 0) return "needs the right to change iptables, not root alone";
  return spawnSync("ip", ["netns", "list"]).status === 0 ? false : "needs the right to make network namespaces, not root alone";
}

describe("deploy/apps-firewall.sh", { skip: missing(), concurrency: false }, () => {
  const runtime = new DockerRuntime({ socketPath: engine?.socketPath ?? "", pullPolicy: "if-not-present" });
  let app: ContainerView;
  let gateway = "";
  let onHost: Server;
  let metadataServer: ChildProcess;

  const reach = async (host: string, port: number): Promise<string> =>
    String(await ask(app, `/connect?host=${host}&port=${port}`));
  const portOf = (server: Server): number => (server.address() as { port: number }).port;

  before(async () => {
    openNeighbour();
    const listen = "require('net').createServer((s)=>s.end()).listen(8080,'0.0.0.0',()=>console.log('up'))";
    metadataServer = spawn("ip", ["netns", "exec", neighbour.namespace, process.execPath, "-e", listen], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (metadataServer.stdout) await once(metadataServer.stdout, "data");
    onHost = createServer((socket) => socket.end()).listen(0, "0.0.0.0");
    await once(onHost, "listening");
    app = await startApp();
    gateway = (await engine?.inspect(app.name))?.NetworkSettings.Networks[networkName]?.Gateway ?? "";
  });
  after(async () => {
    run("sh", script, "-d", pool);
    metadataServer?.kill("SIGKILL");
    onHost?.close();
    spawnSync("ip", ["link", "delete", neighbour.here]);
    spawnSync("ip", ["netns", "delete", neighbour.namespace]);
    await runtime.close();
    await engine?.tidyUp(instance, networkName);
    await engine?.stop();
  });

  const networkName = `${instance}-app-probe`;
  const startApp = async (): Promise<ContainerView> => {
    const image = "appserver-suite.invalid/com.example.firewall:latest";
    await makeProbeImage(engine?.socketPath ?? "", image);
    const labels = { [containerLabels.instance]: instance, [containerLabels.appId]: "probe" };
    await runtime.networks.ensure({ name: networkName, labels, pool });
    const limits = { memoryMb: 128, cpuShares: 512, pidsLimit: 64, readOnlyRoot: true };
    const spec = { name: `app-${instance}`, image, environment: { PORT: "3000" }, labels, network: networkName, ...limits };
    await runtime.create({ ...spec, port: 3000, endpoint: "publish" });
    return await runtime.start(spec.name);
  };

  test("without it, an app reaches the host and link-local addresses behind it", async () => {
    await eventually(async () => assert.equal(await reach(metadata, 8080), "connected"));
    assert.deepEqual([await reach(internet, 8080), await reach(gateway, portOf(onHost))], ["connected", "connected"]);
  });

  test("with it, an app reaches the internet and the given addresses only; it can run again", async () => {
    for (let times = 0; times < 2; times++) run("sh", script, pool);
    const refused = /^(ECONNREFUSED|timeout)$/;
    assert.match(await reach(metadata, 8080), refused);
    assert.match(await reach(gateway, portOf(onHost)), refused);
    assert.equal(await reach(internet, 8080), "connected");
    run("sh", script, pool, `${gateway}:${portOf(onHost)}`, `${metadata}:8080`);
    assert.deepEqual([await reach(gateway, portOf(onHost)), await reach(metadata, 8080)], ["connected", "connected"]);
    run("sh", script, pool);
    assert.match(await reach(gateway, portOf(onHost)), refused);
  });

  test("-d deletes every rule", async () => {
    run("sh", script, "-d", pool);
    run("sh", script, "-d", pool);
    assert.doesNotMatch(run("iptables", "-w", "-S"), /10\.217\.0\.0\/24|10-217-0-0-24/);
    assert.equal(await reach(gateway, portOf(onHost)), "connected");
  });
});

/** Makes the neighbour. No packet to it leaves this machine. */
function openNeighbour(): void {
  const { namespace, here, there } = neighbour;
  run("ip", "netns", "add", namespace);
  run("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", namespace);
  for (const address of [metadata, internet]) {
    run("ip", "address", "add", address.replace(/2$/, "1/30"), "dev", here);
    run("ip", "-n", namespace, "address", "add", `${address}/30`, "dev", there);
  }
  run("ip", "link", "set", here, "up");
  run("ip", "-n", namespace, "link", "set", there, "up");
}
