import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { ensureGoProgram, type GoProgram } from "./go-program.ts";
import { type PrivateService, startPrivateService } from "./private-service.ts";
import { testedVersions } from "./versions.ts";

const version = `v${testedVersions.pebble}`;
const module = "github.com/letsencrypt/pebble/v2/cmd";

/** An authority for tests of ACME, by Let's Encrypt. */
export const pebbleProgram: GoProgram = { name: "pebble", version, source: { package: `${module}/pebble` } };

/** Its server of names: every name is this machine. */
export const pebbleNamesProgram: GoProgram = {
  name: "pebble-challtestsrv",
  version,
  source: { package: `${module}/pebble-challtestsrv` },
};

export interface PebbleOptions {
  /** Where it asks for challenges of HTTP-01. */
  readonly httpPort: number;
  /** Of the certificates that it signs. */
  readonly validitySeconds: number;
  /** The certificate of its own port, for `localhost`. */
  readonly tls: { readonly cert: string; readonly key: string };
}

export interface Pebble extends Pick<PrivateService, "start" | "kill"> {
  readonly directoryUrl: string;
  /** Where the certificate that signs all is: `/roots/0`, `/intermediates/0`. */
  readonly managementUrl: string;
  stop(): Promise<void>;
}

/** Starts an authority in `folder` for the caller alone, or returns why it is unavailable. The caller stops it. */
export async function startPebble(folder: string, options: PebbleOptions): Promise<Pebble | { unavailable: string }> {
  const [program, names] = [await ensureGoProgram(pebbleProgram), await ensureGoProgram(pebbleNamesProgram)];
  if ("unavailable" in program) return program;
  if ("unavailable" in names) return names;
  const ports = { acme: await freePort(), management: await freePort(), names: await freePort(), control: await freePort() };
  await mkdir(join(folder, "names"), { recursive: true });
  await writeFile(join(folder, "cert.pem"), options.tls.cert);
  await writeFile(join(folder, "key.pem"), options.tls.key, { mode: 0o600 });
  const configuration = { pebble: configurationOf(folder, options, ports) };
  await writeFile(join(folder, "pebble.json"), JSON.stringify(configuration));
  const servers = ["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-defaultIPv6", ""];
  const listen = ["-dnsserver", `127.0.0.1:${ports.names}`, "-management", `127.0.0.1:${ports.control}`];
  const resolver = await startPrivateService({
    name: "pebble-names",
    folder: join(folder, "names"),
    startTimeoutMs: 20_000,
    prepare: async () => ({ command: [names.path, ...servers, ...listen], environment: {}, settings: {} }),
    isReady: () => accepts(ports.control),
  });
  const authority = await startPrivateService({
    name: "pebble",
    folder,
    startTimeoutMs: 20_000,
    prepare: async () => ({
      command: [program.path, "-config", join(folder, "pebble.json"), "-dnsserver", `127.0.0.1:${ports.names}`],
      environment: { PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "0" },
      settings: {},
    }),
    isReady: () => answers(`https://localhost:${ports.acme}/dir`, options.tls.cert),
  });
  return {
    directoryUrl: `https://localhost:${ports.acme}/dir`,
    managementUrl: `https://localhost:${ports.management}`,
    start: () => authority.start(),
    kill: () => authority.kill(),
    stop: async () => {
      await authority.stop();
      await resolver.stop();
    },
  };
}

function configurationOf(
  folder: string,
  { httpPort, validitySeconds }: PebbleOptions,
  ports: { readonly acme: number; readonly management: number },
): object {
  return {
    listenAddress: `127.0.0.1:${ports.acme}`,
    managementListenAddress: `127.0.0.1:${ports.management}`,
    certificate: join(folder, "cert.pem"),
    privateKey: join(folder, "key.pem"),
    httpPort,
    tlsPort: 1,
    ocspResponderURL: "",
    retryAfter: { authz: 1, order: 1 },
    profiles: { default: { description: "The only one", validityPeriod: validitySeconds } },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.end());
  });
}

function answers(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    // It refuses requests without this header.
    const sent = request(url, { ca, agent: false, headers: { "user-agent": "tests" } }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on("error", () => resolve(false)).end();
  });
}
