import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@appserver/testing/kit";
import { quietPort } from "@appserver/testing/kit/production";
import { type Pebble, startPebble } from "../../../tools/services/pebble.ts";
import { AppserverProcess } from "../../kit/appserver-process.ts";
import { Browser } from "./browser.ts";
import { guideCommands } from "./guide-commands.ts";
import { OwnMachine } from "./own-machine.ts";
import { packedServer } from "./packed-server.ts";

const run = promisify(execFile);
const app = "com.example.hello";
const host = "apps.example.com";
const folder = mkdtempSync(join(tmpdir(), "appserver-first-day-"));
const httpPort = await quietPort();
const authority = await startAuthority();
const skip = "unavailable" in authority ? authority.unavailable : false;
/** Programs of every machine with Node. */
const path = [dirname(process.execPath), "/usr/bin", "/bin"].join(":");

/** docs/guides/one-machine.md, by the clock. */
describe("from the package of a release to an app that another machine has deployed", { skip }, () => {
  const pebble = authority as Pebble;
  const publicUrl = (port: number): string => `https://${host}:${port}`;
  const machines = { server: join(folder, "server"), developer: join(folder, "developer") };
  let environment: Readonly<Record<string, string>>;
  let tarball = "";
  let server: AppserverProcess | undefined;
  let developer: OwnMachine | undefined;
  let commands = 0;
  before(async () => {
    for (const each of Object.values(machines)) mkdirSync(each);
    developer = await OwnMachine.start({ folder });
    await developer.run(`echo '127.0.0.1 localhost ${host}' > /etc/hosts`);
    const packed = await packedServer(folder);
    tarball = join(machines.server, basename(packed));
    await rename(packed, tarball);
    const trusted = join(folder, "authorities.pem");
    const known = await readFile(process.env["NODE_EXTRA_CA_CERTS"] ?? "/dev/null", "utf8");
    await writeFile(trusted, `${known}\n${await rootOf(pebble)}`);
    environment = { PATH: path, NODE_EXTRA_CA_CERTS: trusted, npm_config_update_notifier: "false" };
  });
  after(async () => {
    if (server) {
      // As a terminal does: npm passes no signal on to the program that it runs.
      process.kill(-server.pid, "SIGTERM");
      await eventually(() => !existsSync(join(machines.server, "data/lock")));
    }
    await pebble.stop();
    await developer?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the platform as its operator does, and returns its link for the first administrator. */
  async function startServer(port: number): Promise<string> {
    const [command = "", ...others] = guideCommands("On a server in five minutes", { [`https://${host}`]: publicUrl(port) });
    assert.deepEqual(others, []);
    const [npm, ...words] = command.split(" ");
    assert.equal(npm, "npm");
    commands += 1;
    server = new AppserverProcess(words, {
      program: realpathSync((await run("sh", ["-c", "command -v npm"])).stdout.trim()),
      group: "own",
      folder: machines.server,
      startTimeoutMs: 240_000,
      environment: {
        ...environment,
        HOME: machines.server,
        APPSERVER_DATA_DIR: join(machines.server, "data"),
        APPSERVER_ALLOW_PROCESSES: "true",
        // Node would write it after the folder was removed.
        NODE_DISABLE_COMPILE_CACHE: "1",
        APPSERVER_ACME_DIRECTORY_URL: pebble.directoryUrl,
        APPSERVER_ACME_CA_FILE: join(folder, "pebble/cert.pem"),
        APPSERVER_ACME_HTTP_PORT: String(httpPort),
        // This machine may have an engine, and other platforms.
        APPSERVER_DOCKER_SOCKET_PATH: join(folder, "no-engine"),
        APPSERVER_INTERNAL_PORT: String(await quietPort()),
        APPSERVER_GRPC_PORT: String(await quietPort()),
      },
    });
    server.start();
    const link = (): string | undefined => /https:\S+#token=\S+/.exec(server?.printed ?? "")?.[0];
    await server.until(() => link() !== undefined);
    return link() ?? "";
  }

  /** Another machine: its own folder, and only what is reachable by the name of the platform. */
  async function develop(words: readonly string[], onOutput: (printed: string) => void = () => {}): Promise<string> {
    commands += 1;
    const [program = "", ...rest] = developer?.prefix ?? [];
    const child = spawn(program, [...rest, "env", `--chdir=${machines.developer}`, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...environment,
        HOME: machines.developer,
        PATH: `${machines.developer}/.npm-global/bin:${path}`,
        npm_config_prefix: `${machines.developer}/.npm-global`,
        npm_config_registry: "http://127.0.0.1:9",
      },
    });
    let printed = "";
    const closed = once(child, "close");
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        printed += chunk;
        onOutput(printed);
      });
    const [code] = await closed;
    assert.equal(code, 0, `${words.join(" ")}\n${printed}`);
    return printed;
  }

  test("takes at most five minutes and six commands, and no secret is typed", { timeout: 420_000 }, async () => {
    const port = await quietPort();
    const begun = performance.now();
    const link = await startServer(port);
    const started = performance.now();
    const browser = new Browser(publicUrl(port), await rootOf(pebble));
    // Until the authority has signed one, the certificate is the platform's own.
    await server?.until(async () => (await browser.ask("/ready").catch(() => undefined))?.status === 200);
    await browser.becomeAdministrator(link);

    let allowed: Promise<void> | undefined;
    for (const command of guideCommands("From your own machine", { [`https://${host}`]: publicUrl(port) })) {
      // The developer has no terminal here.
      const flags = command.startsWith("appctl login") ? ["--device", "--yes"] : [];
      await develop([...command.split(" "), ...flags], (printed) => {
        const code = /type the code (\S+)\. /.exec(printed)?.[1];
        if (code !== undefined) allowed ??= browser.allow(code);
      });
      await allowed;
    }
    await eventually(async () => assert.equal((await browser.ask(`/api/apps/${app}/hello/ada`)).status, 200));
    const seconds = (from: number): number => Math.round((performance.now() - from) / 1000);
    console.log(
      `one machine: ${seconds(begun)} s, ${seconds(begun) - seconds(started)} s of them until the link; ${commands} commands`,
    );
    assert.ok(commands <= 6);
    assert.ok(seconds(begun) <= 300);
  });
});

/** Its own port has a certificate that `openssl` makes. */
async function startAuthority(): Promise<Pebble | { readonly unavailable: string }> {
  if (process.getuid?.() !== 0) return { unavailable: "only root can give a machine names of its own" };
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  await run("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", cert]);
  const tls = { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
  return await startPebble(join(folder, "pebble"), { httpPort, validitySeconds: 86_400, tls });
}

async function rootOf(pebble: Pebble): Promise<string> {
  const ca = await readFile(join(folder, "cert.pem"));
  const asked = request(`${pebble.managementUrl}/roots/0`, { ca, agent: false, headers: { "user-agent": "tests" } }).end();
  const [response] = await once(asked, "response");
  return await text(response);
}
