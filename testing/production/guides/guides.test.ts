import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { eventually, type HttpAnswer, jsonOf, send } from "@appserver/testing/kit";
import { linesApp, linesManifest } from "../../contract/lines-app.ts";
import { GuideMachine } from "./guide-machine.ts";
import { stepsOf } from "./guide-steps.ts";
import { type PlatformFacts, platformFacts } from "./platform-facts.ts";
import { ProxyClient } from "./proxy-client.ts";

const folder = resolve(import.meta.dirname, "../../../docs/guides");
/** In the order of an operator's day. Each page continues the ones before. */
const pages = [
  "first-administrator.md",
  "users-and-roles.md",
  "systemd.md",
  "backup-and-restore.md",
  "tls.md",
  "monitoring.md",
  "upgrading.md",
];
/** The sections of tls.md after both proxies. */
const closing = ["Another load balancer", "What must not be reachable"];

interface AlertList {
  readonly data: { readonly alerts: readonly { readonly labels: Readonly<Record<string, string>> }[] };
}

const started = await GuideMachine.start();
const skip = "unavailable" in started ? started.unavailable : false;
const timeoutMs = 240_000;
const lines = "com.example.shelf";

describe("the commands of the guides for operators", { skip }, () => {
  const machine = started as GuideMachine;
  let linesFolder = "";
  let facts: PlatformFacts;
  /** The commands that failed. Every later step needs them. */
  let failed: string | undefined;
  before(async () => {
    linesFolder = await linesApp();
  });
  after(async () => {
    await machine.stop();
    await rm(linesFolder, { recursive: true });
  });

  const platform = (): string => machine.here("http://10.0.0.5:8080");

  /** Runs the steps of these sections of a page, all by default. */
  async function follow(page: string, isWanted = (_section: string): boolean => true): Promise<void> {
    const steps = stepsOf(await readFile(join(folder, page), "utf8")).filter(({ section }) => isWanted(section));
    assert.ok(steps.length > 0, page);
    assert.equal(failed, undefined, "an earlier step failed");
    for (const step of steps) {
      failed = step.commands;
      const { printed, expected } = await machine.run(step);
      if (expected !== undefined) assert.equal(printed, expected, step.commands);
      failed = undefined;
    }
  }

  test("every page with commands is run here", async () => {
    const all = await readdir(folder);
    const withCommands = all.filter((page) => stepsOf(readFileSync(join(folder, page), "utf8")).length > 0);
    // Others have tests of their own: those of ../one-machine, replicas/move-permissions for the moves between drivers, ../../kubernetes, and
    // that of drivers.
    const others = ["kubernetes.md", "one-machine.md", "one-machine-to-many.md", "write-a-driver.md"];
    assert.deepEqual(withCommands.sort(), [...pages, ...others].sort());
  });

  test("first administrator: from empty servers to a user who administers the platform", { timeout: timeoutMs }, async () => {
    await follow("first-administrator.md");
  });

  test("users and roles: a second user has exactly one permission", { timeout: timeoutMs }, async () => {
    await follow("users-and-roles.md");
    const headers = { authorization: `Bearer ${await machine.variable("grace")}`, "content-type": "application/json" };
    const ask = async (query: string): Promise<Record<string, Record<string, unknown>>> =>
      (jsonOf(await send(platform(), "/graphql", { method: "POST", headers, body: JSON.stringify({ query }) })) as never)[
        "data"
      ];
    const { viewer } = await ask("{ viewer { subject } }");
    const { heldPermissions } = await ask(`{ heldPermissions(subject: "${viewer?.["subject"]}") { permission appName } }`);
    assert.deepEqual(heldPermissions, [{ permission: "notes:read", appName: "com.example.notes" }]);
  });

  test("systemd: the units are accepted, and a restart brings the platform back", { timeout: timeoutMs }, async () => {
    await follow("systemd.md");
  });

  describe("backup and restore", () => {
    test("a backup is made of a platform with data", { timeout: timeoutMs }, async () => {
      await installLines();
      await follow("backup-and-restore.md", (section) => section === "Back up");
      await write("kept");
      await follow("backup-and-restore.md", (section) => section === "Something to lose");
      facts = await platformFacts(machine);
      await follow("backup-and-restore.md", (section) => section === "The last backup");
      await write("lost");
    });

    test("after the loss of everything nothing is there", { timeout: timeoutMs }, async () => {
      await machine.lose();
      assert.deepEqual(await machine.engine.containers(`appserver.instance=${machine.instance}`, true), []);
      assert.deepEqual(await machine.engine.volumes(`appserver.instance=${machine.instance}`), []);
      await assert.rejects(platformFacts(machine), /does not exist/);
    });

    test("the restored platform serves the same apps and data", { timeout: timeoutMs }, async () => {
      const begun = performance.now();
      await follow("backup-and-restore.md", (section) => section === "Restore");
      console.log(`restored in ${Math.round((performance.now() - begun) / 1000)} s`);
      await follow("backup-and-restore.md", (section) => section === "Check");
      const restored = await platformFacts(machine);
      assert.deepEqual(restored.exact, facts.exact);
      for (const [name, rows] of Object.entries(facts.growing)) {
        const there = new Set(restored.growing[name]?.map((row) => JSON.stringify(row)));
        assert.deepEqual(
          rows.filter((row) => !there.has(JSON.stringify(row))),
          [],
          name,
        );
      }
      assert.deepEqual(jsonOf(await servedLines()), ["kept"]);
    });

    test("a second restore and a damaged backup are refused, and change nothing", { timeout: timeoutMs }, async () => {
      const refusal = async (commands: string): Promise<string> =>
        (await machine.run({ section: "", commands: `{ ${commands}; } 2>&1 || echo refused`, output: undefined })).printed;
      const restore = (file: string) => refusal(`appserver restore /var/backups/${file} --data /var/backups/second`);
      assert.match(await restore("drill.age"), /There is storage of the installation .*\nrefused$/s);
      await machine.run({
        section: "",
        commands: "head -c -100 /var/backups/drill.age > /var/backups/cut.age",
        output: undefined,
      });
      assert.match(await restore("cut.age"), /damaged or not complete.*\nrefused$/s);
      assert.deepEqual((await platformFacts(machine)).exact, facts.exact);
    });
  });

  describe("TLS", () => {
    test("nginx in front: HTTP/2, WebSockets and gRPC work, and each client has its own limit", {
      timeout: timeoutMs,
    }, async () => {
      await follow("tls.md", (section) => !["Caddy", ...closing].includes(section));
      await checkProxy("127.0.0.21");
    });

    test("Caddy in front does the same", { timeout: timeoutMs }, async () => {
      await follow("tls.md", (section) => section === "Caddy");
      await checkProxy("127.0.0.31");
      await follow("tls.md", (section) => closing.includes(section));
    });

    /** `client` is a loopback address that no other call uses. */
    async function checkProxy(client: string): Promise<void> {
      const proxy = new ProxyClient({
        port: machine.httpsPort,
        ca: await readFile(machine.here("/etc/ssl/appserver/certificate.pem")),
      });
      // Attempts to sign in are limited for each address (docs/interface/limits.md#self-service).
      const attempt = (address: string, headers = {}): Promise<number> =>
        proxy.attempt("/self-service/login?flow=none", address, headers);
      const statuses: number[] = [];
      for (let call = 0; call < 31; call++) statuses.push(await attempt(client));
      assert.deepEqual([statuses.slice(0, 30).includes(429), statuses[30]], [false, 429], String(statuses));
      assert.equal(await attempt(client, { "x-forwarded-for": "203.0.113.9" }), 429, "a client cannot choose its address");
      assert.notEqual(await attempt(client.replace(/\d$/, "2")), 429, "another client has its own limit");
      assert.equal(await proxy.acknowledged(await machine.variable("APPSERVER_TOKEN")), true);
    }
  });

  test("monitoring: a real Prometheus scrapes both processes, and an outage raises its alert", {
    timeout: timeoutMs,
  }, async () => {
    await follow("monitoring.md");
    const alerts = async (): Promise<readonly string[]> => {
      const { data } = (await (await fetch(`${machine.here("http://127.0.0.1:9092")}/api/v1/alerts`)).json()) as AlertList;
      return data.alerts.map(({ labels }) => `${labels["alertname"]} ${labels["dependency"] ?? ""}`);
    };
    // Until the first scrape no process is known.
    await eventually(alerts, (seen) => seen.length === 0, { timeoutMs: 60_000, intervalMs: 500, what: "no alert" });
    await machine.units.systemctl(["stop", "openfga"]);
    const expected = "AppserverCriticalDependencyDown authorization";
    await eventually(alerts, (seen) => seen.includes(expected), { timeoutMs: 90_000, intervalMs: 500, what: expected });
    await machine.units.systemctl(["start", "openfga"]);
    await eventually(alerts, (seen) => seen.length === 0, { timeoutMs: 90_000, intervalMs: 500, what: "no alert" });
  });

  test("upgrading: the steps leave the platform running", { timeout: timeoutMs }, async () => {
    await follow("upgrading.md");
  });

  /** An app with storage, which notes does not have. */
  async function installLines(): Promise<void> {
    await machine.engine.publish(`${machine.registry}/${lines}:latest`, linesFolder);
    const app = await linesManifest(lines, "1.0.0", [{ name: "data", mount_path: "/data", size: "10Mi" }]);
    const grpcUrl = machine.here("http://10.0.0.5:9090");
    const token = await machine.variable("APPSERVER_TOKEN");
    await registerApp(createPlatformClient({ grpcUrl }), app, await machine.variable("APPSERVER_REGISTRATION_TOKEN"));
    await createPlatformClient({ grpcUrl, token }).marketplace.installApp({ name: lines });
    await servedLines();
  }

  function servedLines(): Promise<HttpAnswer> {
    const look = async (): Promise<HttpAnswer> => {
      const answer = await send(platform(), `/api/apps/${lines}/lines`);
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };
    return eventually(look, undefined, { timeoutMs: 120_000, what: `${lines} is served` });
  }

  async function write(text: string): Promise<void> {
    const answer = await send(platform(), `/api/apps/${lines}/lines?text=${text}`, { method: "POST" });
    assert.equal(answer.status, 200, answer.text);
  }
});
