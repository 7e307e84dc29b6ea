import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { EngineClient } from "@appserver/containers-docker";
import { eventually } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { quietPort } from "@appserver/testing/kit/production";
import { ensureDebianProgram } from "../../../tools/services/debian-package.ts";
import { ensureTemplateNodeBase } from "../docker/template-bases.ts";
import { Browser } from "./browser.ts";
import { deployApp } from "./deploy-app.ts";
import { guideCommands } from "./guide-commands.ts";
import { OwnMachine } from "./own-machine.ts";
import { packedServer } from "./packed-server.ts";
import { type RunningUnit, runUnit } from "./run-unit.ts";

const app = "com.example.units";
const docker = await dockerEngineForTests();
const analyze = ensureDebianProgram("systemd-analyze", "systemd");
const skip =
  "unavailable" in docker ? docker.unavailable : "unavailable" in analyze ? analyze.unavailable : process.getuid?.() !== 0;

describe("the units of one machine", { skip, timeout: 540_000 }, () => {
  const engine = docker as TestDockerEngine;
  // Below 1024: the unit may listen there, and its user may not.
  const port = 600 + Math.floor(Math.random() * 400);
  const publicUrl = `http://127.0.0.1:${port}`;
  const ends = new AsyncDisposableStack();
  const units: Record<string, RunningUnit> = {};
  let folder = "";
  let tarball = "";
  let machine: OwnMachine;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "appserver-units-"));
    ends.defer(() => rmSync(folder, { recursive: true, force: true }));
    machine = await OwnMachine.start({ folder, engineSocket: engine.socketPath });
    ends.defer(() => machine.stop());
    ends.defer(() => engine.tidyUp("appserver", "appserver"));
    const client = new EngineClient(engine.socketPath);
    await ensureTemplateNodeBase(client);
    await client.close();
    tarball = await packedServer(folder);
    // The engine of the tests has another group than Debian's.
    await machine.run(`
      cp ${realpathSync(process.execPath)} /usr/local/bin/node
      printf '#!/bin/sh\\necho "$@" >> /run/systemctl.log\\n' > /usr/local/bin/systemctl
      chmod 755 /usr/local/bin/systemctl
      sed -i '/^docker:/d' /etc/group
      echo "docker:x:$(stat -c %g /run/docker.sock):" >> /etc/group
      exec >&2
      ${guideCommands("As a service", names(tarball)).join("\n")}
      echo 'APPSERVER_INTERNAL_PORT=${await quietPort()}' >> /etc/appserver/up.env
      echo 'APPSERVER_GRPC_PORT=${await quietPort()}' >> /etc/appserver/up.env`);
  });
  after(async () => {
    for (const unit of Object.values(units)) await stop(unit);
    await ends.disposeAsync();
    if (docker instanceof TestDockerEngine) await docker.stop();
  });

  async function stop({ process }: RunningUnit): Promise<number | null> {
    if (process.exitCode !== null || process.signalCode !== null) return process.exitCode;
    const exited = once(process, "exit");
    process.kill("SIGTERM");
    await exited;
    return process.exitCode;
  }

  function names(tarball: string): Readonly<Record<string, string>> {
    return { "./appserver-0.1.0.tgz": tarball, "https://apps.example.com": publicUrl };
  }

  const follow = (section: string): Promise<string> => machine.run(guideCommands(section, names(tarball)).join("\n"));

  const linkIn = (unit: RunningUnit): string | undefined => /http:\S+#token=\S+/.exec(unit.log())?.[0];

  async function startUp(isReady: (unit: RunningUnit) => boolean): Promise<RunningUnit> {
    const unit = await runUnit(machine, "appserver-up", { PATH: "/usr/local/bin:/usr/bin:/bin" });
    units["up"] = unit;
    await eventually(
      () => {
        if (unit.process.exitCode !== null) throw new Error(unit.log());
        return isReady(unit);
      },
      Boolean,
      { timeoutMs: 120_000, what: "up is ready" },
    );
    return unit;
  }

  test("are accepted by systemd, and leave little open", async () => {
    assert.match(await machine.run("cat /run/systemctl.log"), /restart appserver-engine-guard\n.*\nrestart appserver-up\n$/s);
    const files = "/etc/systemd/system/appserver-up.service /etc/systemd/system/appserver-engine-guard.service";
    assert.equal(await machine.run(`systemd-analyze verify --man=no ${files} 2>&1 | grep appserver || true`), "");
    for (const file of files.split(" "))
      await machine.run(`systemd-analyze security --offline=true --threshold=20 ${file} > /dev/null`);
  });

  test("run as users with few rights, and an app is deployed to a container", async () => {
    units["guard"] = await runUnit(machine, "appserver-engine-guard", { PATH: "/usr/local/bin:/usr/bin:/bin" });
    const up = await startUp((unit) => linkIn(unit) !== undefined);
    const status = await machine.run(`grep -E '^(Uid|CapEff|NoNewPrivs)' /proc/${up.process.pid}/status; id -u appserver`);
    const uid = /(\d+)\n$/.exec(status)?.[1];
    assert.match(status, new RegExp(`^Uid:\\t${uid}\\t.*CapEff:\\t0000000000000400\\nNoNewPrivs:\\t1\\n`, "s"));
    assert.equal(
      await machine.run("stat -c '%U %G %a' /var/lib/appserver /run/appserver-engine/docker.sock"),
      "appserver appserver 700\nappserver-guard appserver 660\n",
    );

    const browser = new Browser(publicUrl);
    await browser.becomeAdministrator(linkIn(up) ?? "");
    const target = { url: publicUrl, token: browser.token, socketPath: engine.socketPath };
    await deployApp(folder, app, target).catch((error: unknown) => assert.fail(`${error}\n${up.log().slice(-4_000)}`));
    await eventually(async () => assert.equal((await browser.ask(`/api/apps/${app}/hello/ada`)).status, 200));
  });

  test("the commands of the operator's second day: a person, a backup and its test, an update", async () => {
    assert.match(await follow("Commands of operators"), /, ready\n[\s\S]*#token=/);
    assert.equal(await stop(units["up"] as RunningUnit), 0);
    const backup = guideCommands("Backup", names(tarball));
    const restart = backup.indexOf("systemctl restart appserver-up") + 1;
    await machine.run(backup.slice(0, restart).join("\n"));
    const isReady = (unit: RunningUnit): boolean => unit.log().includes("Appserver is ready");
    const restarted = await startUp(isReady);
    assert.match(await machine.run(backup.slice(restart).join("\n")), new RegExp(`apps +${app} `));
    assert.match(await follow("Test a backup"), /The platform has recorded the test/);
    assert.equal(await stop(restarted), 0);
    await follow("Updates");
    assert.match(await machine.run("cat /etc/appserver/up.env"), new RegExp(`APPSERVER_PUBLIC_URL=${publicUrl}\n`));
    await startUp(isReady);
    const { status } = await new Browser(publicUrl).ask("/ready");
    assert.equal(status, 200);
  });
});
