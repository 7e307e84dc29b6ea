import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureDebianProgram } from "./debian-package.ts";
import { freePort } from "./free-port.ts";
import { freezeProcess } from "./freeze-process.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";

export interface RabbitMqServer {
  /** `amqp://guest:guest@127.0.0.1:43211`, the virtual host `/`. */
  readonly url: string;
  /** Runs `rabbitmqctl` and answers what it said. */
  ctl(...args: string[]): Promise<string>;
  /** An empty virtual host of one's own on a server that others use too. */
  createVirtualHost(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  /** Ends this use; the server stops with its last one. */
  stop(): Promise<void>;
}

export interface RabbitMqOptions {
  /** Holds the server's data. Default `.appserver/services/rabbitmq`. */
  readonly folder?: string;
  readonly keep?: boolean;
}

/** A server that a test may stop, kill and start again: it comes back on the same port with the same data. */
export interface PrivateRabbitMq {
  readonly url: string;
  readonly port: number;
  ctl(...args: string[]): Promise<string>;
  /** After {@link PrivateRabbitMq.stop} or {@link PrivateRabbitMq.kill}. */
  start(): Promise<void>;
  /** As an operator would: what it holds in memory is written. */
  stop(): Promise<void>;
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** Keeps its connections and says nothing, until it is told to go on. */
  suspend(): void;
  resume(): void;
}

interface Ports {
  readonly amqp: number;
  readonly distribution: number;
  readonly epmd: number;
}

/** RabbitMQ on free ports of 127.0.0.1, from Debian's rabbitmq-server, shared by all; or the reason why there is none. */
export async function ensureRabbitMq(options: RabbitMqOptions = {}): Promise<RabbitMqServer | { unavailable: string }> {
  const programs = findPrograms();
  if ("unavailable" in programs) return programs;
  const folder = options.folder ?? join(servicesFolder, "rabbitmq");
  try {
    const use = await useService(rabbitService(folder, programs.folder), { keep: options.keep ?? false });
    const ports = JSON.parse(use.settings["ports"] ?? "{}") as Ports;
    const ctl = controlOf(folder, programs.folder, ports);
    return { url: urlOf(ports), ctl, createVirtualHost: () => createVirtualHost(ports, ctl), stop: use.stop };
  } catch (error) {
    return { unavailable: `rabbitmq-server did not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** A running server in `folder` that nobody else uses; the caller stops it. */
export async function startPrivateRabbitMq(folder: string): Promise<PrivateRabbitMq | { unavailable: string }> {
  const programs = findPrograms();
  if ("unavailable" in programs) return programs;
  const ports = await freePorts();
  const service = rabbitService(folder, programs.folder, ports);
  let use = await useService(service);
  const pid = (): number => Number(readFileSync(join(folder, "pid"), "utf8"));
  return {
    url: urlOf(ports),
    port: ports.amqp,
    ctl: controlOf(folder, programs.folder, ports),
    start: async () => {
      use = await useService(service);
    },
    stop: () => use.stop(),
    kill: async () => {
      process.kill(pid(), "SIGKILL");
      await use.stop();
    },
    suspend: () => freezeProcess(pid()),
    resume: () => {
      process.kill(pid(), "SIGCONT");
    },
  };
}

export async function downRabbitMq(folder: string = join(servicesFolder, "rabbitmq")): Promise<boolean> {
  return await downService(rabbitService(folder, ""));
}

/**
 * What a node needs to live beside any other, learned by trying with RabbitMQ 3.10 on Debian 12:
 * - The programs behind Debian's wrappers: those switch to the user `rabbitmq`, and refuse anybody but it and root.
 * - A node name at `localhost`: the default takes the machine's host name, and without it in /etc/hosts nothing starts.
 * - An epmd of its own: the shared one is whoever's came first, perhaps listening on every address. It is started by the
 *   node, outlives it, and is told to end when the node has.
 * - `HOME` for the cookie, so that neither another node's cookie nor the caller's home matters.
 */
function environmentOf(folder: string, ports: Ports): Record<string, string> {
  return {
    HOME: folder,
    RABBITMQ_NODENAME: "appserver@localhost",
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_MNESIA_BASE: join(folder, "data"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_LOGS: "-",
    RABBITMQ_PID_FILE: join(folder, "pid"),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq"),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, "advanced"),
    RABBITMQ_CONF_ENV_FILE: join(folder, "rabbitmq-env.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
    // Idle schedulers sleep at once: the machine is shared with the tests.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none",
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_PORT: String(ports.epmd),
  };
}

function rabbitService(folder: string, programs: string, fixedPorts?: Ports): ServiceDefinition {
  return {
    name: "rabbitmq-server",
    folder,
    startTimeoutMs: 180_000,
    prepare: async () => {
      const ports = fixedPorts ?? (await freePorts());
      mkdirSync(folder, { recursive: true });
      return {
        command: [join(programs, "rabbitmq-server")],
        environment: environmentOf(folder, ports),
        settings: { ports: JSON.stringify(ports) },
      };
    },
    isReady: ({ ports }) => speaksAmqp((JSON.parse(ports ?? "{}") as Ports).amqp),
    cleanUp: ({ ports }) => {
      const { epmd } = JSON.parse(ports ?? "{}") as Ports;
      spawnSync("epmd", ["-port", String(epmd), "-kill"], { env: { ...process.env, ERL_EPMD_PORT: String(epmd) } });
    },
  };
}

function findPrograms(): { folder: string } | { unavailable: string } {
  const program = ensureDebianProgram("rabbitmqctl", "rabbitmq-server");
  if ("unavailable" in program) return program;
  const behindTheWrappers = "/usr/lib/rabbitmq/bin";
  return { folder: existsSync(join(behindTheWrappers, "rabbitmq-server")) ? behindTheWrappers : dirname(program.path) };
}

function controlOf(folder: string, programs: string, ports: Ports): (...args: string[]) => Promise<string> {
  const env = { ...process.env, ...environmentOf(folder, ports) };
  return async (...args) => {
    const { stdout } = await promisify(execFile)(join(programs, "rabbitmqctl"), ["--quiet", ...args], { env });
    return stdout;
  };
}

async function createVirtualHost(ports: Ports, ctl: RabbitMqServer["ctl"]): ReturnType<RabbitMqServer["createVirtualHost"]> {
  const name = `test-${randomUUID()}`;
  await ctl("add_vhost", name);
  await ctl("set_permissions", "--vhost", name, "guest", ".*", ".*", ".*");
  return {
    url: `${urlOf(ports)}/${name}`,
    drop: async () => {
      await ctl("delete_vhost", name);
    },
  };
}

function urlOf(ports: Ports): string {
  return `amqp://guest:guest@127.0.0.1:${ports.amqp}`;
}

async function freePorts(): Promise<Ports> {
  const [amqp, distribution, epmd] = await Promise.all([freePort(), freePort(), freePort()]);
  return { amqp, distribution, epmd };
}

/** Whether something there answers the protocol header: the port alone is open before the server is. */
function speaksAmqp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write("AMQP\0\0\x09\x01"));
    const answer = (speaks: boolean) => (): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(2_000, answer(false));
    socket.once("data", answer(true));
    socket.once("error", answer(false));
    socket.once("close", answer(false));
  });
}
