import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { ensureAppKeys } from "@appserver/sdk";
import { quietPort } from "@appserver/testing/kit/production";
import { startPebble } from "../../tools/services/pebble.ts";
import { UpPlatform } from "./up-platform.ts";

const host = "apps.example.com";
const folder = await mkdtemp(join(tmpdir(), "appserver-up-acme-"));
const keys = await ensureAppKeys(join(folder, "authority"), "localhost");
const tls = { cert: keys.certificate, key: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
const httpPort = await quietPort();
const authority = await startPebble(join(folder, "pebble"), { httpPort, validitySeconds: 86_400, tls });
const skip = "unavailable" in authority ? authority.unavailable : false;

/** A request to the authority at which the platform is killed: when it arrives, or when its response is there. */
interface Phase {
  readonly name: string;
  readonly path: string;
  readonly moment: "before" | "after";
}

const phases: readonly Phase[] = [
  { name: "the key of the account is stored", path: "/sign-me-up", moment: "before" },
  { name: "the order is made", path: "/order-plz", moment: "after" },
  { name: "the challenge is accepted", path: "/chalZ/", moment: "after" },
  { name: "the order is finalised", path: "/finalize-order/", moment: "after" },
];

describe("kill -9 of appserver up while it gets a certificate by ACME", { skip }, () => {
  if ("unavailable" in authority) return;
  let platform: UpPlatform;
  let phase: Phase | undefined;
  const agent = new Agent({ ca: tls.cert, keepAlive: true });
  // Between the platform and the authority. Addresses that the authority gives out have the name that it was called by.
  const relay = createServer(tls, (incoming, outgoing) => void forward(incoming, outgoing).catch(() => outgoing.destroy()));

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url: path = "", method, headers } = incoming;
    const body = await text(incoming);
    const isPhase = phase !== undefined && path.startsWith(phase.path) && method === "POST";
    if (isPhase && phase?.moment === "before") return end(outgoing);
    const { port } = new URL(directoryUrl);
    const sent = request({ host: "localhost", port, path, method, headers, agent }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const answer = await text(response);
    if (isPhase && (response.statusCode ?? 500) < 300) return end(outgoing);
    outgoing.writeHead(response.statusCode ?? 500, response.headers).end(answer);
  }

  function end(outgoing: ServerResponse): void {
    phase = undefined;
    process.kill(platform.process.pid, "SIGKILL");
    outgoing.destroy();
  }

  const { directoryUrl } = authority;
  before(async () => {
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    await writeFile(join(folder, "authority.pem"), tls.cert);
    platform = await UpPlatform.create({
      APPSERVER_PUBLIC_URL: `https://${host}`,
      APPSERVER_ACME_DIRECTORY_URL: `https://localhost:${(relay.address() as AddressInfo).port}/dir`,
      APPSERVER_ACME_CA_FILE: join(folder, "authority.pem"),
      APPSERVER_ACME_HTTP_PORT: `${httpPort}`,
    });
  });
  after(async () => {
    await platform?.remove();
    agent.destroy();
    relay.closeAllConnections();
    relay.close();
    await authority.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts the platform until it shows a certificate of the authority, which is that of the files. */
  async function requireSigned(): Promise<void> {
    await platform.start(async () => isSigned(await shown(platform)));
    const certificate = certificateIn(platform.file("acme", "certificate.pem"), platform.file("acme", "key.pem"));
    assert.equal((await shown(platform))?.fingerprint256, certificate?.fingerprint256);
  }

  for (const each of phases)
    test(`when ${each.name}: the next start gets a certificate`, async (t) => {
      t.after(() => platform.killAll());
      phase = each;
      platform.process.start();
      await platform.process.ended();
      assert.equal(platform.process.exitReason, "SIGKILL", platform.process.printed);
      certificateIn(platform.file("acme", "pair.pem"));
      await requireSigned();
      await platform.process.kill();
      await rm(platform.file("acme"), { recursive: true });
    });

  test("when the signed certificate is written: the next start shows it, and makes no other order", async () => {
    const signed = platform.file("acme", "pair.pem");
    platform.process.start();
    while (platform.process.isRunning && !isSigned(certificateIn(signed))) await sleep(1);
    await platform.process.kill();
    assert.ok(isSigned(certificateIn(signed)));
    phase = { name: "an order", path: "/order-plz", moment: "before" };
    await requireSigned();
    assert.ok(phase, "no order was made");
    phase = undefined;
  });
});

/** Returns the certificate of a file, undefined without the file. Throws if the key, of the same or of another file, does not fit. */
function certificateIn(file: string, keyFile = file): X509Certificate | undefined {
  try {
    // Once if they are the same: another pair may replace it.
    const pem = readFileSync(file);
    const certificate = new X509Certificate(pem);
    const key = createPrivateKey(keyFile === file ? pem : readFileSync(keyFile));
    assert.ok(certificate.checkPrivateKey(key), `${file} does not fit to its key`);
    return certificate;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isSigned(certificate: X509Certificate | undefined): boolean {
  return certificate?.issuer.includes("Pebble") ?? false;
}

/** Returns the certificate that the platform shows on its port, undefined if there is no connection. */
function shown({ httpUrl }: UpPlatform): Promise<X509Certificate | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(httpUrl);
    const socket = connect({ host: hostname, port: Number(port), servername: host, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on("error", () => resolve(undefined));
  });
}
