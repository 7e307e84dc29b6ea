import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AppState, DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { Health, HealthCheckResponse_ServingStatus } from "@appserver/contracts/proto/grpc/health/v1/health";
import { ServerReflection } from "@appserver/contracts/proto/grpc/reflection/v1/reflection";
import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  jsonOf,
  type PlatformUnderTest,
  type SeenRequest,
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
    return { code: error.code, reason: info?.reason, message: error.rawMessage, fields: fields.map(({ field }) => field) };
  };

  test("an API is registered, installed, proxied and uninstalled", async () => {
    const name = uniqueName("com.example.api");
    const api = {
      base_path: `/api/apps/${name}`,
      upstream_base_url: `${upstream.url}/inner`,
      forward_headers: ["x-wanted"],
      routes: [{ path: "/items/{id}", methods: ["GET", "PUT"], is_public: true }],
    };
    const registered = await platform.register(await testApp({ name, web_app: { api } }));
    assert.deepEqual([registered.changed, registered.app?.state], [true, AppState.REGISTERED]);
    const path = `/api/apps/${name}/items/7?q=1`;
    assert.equal((await send(platform.httpUrl, path)).status, 404);

    const installed = await client.marketplace.installApp({ name });
    assert.equal(installed.app?.apiUrl, `/api/apps/${name}`);
    const { app } = await client.marketplace.getApp({ name });
    assert.equal(app?.state, AppState.RUNNING);
    const answer = await untilStatus(platform.httpUrl, path, 200, {
      method: "PUT",
      headers: { "content-type": "text/plain", "x-wanted": "yes", "x-other": "no", cookie: "a=b", "x-user-id": "admin" },
      body: "hello",
    });
    const seen = jsonOf(answer) as SeenRequest;
    assert.deepEqual([seen.method, seen.url, seen.body], ["PUT", "/inner/items/7?q=1", "hello"]);
    assert.equal(seen.headers["x-wanted"], "yes");
    for (const absent of ["x-other", "cookie", "x-user-id"]) assert.equal(seen.headers[absent], undefined, absent);
    assert.equal(seen.headers["x-request-id"], answer.headers["x-request-id"]);

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

  test("registering the same manifest again has no effect; a name belongs to its first key, and a key to one name", async () => {
    const name = uniqueName("com.example.taken");
    const own = await uiApp(name);
    const first = await platform.register(own);
    assert.equal((await platform.register(own)).changed, false);
    const stranger = await uiApp(name);
    assert.partialDeepStrictEqual(await refusal(platform.register(stranger)), { reason: "CONFLICT" });
    const { app } = await client.marketplace.getApp({ name });
    assert.deepEqual(
      [app?.manifestDigest, app?.certificateFingerprint],
      [first.app?.manifestDigest, first.app?.certificateFingerprint],
    );
    const api = { base_path: "/", upstream_base_url: upstream.url };
    const second = await testApp({ name: uniqueName("com.example.second"), web_app: { api } }, {}, own.keys);
    assert.partialDeepStrictEqual(await refusal(platform.register(second)), { reason: "CONFLICT" });
  });

  test("ValidateManifest returns every violation with the path of its field, and stores nothing", async () => {
    const deep = {
      title: "x".repeat(101),
      href: "no-slash",
      children: [{ title: "2", href: "/2", children: [{ title: "3", href: "/3", children: [{ title: "4", href: "/4" }] }] }],
    };
    const manifest = create(AppManifestSchema, {
      name: "Not A Name",
      version: "one",
      webApp: {
        assets: [{ name: "a.exe", mimeType: "application/x-dosexec", contents: new Uint8Array([1]), sha256: "00" }],
        ui: { mode: UIMode.UI_MODE_FEDERATION, entryAssetName: "none.js", routeBase: "no-slash", navigation: [deep] },
        api: {
          basePath: "no-slash",
          upstreamBaseUrl: "ftp://user@host",
          timeoutMs: 0,
          forwardHeaders: ["Upper"],
          routes: [{ pattern: "regex:(", methods: [], scopes: ["noscope"], rateLimit: {} }],
          healthCheck: { path: "no-slash", intervalSeconds: 0 },
        },
      },
      requiredPermissions: [{ scope: "noscope" }],
      dependencies: [{ appName: "Not A Name", kind: DependencyKind.UNSPECIFIED, versionConstraint: "latest" }],
      settings: { definitions: [{ key: "", validation: { min: 2, max: 1, pattern: "(" } }] },
    });
    const { valid, violations } = await client.marketplace.validateManifest({ manifest });
    assert.equal(valid, false);
    for (const { field, message } of violations) assert.ok(message.length > 5, field);
    const fields = new Set(violations.map(({ field }) => field));
    const expected = [
      "name",
      "version",
      "certificate",
      "web_app.assets[0].mime_type",
      "web_app.assets[0].sha256",
      "web_app.ui.entry_asset_name",
      "web_app.ui.route_base",
      "web_app.ui.navigation[0].title",
      "web_app.ui.navigation[0].href",
      "web_app.ui.navigation[0].children[0].children[0].children",
      "web_app.api.base_path",
      "web_app.api.upstream_base_url",
      "web_app.api.timeout_ms",
      "web_app.api.forward_headers[0]",
      "web_app.api.routes[0].pattern",
      "web_app.api.routes[0].methods",
      "web_app.api.routes[0].scopes[0]",
      "web_app.api.routes[0].rate_limit",
      "web_app.api.health_check.path",
      "web_app.api.health_check.interval_seconds",
      "required_permissions[0].scope",
      "dependencies[0].app_name",
      "dependencies[0].kind",
      "dependencies[0].version_constraint",
      "settings.definitions[0].key",
      "settings.definitions[0].data_type",
    ];
    assert.deepEqual(
      expected.filter((field) => !fields.has(field)),
      [],
      `missing; listed: ${[...fields].join(", ")}`,
    );
    const refused = await refusal(client.marketplace.registerApp({ manifest, ...platform.registration }));
    assert.deepEqual([refused.code, refused.reason], [Code.InvalidArgument, "INVALID_REQUEST"]);
    // As many violations as fit into trailers; the last one has no field and holds the number of the others.
    const named = refused.fields.filter((field) => field !== "");
    assert.ok(named.length >= 10 && named.every((field) => fields.has(field)), refused.fields.join(", "));
    assert.equal(refused.fields.length > named.length, named.length < violations.length);
    assert.partialDeepStrictEqual(await refusal(client.marketplace.getApp({ name: manifest.name })), { reason: "NOT_FOUND" });
    const good = await uiApp(uniqueName("com.example.good"));
    assert.partialDeepStrictEqual(await client.marketplace.validateManifest({ manifest: good.manifest }), {
      valid: true,
      violations: [],
    });
    assert.partialDeepStrictEqual(await refusal(client.marketplace.getApp({ name: uniqueName("com.example.good") })), {
      reason: "NOT_FOUND",
    });
  });

  test("an unknown app is NOT_FOUND with its reason, on every method that names one", async () => {
    const name = "com.example.none";
    const { marketplace } = client;
    for (const call of [marketplace.getApp, marketplace.installApp, marketplace.uninstallApp, marketplace.planInstall]) {
      const { code, reason, message } = await refusal(call({ name }));
      assert.deepEqual([code, reason], [Code.NotFound, "NOT_FOUND"]);
      assert.match(message, /com\.example\.none/);
    }
  });

  test("ListApps pages by name and refuses an invalid page", async () => {
    for (const letter of ["c", "a", "b"]) await platform.register(await uiApp(uniqueName(`com.example.list-${letter}`)));
    const names = ["a", "b", "c"].map((letter) => uniqueName(`com.example.list-${letter}`));
    const listed: string[] = [];
    let pageToken = "";
    for (let pages = 1; ; pages++) {
      const response = await client.marketplace.listApps({ names, pageSize: 2, ...(pageToken ? { pageToken } : {}) });
      listed.push(...response.apps.map(({ name }) => name));
      pageToken = response.nextPageToken;
      if (pageToken === "") {
        assert.equal(pages, 2);
        break;
      }
    }
    assert.deepEqual(listed, names);
    const { apps } = await client.marketplace.listApps({ names, states: [AppState.RUNNING] });
    assert.deepEqual(apps, []);
    for (const wrong of [{ pageSize: 0 }, { pageSize: 251 }, { pageToken: "nonsense" }]) {
      assert.partialDeepStrictEqual(await refusal(client.marketplace.listApps(wrong)), { reason: "INVALID_REQUEST" });
    }
  });

  test("WatchApps sends every state of the watched app in order", async () => {
    const name = uniqueName("com.example.list-a");
    const cycle = ["INSTALLING", "INSTALLED", "RUNNING", "UNINSTALLING", "UNINSTALLED"];
    const seen: string[] = [];
    const end = new AbortController();
    const watching = (async () => {
      for await (const { app } of client.marketplace.watchApps({ names: [name] }, { signal: end.signal, timeoutMs: 0 })) {
        assert.equal(app?.name, name);
        seen.push(AppState[app.state]);
      }
    })().catch((error: unknown) => assert.equal(ConnectError.from(error).code, Code.Canceled));
    // A stream sends nothing at its start. States before its first message may be missed, later ones may not.
    for (const deadline = performance.now() + 20_000; seen.length <= cycle.length; ) {
      assert.ok(performance.now() < deadline, `received only ${seen.join()}`);
      await client.marketplace.installApp({ name });
      await client.marketplace.uninstallApp({ name });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    end.abort();
    await watching;
    const start = cycle.indexOf(seen[0] ?? "");
    assert.deepEqual(
      seen,
      seen.map((_, index) => cycle[(start + index) % cycle.length]),
    );
  });

  test("a call signed with another key than the app's and a call of an unknown app are refused with the same error", async () => {
    const [own, stranger] = [await uiApp(uniqueName("com.example.signer")), await uiApp(uniqueName("com.example.stranger"))];
    await platform.register(own);
    const { privateKey } = stranger.keys;
    const as = (name: string, key = privateKey) =>
      createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: key } }).marketplace.getApp({
        name: uniqueName("com.example.signer"),
      });
    const forged = await refusal(as(uniqueName("com.example.signer")));
    assert.deepEqual([forged.code, forged.reason], [Code.Unauthenticated, "AUTHENTICATION_FAILED"]);
    assert.deepEqual(await refusal(as(uniqueName("com.example.stranger"))), forged);
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

  test("the same methods accept JSON over HTTP from clients without gRPC", async () => {
    const path = "/appserver.v2.MarketplaceService/ListApps";
    const headers = { "content-type": "application/json", ...platform.administrator };
    const answer = await send(platform.grpcUrl, path, {
      method: "POST",
      headers,
      body: JSON.stringify({ names: [uniqueName("com.example.list-b")] }),
    });
    assert.equal(answer.status, 200, answer.text);
    assert.partialDeepStrictEqual(jsonOf(answer), {
      apps: [{ name: uniqueName("com.example.list-b"), state: "APP_STATE_REGISTERED" }],
    });
  });
});
