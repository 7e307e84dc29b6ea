import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { connect } from "node:tls";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { freePort } from "../../../../tools/services/free-port.ts";
import { type Pebble, startPebble } from "../../../../tools/services/pebble.ts";
import { selfSigned } from "./self-signed.ts";

const host = "apps.example.com";
const folder = mkdtempSync(join(tmpdir(), "appserver-acme-serve-"));
const tls = await selfSigned(["localhost"], Date.now());
const httpPort = await freePort();
const authority = await startPebble(join(folder, "pebble"), { httpPort, validitySeconds: 86_400, tls });
const started = "unavailable" in authority ? authority : await startProductionServices({}, "postgres");
const skip = "unavailable" in started ? started.unavailable : false;

/** docs/interface/operations.md#certificates-by-acme */
describe("serve with certificates by ACME", { skip, timeout: 120_000 }, () => {
  const services = started as ProductionServices;
  const pebble = authority as Pebble;
  after(async () => {
    await services.stop();
    await pebble.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("two workers show the signed certificate on the port of HTTP, and port 80 redirects", async (context) => {
    await writeFile(join(folder, "authority.pem"), tls.cert);
    await appserver(["migrate"], services.environment);
    await appserver(["authz", "bootstrap"], services.environment);
    const server = await ProductionServer.create({
      ...services.environment,
      APPSERVER_WORKERS: "2",
      APPSERVER_PUBLIC_URL: `https://${host}`,
      APPSERVER_ACME_ENABLED: "true",
      APPSERVER_ACME_DIRECTORY_URL: pebble.directoryUrl,
      APPSERVER_ACME_CA_FILE: join(folder, "authority.pem"),
      APPSERVER_ACME_FOLDER: join(folder, "acme"),
      APPSERVER_ACME_HTTP_PORT: `${httpPort}`,
    });
    context.after(() => server.stop());
    server.start();
    const { hostname, port } = new URL(server.httpUrl);
    const issuer = async (): Promise<string> => {
      const socket = connect({ host: hostname, port: Number(port), servername: host, rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { issuer: shown } = socket.getPeerCertificate();
      socket.destroy();
      return String(shown.CN);
    };
    await server.until(async () => (await issuer().catch(() => "")).includes("Pebble"));
    await server.until(async () => (await status(`https://${hostname}:${port}/ready`)) === 200);
    const redirected = request({ host: hostname, port: httpPort, path: "/console?a=1" }).end();
    const [response] = await once(redirected, "response");
    assert.deepEqual([response.statusCode, response.headers.location], [301, `https://${host}/console?a=1`]);
    response.resume();
  });
});

function status(url: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = requestTls(url, { servername: host, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", () => resolve(0)).end();
  });
}
