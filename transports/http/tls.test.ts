import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { silentLogger } from "@appserver/kernel";
import { ensureAppKeys } from "@appserver/sdk";
import { eventually, FakeClock } from "@appserver/testing/kit";
import { Echo, started } from "../test/http-listener-fixture.ts";
import { CertificateWatch, type HttpListener, type TlsCertificate } from "./index.ts";

let folder: string;

async function certificate(name: string): Promise<TlsCertificate> {
  const { certificate, privateKey } = await ensureAppKeys(join(folder, name), name);
  return { cert: certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** Returns the common name of the certificate that new connections receive. */
async function shownName(listener: HttpListener): Promise<string> {
  const socket = connectTls({ port: listener.address().port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

describe("TLS", { timeout: 30_000 }, () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-tls-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("HTTP/2 and HTTP/1.1 share the port by ALPN, and requests show that they came over TLS", async () => {
    const tls = await certificate("one");
    const listener = await started({ tls, proxy: new Echo() });
    const { port } = listener.address();
    const session = connectHttp2(`https://localhost:${port}`, { ca: tls.cert, checkServerIdentity: () => undefined });
    const stream = session.request({ ":path": "/health" });
    const [headers] = await once(stream, "response");
    assert.deepEqual([headers[":status"], session.alpnProtocol], [200, "h2"]);
    stream.resume();
    session.close();

    const outgoing = request({ port, host: "127.0.0.1", path: "/health", rejectUnauthorized: false, agent: false });
    outgoing.end();
    const [response] = await once(outgoing, "response");
    assert.deepEqual([response.statusCode, response.httpVersion], [200, "1.1"]);
    response.resume();

    const refused = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["spdy/1"] });
    await assert.rejects(once(refused, "secureConnect"));
    await listener.stop();
  });

  test("every response of a TLS port has HSTS, also that of a proxied app; responses in cleartext and to localhost have none", async () => {
    const over = async (listener: HttpListener, path: string, host: string): Promise<string | undefined> => {
      const { port } = listener.address();
      const options = { port, host: "127.0.0.1", path, rejectUnauthorized: false, agent: false, headers: { host } };
      const outgoing = listener === plain ? requestPlain(options) : request(options);
      const [response] = (await once(outgoing.end(), "response")) as [IncomingMessage];
      response.resume();
      return response.headers["strict-transport-security"];
    };
    const handlers = { proxy: new Echo() };
    const plain = await started(handlers);
    const secure = await started({ ...handlers, tls: await certificate("strict") });
    for (const path of ["/health", "/api/apps/a/b", "/api/apps/a/fail", "/nowhere"])
      assert.equal(await over(secure, path, "platform.example.com:8443"), "max-age=31536000", path);
    for (const host of ["localhost:8443", "127.0.0.1:8443", "[::1]:8443"])
      assert.equal(await over(secure, "/health", host), undefined);
    assert.equal(await over(plain, "/health", "platform.example.com"), undefined);
    await Promise.all([plain.stop(), secure.stop()]);
  });

  test("with HTTP/2 turned off, ALPN offers only HTTP/1.1", async () => {
    const listener = await started({ tls: await certificate("one"), http2: false });
    const { port } = listener.address();
    const chosen = async (...ALPNProtocols: string[]) => {
      const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols });
      await once(socket, "secureConnect");
      socket.destroy();
      return socket.alpnProtocol;
    };
    assert.equal(await chosen("h2", "http/1.1"), "http/1.1");
    await assert.rejects(chosen("h2"));
    const outgoing = request({ port, host: "127.0.0.1", path: "/health", rejectUnauthorized: false, agent: false });
    outgoing.end();
    const [response] = await once(outgoing, "response");
    assert.equal(response.statusCode, 200);
    response.resume();
    await listener.stop();
  });

  test("a client that does not finish its handshake, or sends nothing after it, is disconnected", async () => {
    const listener = await started({ tls: await certificate("one"), limits: { headersTimeoutMs: 100 } });
    const { port } = listener.address();
    const silent = connectTcp(port, "127.0.0.1");
    silent.on("error", () => {}).resume();
    await new Promise((resolve) => silent.once("close", resolve));
    const mute = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
    mute.on("error", () => {}).resume();
    await new Promise((resolve) => mute.once("close", resolve));
    await listener.stop();
  });

  test("another certificate is used for new connections; one that does not fit its key changes nothing", async () => {
    const [one, two] = [await certificate("one"), await certificate("two")];
    const listener = await started({ tls: one });
    assert.equal(await shownName(listener), "one");
    assert.throws(() => listener.useCertificate({ cert: two.cert, key: one.key }));
    assert.equal(await shownName(listener), "one");
    listener.useCertificate(two);
    assert.equal(await shownName(listener), "two");
    await listener.stop();
  });

  test("files that were renewed, also before the watch began, are loaded; broken ones are not", async () => {
    const [one, two] = [await certificate("one"), await certificate("two")];
    const [certFile, keyFile] = [join(folder, "served.pem"), join(folder, "served.key")];
    await Promise.all([writeFile(certFile, one.cert), writeFile(keyFile, one.key)]);
    const clock = new FakeClock();
    const applied: TlsCertificate[] = [];
    const tries = { count: 0 };
    const apply = (pair: TlsCertificate): void => {
      tries.count += 1;
      if (pair.key !== two.key || pair.cert !== two.cert) throw new Error("key values mismatch");
      applied.push(pair);
    };
    const watch = new CertificateWatch({ certFile, keyFile, inUse: one, apply, clock, logger: silentLogger });
    await writeFile(certFile, two.cert);
    watch.start();
    const pass = (until: () => boolean) =>
      eventually(async () => {
        await clock.advance(60_000);
        return until();
      });
    await pass(() => tries.count > 0);
    assert.deepEqual([tries.count > 0, applied.length], [true, 0], "half a renewal is refused");
    await writeFile(keyFile, two.key);
    await pass(() => applied.length > 0);
    assert.deepEqual(applied, [two]);
    await watch.stop();
  });
});
