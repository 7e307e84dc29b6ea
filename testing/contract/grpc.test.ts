import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { Health, HealthCheckResponse_ServingStatus } from "@appserver/contracts/proto/grpc/health/v1/health";
import { ServerReflection } from "@appserver/contracts/proto/grpc/reflection/v1/reflection";
import type { PlatformClient } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
  untilStatus,
} from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

const page = { mode: "ESM_COMPONENT", entry_asset_name: "main.js" };
const uiApp = (name: string) =>
  testApp(
    { name, web_app: { assets: ["main.js"], ui: { ...page, route_base: `/${name}` } } },
    { "main.js": "export default 1;\n" },
  );

describe("gRPC Marketplace", () => {
  let platform: PlatformUnderTest;
  let client: PlatformClient;
  let upstream: EchoUpstream;

  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
    client = platform.client();
  });
  after(async () => {
    await platform.stop();
    await upstream.stop();
  });

  /** Asserts that the call is refused and returns the details of the status. */
  const refusal = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail("the call was not refused"),
      (reason: unknown) => ConnectError.from(reason),
    );
    const [info] = error.findDetails(ErrorInfoSchema);
    const fields = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
    return { code: error.code, reason: info?.reason, fields: fields.map(({ field }) => field) };
  };

  test("an API is registered, installed, proxied and uninstalled", async () => {
    const name = uniqueName("com.example.api");
    const api = {
      base_path: "/",
      upstream_base_url: upstream.url,
      routes: [{ pattern: "/**", methods: ["GET"], is_public: true }],
    };
    const registered = await platform.register(await testApp({ name, web_app: { api } }));
    assert.deepEqual([registered.changed, registered.app?.state], [true, AppState.REGISTERED]);
    const path = `/api/apps/${name}/items/7`;
    assert.equal((await send(platform.httpUrl, path)).status, 404);

    const installed = await client.marketplace.installApp({ name });
    assert.equal(installed.app?.apiUrl, `/api/apps/${name}`);
    const { app } = await client.marketplace.getApp({ name });
    assert.equal(app?.state, AppState.RUNNING);
    await untilStatus(platform.httpUrl, path, 200);
    assert.equal((await client.marketplace.uninstallApp({ name })).app?.state, AppState.UNINSTALLED);
    await untilStatus(platform.httpUrl, path, 404);
  });

  test("a streamed registration stores the same as a registration in one message", async () => {
    const name = uniqueName("com.example.large");
    const contents = `export default ${JSON.stringify("x".repeat(5 * 1024 * 1024))};\n`;
    const app = await testApp(
      { name, web_app: { assets: ["main.js"], ui: { ...page, route_base: `/${name}` } } },
      { "main.js": contents },
    );
    // The SDK streams registrations of this size.
    assert.equal((await platform.register(app)).changed, true);
    // In one message it exceeds the limit that applies before the token is checked.
    const { token } = platform.registration;
    const whole = await client.marketplace.registerApp(
      { manifest: app.manifest, manifestSignature: app.signature },
      { headers: token === undefined ? {} : { "x-registration-token": token } },
    );
    assert.equal(whole.changed, false);
    await client.marketplace.installApp({ name });
    const { app: stored } = await client.marketplace.getApp({ name });
    const served = await untilStatus(platform.httpUrl, stored?.entryUrl ?? "", 200);
    assert.ok(served.text === contents);
  });

  test("ValidateManifest returns the violations with the paths of their fields; registering the manifest is refused with them", async () => {
    const routes = [{ pattern: "regex:(", methods: ["GET"] }];
    const manifest = create(AppManifestSchema, {
      name: uniqueName("com.example.invalid"),
      version: "one",
      webApp: { api: { basePath: "no-slash", upstreamBaseUrl: upstream.url, routes } },
    });
    const fields = ["version", "certificate", "web_app.api.base_path", "web_app.api.routes[0].pattern"];
    const { valid, violations } = await client.marketplace.validateManifest({ manifest });
    assert.deepEqual([valid, violations.map(({ field }) => field).sort()], [false, fields.toSorted()]);
    const refused = await refusal(client.marketplace.registerApp({ manifest, ...platform.registration }));
    assert.deepEqual([refused.code, refused.reason], [Code.InvalidArgument, "INVALID_REQUEST"]);
    assert.deepEqual(refused.fields.sort(), fields.toSorted());
    assert.partialDeepStrictEqual(await refusal(client.marketplace.getApp({ name: manifest.name })), { reason: "NOT_FOUND" });
    const good = await uiApp(uniqueName("com.example.good"));
    assert.equal((await client.marketplace.validateManifest({ manifest: good.manifest })).valid, true);
  });

  test("Health works, and reflection lists every service, for generic clients", async () => {
    const transport = createGrpcTransport({ baseUrl: platform.grpcUrl, defaultTimeoutMs: 10_000 });
    const health = createClient(Health, transport);
    for (const service of ["", MarketplaceService.typeName]) {
      assert.equal((await health.check({ service })).status, HealthCheckResponse_ServingStatus.SERVING);
    }
    assert.equal((await refusal(health.check({ service: "none" }))).code, Code.NotFound);
    const services: string[] = [];
    const questions = (async function* () {
      yield { messageRequest: { case: "listServices" as const, value: "" } };
    })();
    for await (const { messageResponse } of createClient(ServerReflection, transport).serverReflectionInfo(questions)) {
      if (messageResponse.case === "listServicesResponse")
        services.push(...messageResponse.value.service.map(({ name }) => name));
    }
    for (const name of [MarketplaceService.typeName, Health.typeName, ServerReflection.typeName])
      assert.ok(services.includes(name), name);
  });
});
