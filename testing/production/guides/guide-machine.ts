import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import type { PostgresConnection } from "@appserver/database-postgres";
import { ensureAppKeys } from "@appserver/sdk";
import { dockerEngineForTests, type TestDockerEngine } from "@appserver/testing/kit/docker";
import { openContainerNetwork, quietPort } from "@appserver/testing/kit/production";
import { ensureDebianProgram } from "../../../tools/services/debian-package.ts";
import { ensureGoProgram } from "../../../tools/services/go-program.ts";
import { kratosProgram } from "../../../tools/services/kratos.ts";
import { openFgaProgram } from "../../../tools/services/openfga.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../../../tools/services/postgres.ts";
import { ensureRabbitMq, type RabbitMqServer } from "../../../tools/services/rabbitmq.ts";
import { type PrivateRedis, startRedis } from "../../../tools/services/redis.ts";
import { ensureRegistry } from "../../../tools/services/registry.ts";
import { notesFolder } from "../../kit/next-notes.ts";
import { type GuideStep, masked } from "./guide-steps.ts";
import { OperatorShell } from "./operator-shell.ts";
import { UnitRunner } from "./unit-runner.ts";

const repository = resolve(import.meta.dirname, "../../..");
const notes = "com.example.notes";
const debianPrograms = ["jq", "curl", "nginx", "caddy", "promtool", "systemd-analyze"];
const packageOf: Readonly<Record<string, string>> = { promtool: "prometheus", "systemd-analyze": "systemd" };
/** Folders below /etc that the guides name. */
const folders = ["appserver", "kratos", "systemd", "nginx", "caddy", "prometheus", "ssl", "cron.daily"];

/** What the guides call by fixed names, and how it is called here. */
type Name = readonly [guide: string, here: string];

interface Parts {
  readonly root: string;
  readonly instance: string;
  readonly engine: TestDockerEngine;
  readonly registry: string;
  readonly platformServer: PrivatePostgres;
  readonly appsServer: PrivatePostgres;
  /** The address of this machine for containers. */
  readonly address: string;
  /** The address from which the platform receives the requests of the proxy in front. The engine's rules may translate it. */
  readonly proxyAddress: string;
  readonly redis: PrivateRedis;
  readonly rabbit: RabbitMqServer;
  readonly rabbitUrl: string;
  readonly ports: readonly Name[];
  /** Ports of the proxy in front: 80 and 443 in the guides. */
  readonly proxyPorts: { readonly http: number; readonly https: number };
}

/**
 * The machine of the guides, before the first command: the servers that the guides need, each empty, and the programs. Its folders
 * are below one temporary folder, its addresses and ports are others than in the guides, and {@link GuideMachine.run} translates.
 */
export class GuideMachine {
  readonly instance: string;
  readonly registry: string;
  readonly engine: TestDockerEngine;
  readonly units: UnitRunner;
  readonly #parts: Parts;
  readonly #names: readonly Name[];
  readonly #end: () => Promise<void>;
  #shell: OperatorShell;

  private constructor(parts: Parts, units: UnitRunner, end: () => Promise<void>) {
    this.instance = parts.instance;
    this.registry = parts.registry;
    this.engine = parts.engine;
    this.units = units;
    this.#parts = parts;
    this.#names = namesOf(parts);
    this.#end = end;
    this.#shell = new OperatorShell(parts.root, environmentOf(parts));
  }

  /** Takes half a minute. Returns the reason if a server or a program is unavailable. */
  static async start(): Promise<GuideMachine | { readonly unavailable: string }> {
    await using ends = new AsyncDisposableStack();
    try {
      const programs = await preparePrograms();
      const parts = await startServers(ends);
      await publishNotes(parts);
      // As `npm run build` does.
      await Promise.all([notesFolder, join(repository, "apps/console")].map((folder) => buildFrontend(folder)));
      const units = await UnitRunner.start({
        folder: join(parts.root, "etc/systemd/system"),
        logFolder: parts.root,
        environment: {
          ...environmentOf(parts),
          // The check for leaked passwords would query a service on the internet.
          SELFSERVICE_METHODS_PASSWORD_CONFIG_HAVEIBEENPWNED_ENABLED: "false",
          CADDY_ADMIN: `127.0.0.1:${await quietPort()}`,
        },
        onReload: () => translateFiles(parts.root, namesOf(parts)),
        servers: { "postgresql@15-main": parts.platformServer, "postgresql@15-apps": parts.appsServer },
      });
      ends.defer(() => units.stop());
      installPrograms(parts, { ...programs, systemctl: units.program });
      const running = ends.move();
      return new GuideMachine(parts, units, () => running.disposeAsync());
    } catch (error) {
      if (error instanceof Unavailable) return { unavailable: error.message };
      throw error;
    }
  }

