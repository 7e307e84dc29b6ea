import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { MemoryCache } from "@appserver/cache-memory";
import { KratosSelfService } from "@appserver/identity-kratos";
import { BufferBudget, SystemClock, silentLogger, silentMetrics, silentTracer } from "@appserver/kernel";
import { createHttpListener, HealthChecks, type HttpListener, Origins, selfServiceHandler } from "@appserver/transports/http";
import { type PrivateKratos, startPrivateKratos } from "../../../tools/services/kratos.ts";
import { quietPort } from "../../kit/quiet-port.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-self-service-"));
const port = await quietPort();
const platformUrl = `http://127.0.0.1:${port}`;
const server = await startPrivateKratos(folder, { platformUrl });
const sessionCookieName = "ory_kratos_session";
const clock = new SystemClock();

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

async function send(path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  const outgoing = request({ host: "127.0.0.1", port, path, agent: false, ...options });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

/** Sends bytes as they are, and returns everything that comes back until the connection ends. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text)).on("error", reject);
    socket.setTimeout(1_500, () => socket.destroy());
  });
}

const cookiesOf = ({ headers }: Answer): string => (headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
const json = { accept: "application/json" };

describe("self-service of Kratos through the platform", { skip: "unavailable" in server && server.unavailable }, () => {
  const kratos = server as PrivateKratos;
  const upstream = new KratosSelfService({ publicUrl: "publicUrl" in server ? server.publicUrl : platformUrl });
  let listener: HttpListener;
  before(async () => {
    listener = createHttpListener({
      host: "127.0.0.1",
      port,
      http2: true,
      plainPath: true,
      trustedProxies: [],
      limits: {
        headersTimeoutMs: 15_000,
        readTimeoutMs: 30_000,
        writeTimeoutMs: 30_000,
        idleTimeoutMs: 120_000,
        maxHeaderBytes: 1_048_576,
        maxConcurrentStreams: 100,
        maxConnectionAgeMs: 0,
      },
      drainDelayMs: 0,
      shutdownTimeoutMs: 1_000,
      logger: silentLogger,
      metrics: silentMetrics,
      tracer: silentTracer,
      clock,
      origins: new Origins([]),
      health: new HealthChecks({ checks: [], clock, version: "0.1.0" }),
      hasSelfService: true,
      services: {
        selfService: selfServiceHandler({
          upstream,
          cache: new MemoryCache({ clock, maxBytes: 1_000_000 }),
          budget: new BufferBudget({ totalBytes: 1_000_000 }),
          sessionCookieName,
        }),
      },
    });
    await listener.start();
  });
  after(async () => {
    await listener?.stop();
    await upstream.stop();
    await kratos.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Flow {
    readonly id: string;
    readonly ui: { readonly nodes: readonly { readonly attributes: { readonly name?: string; readonly value?: string } }[] };
  }

  async function begin(): Promise<{ readonly flow: Flow; readonly cookie: string; readonly csrf: string }> {
    const begun = await send("/self-service/login/browser", { headers: json });
    assert.equal(begun.status, 200, begun.text);
    const flow = JSON.parse(begun.text) as Flow;
    const csrf = flow.ui.nodes.find(({ attributes }) => attributes.name === "csrf_token")?.attributes.value ?? "";
    return { flow, cookie: cookiesOf(begun), csrf };
  }

  const form = (values: Record<string, string>): string => new URLSearchParams(values).toString();
  const formHeaders = { ...json, "content-type": "application/x-www-form-urlencoded", origin: platformUrl };

  test("without a script, redirects lead to the platform's pages and to no other address", async () => {
    const begun = await send("/self-service/login/browser?return_to=%2Fconsole%2Fapps", { headers: { accept: "text/html" } });
    assert.equal(begun.status, 303);
    assert.match(String(begun.headers.location), new RegExp(`^${platformUrl}/login\\?flow=`));
    const foreign = await send("/self-service/login/browser?return_to=https%3A%2F%2Fevil.example%2F", { headers: json });
    assert.equal(foreign.status, 400);
    assert.equal(foreign.headers.location, undefined);
  });

  test("Kratos' protection against forgery stays, and the platform's comes before it", async () => {
    const { flow, cookie } = await begin();
    const path = `/self-service/login?flow=${flow.id}`;
    const body = form({ method: "password", identifier: "a@example.test", password: "x", csrf_token: "guessed" });
    const noToken = await send(path, { method: "POST", headers: { ...formHeaders, cookie } }, body);
    assert.equal(noToken.status, 403);
    assert.match(noToken.text, /security_csrf_violation/);
    const foreign = { ...formHeaders, cookie, origin: "https://evil.example" };
    const refused = await send(path, { method: "POST", headers: foreign }, body);
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [403, "PERMISSION_DENIED"]);
  });

  test("responses are data of the platform's origin: never stored, never a page, without headers of Kratos' own origin", async () => {
    const { headers } = await send("/self-service/login/browser", { headers: { ...json, origin: platformUrl } });
    assert.equal(headers["cache-control"], "no-store");
    assert.match(String(headers["content-security-policy"]), /sandbox/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["access-control-allow-origin"], undefined);
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
  });

  test("no target leaves /self-service: neither the admin API nor sessions are reachable", async () => {
    const admin = new URL(kratos.adminUrl).host;
    for (const target of [
      "/self-service/../admin/identities",
      "/self-service/..%2fadmin/identities",
      "/self-service/%2e%2e/admin/identities",
      "/self-service//admin/identities",
      "/self-service/./login",
      "/self-service/.well-known/ory/webauthn.js",
      "/self-service/login;/../../admin/identities",
      "/self-service/login%00",
      "/self-service\\..\\admin\\identities",
      "/%73elf-service/login/browser",
      "/self-service",
      "/self-service/",
      "/self-service/login/browser?a=b#/../admin",
      "/self-service/login/browser?x= HTTP/1.1",
      `/self-service/login/browser?${"a".repeat(9_000)}`,
      `http://${admin}/self-service/login/browser`,
      `http://${admin}/admin/identities`,
      `//${admin}/self-service/login/browser`,
      "/sessions/whoami",
      "/admin/identities",
      "/schemas/person",
    ]) {
      const answer = await sendRaw(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 4\d\d /, `${target}: ${answer.slice(0, 200)}`);
      assert.doesNotMatch(answer, /"ui"|identities|session_/, target);
    }
  });

  test("a Host of another server changes nothing", async () => {
    const begun = await send("/self-service/login/browser", { headers: { accept: "text/html", host: "evil.example" } });
    assert.match(String(begun.headers.location), new RegExp(`^${platformUrl}/login\\?flow=`));
  });

  test("other methods, upgrades and ambiguous framing are refused, and one request stays one", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]) {
      assert.equal((await send("/self-service/login", { method })).status, 405, method);
    }
    const head = `POST /self-service/login?flow=x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n`;
    const smuggled = "GET /admin/identities HTTP/1.1\r\nHost: x\r\n\r\n";
    for (const framing of [
      `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
      `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      `Content-Length: +4\r\n\r\nabcd${smuggled}`,
    ]) {
      const answer = await sendRaw(`${head}${framing}`);
      assert.match(answer, /^HTTP\/1\.1 4\d\d /, framing);
      assert.doesNotMatch(answer, /"credentials"/, framing);
    }
    const upgrade = await sendRaw(
      `GET /self-service/login/browser HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    assert.match(upgrade, /^HTTP\/1\.1 404 /);
  });

  test("large and compressed bodies are refused before Kratos sees them", async () => {
    const headers = { ...formHeaders };
    const path = "/self-service/login?flow=x";
    assert.equal((await send(path, { method: "POST", headers }, "a".repeat(65_537))).status, 413);
    const chunked = { ...headers, "transfer-encoding": "chunked" };
    assert.equal((await send(path, { method: "POST", headers: chunked }, "a".repeat(100_000))).status, 413);
    const compressed = { ...headers, "content-encoding": "gzip" };
    assert.equal((await send(path, { method: "POST", headers: compressed }, "x")).status, 415);
  });
});
