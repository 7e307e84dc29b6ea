import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { Health, HealthCheckResponse_ServingStatus } from "@appserver/contracts/proto/grpc/health/v1/health";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { curl, run } from "./programs.ts";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;
const failsWith = (code: Code) => (error: unknown) => error instanceof ConnectError && error.code === code;

describe("appserver serve supports its configured protocols", { skip }, () => {
  const services = started as ProductionServices;
  const folder = mkdtempSync(join(tmpdir(), "appserver-protocols-"));
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  /** Cleartext with all protocols, cleartext without HTTP/2, and TLS. */
  let plain: ProductionServer;
  let old: ProductionServer;
  let secure: ProductionServer;
  let secureUrl: string;
  let token: string;

  before(async () => {
    assert.match(await appserver(["migrate"], services.environment), /applied marketplace\//);
    assert.equal(await appserver(["migrate"], services.environment), "Nothing to migrate.\n");
    await appserver(["authz", "bootstrap"], services.environment);
    const admin = await services.accounts.create();
    await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], services.environment);
    token = await services.accounts.logInForToken(admin);
    const made = await run("openssl", [
      ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1".split(" "),
      ...["-keyout", key, "-out", certificate],
    ]);
    assert.equal(made.code, 0, made.stderr);
    const create = (more: Record<string, string>) => ProductionServer.create({ ...services.environment, ...more });
    plain = await create({ APPSERVER_GRPC_REFLECTION_ENABLED: "true" });
    old = await create({ APPSERVER_HTTP2_ENABLED: "false" });
    secure = await create({
      APPSERVER_TLS_ENABLED: "true",
      APPSERVER_TLS_CERT_FILE: certificate,
      APPSERVER_TLS_KEY_FILE: key,
      APPSERVER_GRPC_REFLECTION_ENABLED: "true",
    });
    secureUrl = secure.httpUrl.replace("http:", "https:");
    for (const server of [plain, old, secure]) server.start();
    await Promise.all([plain.ready(), old.ready()]);
    await secure.until(async () => (await curl(`${secureUrl}/ready`, "--cacert", certificate)).endsWith(" 200"));
  });
  after(async () => {
    await Promise.all([plain, old, secure].map((server) => server?.stop()));
    await services.stop();
    rmSync(folder, { recursive: true });
  });

  test("curl in cleartext: HTTP/2 with prior knowledge, HTTP/1.1, and 1.1 for clients that offer an upgrade", async () => {
    const url = `${plain.httpUrl}/health`;
    assert.equal(await curl(url, "--http2-prior-knowledge"), "HTTP/2 200");
    assert.equal(await curl(url, "--http1.1"), "HTTP/1.1 200");
    assert.equal(await curl(url, "--http2"), "HTTP/1.1 200");
    assert.equal(await curl(url, "--http1.0"), "HTTP/1.1 200");
  });

  test("with HTTP/2 disabled prior knowledge fails, and HTTP/1.1 works", async () => {
    assert.match(await curl(`${old.httpUrl}/health`, "--http2-prior-knowledge"), /^ended with \d+$/);
    assert.equal(await curl(`${old.httpUrl}/health`, "--http1.1"), "HTTP/1.1 200");
  });

  test("curl over TLS: ALPN chooses h2 or http/1.1; without a trusted certificate and in cleartext there is no response", async () => {
    const url = `${secureUrl}/health`;
    assert.equal(await curl(url, "--cacert", certificate), "HTTP/2 200");
    assert.equal(await curl(url, "--cacert", certificate, "--http2"), "HTTP/2 200");
    assert.equal(await curl(url, "--cacert", certificate, "--http1.1"), "HTTP/1.1 200");
    assert.equal(await curl(url, "--cacert", certificate, "--no-alpn"), "HTTP/1.1 200");
    assert.equal(await curl(url), "ended with 60");
    assert.doesNotMatch(await curl(`${secure.httpUrl}/health`, "--http1.1"), / 200$/);
  });

  test("a gRPC client on both ports, in cleartext and over TLS, with credentials and without", async () => {
    const nodeOptions = { ca: readFileSync(certificate) };
    const tls = [secure.grpcUrl.replace("http:", "https:"), secureUrl].map((baseUrl) => ({ baseUrl, nodeOptions }));
    for (const options of [{ baseUrl: plain.grpcUrl }, { baseUrl: plain.httpUrl }, ...tls]) {
      const transport = createGrpcTransport({ ...options, defaultTimeoutMs: 10_000 });
      const { status } = await createClient(Health, transport).check({});
      assert.equal(status, HealthCheckResponse_ServingStatus.SERVING);
      const marketplace = createClient(MarketplaceService, transport);
      const withToken = marketplace.getApp({ name: "test.none" }, { headers: { authorization: `Bearer ${token}` } });
      await assert.rejects(withToken, failsWith(Code.NotFound));
      await assert.rejects(marketplace.getApp({ name: "test.none" }), failsWith(Code.Unauthenticated));
    }
  });
});