  /** A superuser's connection to a database of the server. */
  connection(server: "platform" | "apps", database: string): PostgresConnection {
    const { platformServer, appsServer } = this.#parts;
    return { ...(server === "platform" ? platformServer : appsServer).connection, database };
  }

  /** The port of the proxy in front for browsers. */
  get httpsPort(): number {
    return this.#parts.proxyPorts.https;
  }

  /** Translates an address or a path of the guides. */
  here(text: string): string {
    return translated(text, this.#names);
  }

  /** Runs the commands of a step in the operator's shell. Returns what they print and what the guide says, so far as it is the same in each run. */
  async run({ commands, output }: GuideStep): Promise<{ readonly printed: string; readonly expected: string | undefined }> {
    const printed = await this.#shell.run(this.here(commands));
    const back = this.#names.reduce((text, [guide, here]) => text.replaceAll(here, guide), printed);
    return { printed: masked(back), expected: output === undefined ? undefined : masked(output) };
  }

  /** Returns the value of a variable of the operator's shell. */
  async variable(name: string): Promise<string> {
    return await this.#shell.run(`printf %s "$${name}"`);
  }

  /**
   * Everything that the platform has on this machine is lost, except backups: processes, both database servers, containers and
   * volumes, queues, caches, and configuration. The servers come back empty, as on a new machine.
   */
  async lose(): Promise<void> {
    const { root, engine, instance, platformServer, appsServer, redis, rabbit, rabbitUrl } = this.#parts;
    await this.#shell.kill();
    await this.units.kill();
    await engine.tidyUp(instance, `appserver-${instance}`);
    await Promise.all([platformServer.empty(), appsServer.empty()]);
    await redis.kill();
    await redis.start();
    const host = new URL(rabbitUrl).pathname.slice(1);
    await rabbit.ctl("delete_vhost", host);
    await rabbit.ctl("add_vhost", host);
    await rabbit.ctl("set_permissions", "--vhost", host, "guest", ".*", ".*", ".*");
    rmSync(join(root, "etc"), { recursive: true });
    configureDebianPrograms(this.#parts);
    this.#shell = new OperatorShell(root, environmentOf(this.#parts));
  }

  async stop(): Promise<void> {
    await this.#shell.kill();
    await this.#end();
  }
}

/** A server or a program that this machine cannot have. The message is the reason. */
class Unavailable extends Error {}

function available<T extends object>(part: T): Exclude<T, { readonly unavailable: string }> {
  if ("unavailable" in part) throw new Unavailable(String(part.unavailable));
  return part as Exclude<T, { readonly unavailable: string }>;
}

/** Returns the paths of the programs that Debian does not have, and installs the others. */
async function preparePrograms(): Promise<{ readonly openfga: string; readonly kratos: string }> {
  for (const program of debianPrograms) available(ensureDebianProgram(program, packageOf[program] ?? program));
  const openfga = available(await ensureGoProgram(openFgaProgram)).path;
  return { openfga, kratos: available(await ensureGoProgram(kratosProgram)).path };
}

/** Starts the servers that the guides need. `ends` stops them. */
async function startServers(ends: AsyncDisposableStack): Promise<Parts> {
  const root = await mkdtemp(join(tmpdir(), "appserver-guides-"));
  ends.defer(() => rm(root, { recursive: true }));
  const engine = available(await dockerEngineForTests());
  ends.defer(() => engine.stop());
  const registry = available(await ensureRegistry());
  ends.defer(() => registry.stop());
  const startPostgres = async (name: string): Promise<PrivatePostgres> => {
    const server = available(await startPrivatePostgres(join(root, name), { superuser: "postgres" }));
    ends.defer(() => server.remove());
    return server;
  };
  const [platformServer, appsServer] = [await startPostgres("postgres"), await startPostgres("postgres-apps")];
  const redis = available(await startRedis());
  ends.defer(() => redis.stop());
  const rabbit = available(await ensureRabbitMq());
  ends.defer(() => rabbit.stop());
  const host = await rabbit.createVirtualHost();
  ends.defer(() => host.drop());
  const instance = `test-guides-${root.slice(-6)}`;
  // A name of its own: the network is the machine's, and outlives the loss of the platform.
  const network = await openContainerNetwork(engine.socketPath, { instance: `${instance}-machine` }, appsServer);
  ends.defer(() => network.remove());
  ends.defer(() => engine.tidyUp(instance, `appserver-${instance}`));
  const ports: Name[] = [
    ["5432", String(platformServer.connection.port)],
    ["5433", String(appsServer.connection.port)],
  ];
  for (const port of ["8080", "9090", "9091", "9092", "8082", "8083", "2112", "4433", "4434"])
    ports.push([port, String(await quietPort())]);
  return {
    ...{ root, instance, engine, platformServer, appsServer, redis, rabbit, ports },
    registry: registry.host,
    address: network.gateway,
    proxyAddress: await sourceOf(network.gateway),
    rabbitUrl: host.url,
    proxyPorts: { http: await quietPort(), https: await quietPort() },
  };
}

async function publishNotes({ engine, registry }: Parts): Promise<void> {
  await ensureAppKeys(notesFolder, notes);
  await engine.publish(`${registry}/${notes}:latest`, notesFolder, ["app.yaml"]);
}

function installPrograms(parts: Parts, { openfga = "", kratos = "", systemctl = "" }: Readonly<Record<string, string>>): void {
  const { root } = parts;
  const folder = join(root, "bin");
  for (const each of [folder, join(root, "var/backups"), join(root, "prometheus")]) mkdirSync(each, { recursive: true });
  symlinkSync(openfga, join(folder, "openfga"));
  symlinkSync(kratos, join(folder, "kratos"));
  const nginx = `exec /usr/sbin/nginx -c ${root}/etc/nginx/nginx.conf "$@"`;
  const scripts = {
    systemctl,
    // Files that were just installed have the names of the guides.
    nginx: `#!/bin/sh\nsystemctl daemon-reload\n${nginx}\n`,
    caddy: '#!/bin/sh\nsystemctl daemon-reload\nexec /usr/bin/caddy "$@"\n',
  };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  configureDebianPrograms(parts);
}

/** Writes what the packages of Debian bring, with folders and ports of this machine. */
function configureDebianPrograms({ root, ports, proxyPorts }: Parts): void {
  const etc = join(root, "etc");
  for (const folder of ["systemd/system", "nginx/conf.d", "caddy", "prometheus", "cron.daily"])
    mkdirSync(join(etc, folder), { recursive: true });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${root}/nginx-${kind};`,
  );
  const nginx = `daemon off; user root; pid ${root}/nginx.pid; error_log stderr; events {}
http { access_log off; ${temporary.join(" ")} include ${etc}/nginx/conf.d/*.conf; }
`;
  writeFileSync(join(etc, "nginx/nginx.conf"), nginx);
  const listen = `127.0.0.1:${ports.find(([guide]) => guide === "9092")?.[1]}`;
  const units = {
    nginx: `/usr/sbin/nginx -c ${etc}/nginx/nginx.conf`,
    caddy: `/usr/bin/caddy run --config ${etc}/caddy/Caddyfile --adapter caddyfile`,
    prometheus: [
      "/usr/bin/prometheus",
      `--config.file=${etc}/prometheus/prometheus.yml`,
      `--storage.tsdb.path=${root}/prometheus`,
      `--web.listen-address=${listen}`,
    ].join(" "),
  };
  for (const [name, start] of Object.entries(units))
    writeFileSync(join(etc, "systemd/system", `${name}.service`), `[Service]\nExecStart=${start}\n`);
  // The name of the platform leads to the proxy in front.
  writeFileSync(join(root, ".curlrc"), `connect-to = "platform.example.com:443:127.0.0.1:${proxyPorts.https}"\n`);
}

function environmentOf({ root, engine }: Pick<Parts, "root" | "engine">): Record<string, string> {
  const path = [join(root, "bin"), dirname(process.execPath), process.env["PATH"] ?? "", "/usr/sbin"].join(":");
  return { PATH: path, HOME: root, LANG: "C.UTF-8", DOCKER_HOST: `unix://${engine.socketPath}` };
}

/** Longer names come before those that they contain. */
function namesOf(parts: Omit<Parts, "rabbit">): readonly Name[] {
  const {
    root,
    instance,
    engine,
    registry,
    platformServer,
    appsServer,
    address,
    redis,
    rabbitUrl,
    ports,
    proxyPorts,
    proxyAddress,
  } = parts;
  const password = (server: PrivatePostgres): string => server.connection.password;
  return [
    ["registry.example.com/apps", registry],
    ["redis://127.0.0.1:6379", redis.url],
    ["amqp://appserver:secret@127.0.0.1:5672", rabbitUrl],
    ["127.0.0.1:5432:*:postgres:secret", `127.0.0.1:5432:*:postgres:${password(platformServer)}`],
    ["10.0.0.5:5433:*:postgres:secret", `10.0.0.5:5433:*:postgres:${password(appsServer)}`],
    ["APPSERVER_INSTANCE=appserver", `APPSERVER_INSTANCE=${instance}`],
    ["/var/run/docker.sock", engine.socketPath],
    // The next version of the drill is this one.
    ["/opt/appserver-next", repository],
    ["/opt/appserver", repository],
    ["/usr/local/bin", join(root, "bin")],
    ["/var/backups", join(root, "var/backups")],
    ["/var/lib/postgresql/15/main", platformServer.dataFolder],
    ["/var/lib/postgresql/15/apps", appsServer.dataFolder],
    ["postgres:postgres", "nobody:nogroup"],
    ...folders.map((folder): Name => [`/etc/${folder}`, join(root, "etc", folder)]),
    // Node finds no address for the platform's name.
    ["APPSERVER_HTTP_URL=https://platform.example.com", `APPSERVER_HTTP_URL=https://localhost:${proxyPorts.https}`],
    ["\nplatform.example.com {", "\nplatform.example.com, localhost {"],
    ["DNS:platform.example.com", "DNS:platform.example.com,DNS:localhost"],
    ...[
      ["listen 80", proxyPorts.http],
      ["http_port 80", proxyPorts.http],
    ].map(portName),
    ...[
      ["listen 443", proxyPorts.https],
      ["https_port 443", proxyPorts.https],
    ].map(portName),
    ["APPSERVER_TRUSTED_PROXIES=10.0.0.5", `APPSERVER_TRUSTED_PROXIES=${proxyAddress}`],
    ["10.0.0.5", address],
    ...ports,
  ];
}

/** Returns the address that a connection from this machine to `host` comes from. */
async function sourceOf(host: string): Promise<string> {
  const server = createServer();
  await once(server.listen(0, host), "listening");
  const connection = once(server, "connection");
  const client = connect((server.address() as AddressInfo).port, host);
  const [socket] = (await connection) as [Socket];
  const source = socket.remoteAddress ?? host;
  for (const each of [client, socket]) each.destroy();
  server.close();
  return source;
}

function portName([text = "", port = 0]: readonly (string | number)[]): Name {
  return [String(text), String(text).replace(/\d+$/, String(port))];
}

/** A name counts where no longer path or number surrounds it: what was translated stays as it is. */
function translated(text: string, names: readonly Name[]): string {
  return names.reduce((result, [guide, here]) => {
    const literal = guide.replaceAll(/[.*/{]/g, "\\$&");
    return result.replaceAll(new RegExp(`(?<!\\w)${literal}(?!\\w)`, "g"), () => here);
  }, text);
}

/** Files of the repository that the operator has installed have the names of the guides. */
function translateFiles(root: string, names: readonly Name[]): void {
  const installed = ["systemd/system", "kratos", "nginx/conf.d", "caddy"].map((folder) => join(root, "etc", folder));
  for (const folder of installed.filter((each) => existsSync(each)))
    for (const file of readdirSync(folder).map((name) => join(folder, name)))
      writeFileSync(file, translated(readFileSync(file, "utf8"), names));
}
