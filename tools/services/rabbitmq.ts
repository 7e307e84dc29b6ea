import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureProgram } from "./debian-programs.ts";
import { freePort } from "./free-port.ts";
import { freezeProcess } from "./freeze-process.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";

export interface RabbitMqServer {
  /** `amqp://guest:guest@127.0.0.1:43211`, the virtual host `/`. */
  readonly url: string;
  /** Runs `rabbitmqctl` and returns its output. */
  ctl(...args: string[]): Promise<string>;
  /** Creates an empty virtual host for the caller on the shared server. */
  createVirtualHost(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  /** Ends this use. The server stops with its last user. */
  stop(): Promise<void>;
}

export interface RabbitMqOptions {
  /** Contains the server's data. Default `.appserver/services/rabbitmq`. */
  readonly folder?: string;
  readonly keep?: boolean;
}

/** A server that a test may stop, kill and restart. It keeps its port and data. */
export interface PrivateRabbitMq {
  readonly url: string;
  readonly port: number;
  ctl(...args: string[]): Promise<string>;
  /** Starts the server again after {@link PrivateRabbitMq.stop} or {@link PrivateRabbitMq.kill}. */
  start(): Promise<void>;
  /** Stops the server as an operator would. It first writes messages from memory to disk. */
  stop(): Promise<void>;
  /** Stops the server with SIGKILL, like a power cut. */
  kill(): Promise<void>;
  /** Freezes the server: connections stay open, but it sends nothing until it is resumed. */
  suspend(): void;
  resume(): void;
}

interface Ports {
  readonly amqp: number;
  readonly distribution: number;
  readonly epmd: number;
}

/** Returns a shared RabbitMQ on free ports of 127.0.0.1 (Debian's rabbitmq-server), or the reason why it is unavailable. */
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

/** Starts a server in `folder` for the caller alone. The caller stops it. */
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
 * Returns the environment with which a node runs in parallel with other nodes. Tested with RabbitMQ 3.10 on Debian 12:
 * - The programs are called without Debian's wrappers, which switch to the user `rabbitmq` and refuse all users except it and
 *   root.
 * - The node name ends in `localhost`. The default is the machine's host name, and the start fails if it is not in /etc/hosts.
 * - The node has a separate epmd, because the shared one may belong to another node and listen on every address. The node
 *   starts it but does not end it, so it is ended separately after the node.
 * - `HOME` contains the cookie, so that neither another node's cookie nor the caller's home is used.
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
    // Idle schedulers sleep at once, because the tests run on the same machine.
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
  const program = ensureProgram("rabbitmq");
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

/** Returns whether the server responds to the protocol header. The port opens before the server is ready. */
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
