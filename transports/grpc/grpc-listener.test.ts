import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, constants, type IncomingHttpHeaders } from "node:http2";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { GetAppRequestSchema, MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@appserver/contracts/proto/grpc/health/v1/health";
import { ServerReflection } from "@appserver/contracts/proto/grpc/reflection/v1/reflection";
import { ServerReflection as ServerReflectionAlpha } from "@appserver/contracts/proto/grpc/reflection/v1alpha/reflection";
import {
  AppError,
  actorOf,
  anonymousCaller,
  type Logger,
  SystemClock,
  silentLogger,
  silentMetrics,
  silentTracer,
} from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { compressionGzip, createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { HealthChecks, Origins, PortInUseError } from "../http/index.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { createGrpcListener, type GrpcCredentials, type GrpcListener, type GrpcListenerOptions, grpcService } from "./index.ts";

const clock = new SystemClock();
const seen: (GrpcCredentials & { readonly message: Uint8Array })[] = [];
const logged: object[] = [];
const warned: object[] = [];
/** Of the calls so far. */
const codes: string[] = [];
const logger: Logger = {
  ...silentLogger,
  error: (fields) => logged.push(fields),
  debug() {},
  info: (fields) => codes.push(String((fields as { readonly code?: string }).code)),
  warn: (fields) => warned.push(fields),
  child: () => logger,
};
/** Open WatchSettings streams. */
let watchers = 0;
let databaseUp = true;

const marketplace = grpcService(MarketplaceService, {
  getApp: async ({ name }, { caller }) => {
    if (name === "crash") throw new Error("secret cause");
    if (name === "missing") throw new AppError("NOT_FOUND", "no such app", { details: { app: name } });
    if (name === "busy") throw new AppError("RATE_LIMIT_EXCEEDED", "slow down", { details: { retry_after: 2.5 } });
    if (name === "slow") await clock.sleep(200);
    return { app: { name, displayName: actorOf(caller) } };
  },
  registerApp: async () => {
    const violations = [{ field: "web_app.assets[2].sha256", message: "does not equal the contents" }];
    throw new AppError("INVALID_REQUEST", "the manifest is not valid", { violations });
  },
  registerAppStream: async (requests, { caller }) => {
    let size = 0;
    for await (const { part } of requests) if (part.case === "chunk") size += part.value.data.length;
    return { app: { name: String(size), displayName: actorOf(caller) } };
  },
});

const settings = grpcService(SettingsService, {
  watchSettings: async function* ({ appId }, { signal }) {
    watchers += 1;
    try {
      yield { settings: { appId } };
      // Does not look whether the client is still there.
      for (let count = 0; appId === "many" && count < 200; count += 1) {
        await clock.sleep(1);
        yield { settings: { appId: "x".repeat(20_000) } };
      }
      if (appId === "fail") throw new AppError("PERMISSION_DENIED", "not yours");
      await clock.sleep(60_000, signal).catch(() => {});
    } finally {
      watchers -= 1;
    }
  },
});

async function started(options: Partial<GrpcListenerOptions> = {}): Promise<GrpcListener> {
  const check = async (): Promise<void> => {
    if (!databaseUp) throw new Error("refused");
  };
  const listener = createGrpcListener({
    ...grpcOptions(),
    host: "127.0.0.1",
    port: 0,
    services: [marketplace, settings],
    reauthentication: () => () => {},
    connections: { join: () => () => {} },
    authenticate: async (credentials) => {
      const token = credentials.headers.get("authorization");
      const maxMessageBytes = token === "small" ? 1_000 : 64 * 1024 * 1024;
      seen.push({ ...credentials, message: await credentials.readMessage(maxMessageBytes, "com.example.notes") });
      if (token === "bad") throw new AppError("AUTHENTICATION_FAILED", "session is not valid");
      const isProven = token !== null;
      return { caller: token ? { kind: "user", id: token, displayName: token } : anonymousCaller, isProven, maxMessageBytes };
    },
    health: new HealthChecks({ checks: [{ name: "database", critical: true, check }], clock, version: "0.1.0" }),
    origins: new Origins(["https://console.example.com"]),
    metrics: silentMetrics,
    tracer: silentTracer,
    logger,
    clock,
    reflection: true,
    ...options,
  });
  await listener.start();
  return listener;
}

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof ConnectError, String(outcome));
  return outcome;
}

describe("gRPC listener", () => {
  let listener: GrpcListener;
  let baseUrl: string;
  let grpc: Transport;
  before(async () => {
    listener = await started();
    baseUrl = `http://${listener.address().host}:${listener.address().port}`;
    grpc = createGrpcTransport({ baseUrl });
  });
  after(() => listener.stop());

  const headers = { authorization: "alice" };
  const transports: readonly (readonly [string, () => Transport])[] = [
    ["gRPC", () => grpc],
    ["gRPC, compressed", () => createGrpcTransport({ baseUrl, sendCompression: compressionGzip, compressMinBytes: 0 })],
    ["gRPC-Web over HTTP/1.1", () => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
    ["Connect over HTTP/1.1", () => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true })],
    [
      "Connect over HTTP/2, compressed",
      () =>
        createConnectTransport({
          baseUrl,
          httpVersion: "2",
          useBinaryFormat: true,
          sendCompression: compressionGzip,
          compressMinBytes: 0,
        }),
    ],
  ];
  for (const [name, transport] of transports) {
    test(`${name}: a unary call, its caller, and the bytes that an app signs`, async () => {
      seen.length = 0;
      const { app } = await createClient(MarketplaceService, transport()).getApp({ name: "com.example.notes" }, { headers });
      assert.deepEqual([app?.name, app?.displayName], ["com.example.notes", "user:alice"]);
      const [credentials] = seen;
      assert.deepEqual([credentials?.method, credentials?.path], ["POST", "/appserver.v2.MarketplaceService/GetApp"]);
      const expected = toBinary(GetAppRequestSchema, create(GetAppRequestSchema, { name: "com.example.notes" }));
      assert.deepEqual(Buffer.from(credentials?.message ?? []), Buffer.from(expected));
    });

    test(`${name}: errors carry code, reason, violations and retry`, async () => {
      const client = createClient(MarketplaceService, transport());
      const missing = await failureOf(client.getApp({ name: "missing" }));
      assert.deepEqual([missing.code, missing.rawMessage], [Code.NotFound, "no such app"]);
      const [info] = missing.findDetails(ErrorInfoSchema);
      assert.deepEqual([info?.reason, info?.domain, info?.metadata], ["NOT_FOUND", "appserver", { app: "missing" }]);
      const invalid = await failureOf(client.registerApp({}));
      const [violation] = invalid.findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
      assert.deepEqual([violation?.field, violation?.description], ["web_app.assets[2].sha256", "does not equal the contents"]);
      const busy = await failureOf(client.getApp({ name: "busy" }));
      const [retry] = busy.findDetails(RetryInfoSchema);
      assert.deepEqual(
        [busy.code, retry?.retryDelay?.seconds, retry?.retryDelay?.nanos],
        [Code.ResourceExhausted, 2n, 500_000_000],
      );
    });
  }

  test("Connect's JSON works as a browser or curl sends it", async () => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "r-1" },
      body: '{"name":"a"}',
    };
    const response = await fetch(`${baseUrl}/appserver.v2.MarketplaceService/GetApp`, init);
    assert.deepEqual([response.status, response.headers.get("x-request-id")], [200, "r-1"]);
    assert.equal(((await response.json()) as { app: { name: string } }).app.name, "a");
    assert.equal(Buffer.from(seen.at(-1)?.message ?? []).toString(), '{"name":"a"}');
  });

  test("a client that leaves, or whose deadline ends, is no error of the server", async () => {
    for (const list of [logged, warned, codes]) list.length = 0;
    const client = createClient(SettingsService, grpc);
    const first = async (options: { readonly timeoutMs?: number; readonly signal?: AbortSignal }, end: () => void) => {
      for await (const _message of client.watchSettings({ appId: "many" }, { headers, ...options })) end();
    };
    for (let number = 0; number < 5; number += 1) {
      const leaving = new AbortController();
      await failureOf(first({ signal: leaving.signal }, () => leaving.abort()));
      await failureOf(first({ timeoutMs: 30 + number }, () => {}));
    }
    await eventually(() => codes.length === 10 && watchers === 0);
    assert.deepEqual([logged, warned], [[], []], codes.join());
    assert.ok(
      codes.every((code) => code === "Canceled" || code === "DeadlineExceeded"),
      codes.join(),
    );
  });

  test("an unexpected error is logged in full and sent without details; a bad credential is UNAUTHENTICATED", async () => {
    const client = createClient(MarketplaceService, grpc);
    logged.length = 0;
    const crash = await failureOf(client.getApp({ name: "crash" }));
    assert.deepEqual([crash.code, crash.rawMessage], [Code.Internal, "internal error"]);
    assert.equal(crash.findDetails(ErrorInfoSchema)[0]?.reason, "INTERNAL_ERROR");
    assert.match(String((logged[0] as { err?: Error }).err?.message), /secret cause/);
    const refused = await failureOf(client.getApp({ name: "a" }, { headers: { authorization: "bad" } }));
    assert.deepEqual(
      [refused.code, refused.findDetails(ErrorInfoSchema)[0]?.reason],
      [Code.Unauthenticated, "AUTHENTICATION_FAILED"],
    );
    const unknown = await failureOf(client.uninstallApp({ name: "a" }));
    assert.equal(unknown.code, Code.Unimplemented);
  });

  test("client streams are read in full, with a signature over an empty message", async () => {
    async function* parts() {
      for (let index = 0; index < 3; index += 1) {
        yield { part: { case: "chunk" as const, value: { name: "a", data: new Uint8Array(100_000) } } };
      }
    }
    seen.length = 0;
    const { app } = await createClient(MarketplaceService, grpc).registerAppStream(parts(), { headers });
    assert.deepEqual([app?.name, app?.displayName], ["300000", "user:alice"]);
    assert.equal(seen[0]?.message.length, 0);
  });

  test("a server stream ends when its client disconnects, and its errors are mapped", async () => {
    const client = createClient(SettingsService, grpc);
    const abort = new AbortController();
    const stream = client.watchSettings({ appId: "a" }, { signal: abort.signal })[Symbol.asyncIterator]();
    assert.equal((await stream.next()).value?.settings?.appId, "a");
    abort.abort();
    await eventually(() => watchers === 0);
    const failing = client.watchSettings({ appId: "fail" })[Symbol.asyncIterator]();
    await failing.next();
    const failure = await failureOf(failing.next());
    assert.deepEqual(
      [failure.code, failure.findDetails(ErrorInfoSchema)[0]?.reason],
      [Code.PermissionDenied, "PERMISSION_DENIED"],
    );
  });

  test("messages beyond the limit are RESOURCE_EXHAUSTED, before and after inflation", async () => {
    const small = await started({ maxMessageBytes: 100_000 });
    const url = `http://${small.address().host}:${small.address().port}`;
    const large = { name: "x".repeat(200_000) };
    for (const transport of [
      createGrpcTransport({ baseUrl: url }),
      createGrpcTransport({ baseUrl: url, sendCompression: compressionGzip }),
      createConnectTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: true, sendCompression: compressionGzip }),
    ]) {
      const failure = await failureOf(createClient(MarketplaceService, transport).getApp(large));
      assert.equal(failure.code, Code.ResourceExhausted);
    }
    await small.stop();
  });

  test("a decompression bomb is refused without being inflated", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const envelope = Buffer.alloc(5);
    envelope[0] = 1;
    envelope.writeUInt32BE(bomb.length, 1);
    const session = connect(baseUrl);
    const stream = session.request({
      ":method": "POST",
      ":path": "/appserver.v2.MarketplaceService/GetApp",
      "content-type": "application/grpc+proto",
      "grpc-encoding": "gzip",
      te: "trailers",
    });
    stream.end(Buffer.concat([envelope, bomb]));
    const trailers = new Promise<IncomingHttpHeaders>((resolve) => {
      stream.once("response", (answer) => answer["grpc-status"] !== undefined && resolve(answer));
      stream.once("trailers", resolve);
    });
    stream.resume();
    assert.equal((await trailers)["grpc-status"], String(Code.ResourceExhausted));
    session.close();
  });

  test("unknown methods are refused in each kind of client's protocol", async () => {
    const session = connect(baseUrl);
    const stream = session.request({ ":method": "POST", ":path": "/nope.Nope/Nope", "content-type": "application/grpc" });
    stream.end();
    const [answer, flags] = (await once(stream, "response")) as [IncomingHttpHeaders, number];
    assert.deepEqual([answer[":status"], answer["grpc-status"]], [200, String(Code.Unimplemented)]);
    // Otherwise clients report a response without trailers: "server closed the stream without sending trailers".
    assert.equal(flags & constants.NGHTTP2_FLAG_END_STREAM, constants.NGHTTP2_FLAG_END_STREAM);
    stream.resume();
    session.close();
    assert.equal((await fetch(`${baseUrl}/nope`)).status, 404);
  });

  test("health needs no caller and follows readiness", async () => {
    const client = createClient(Health, grpc);
    const service = "appserver.v2.MarketplaceService";
    const before = seen.length;
    assert.equal((await client.check({})).status, ServingStatus.SERVING);
    assert.equal((await client.list({})).statuses[service]?.status, ServingStatus.SERVING);
    databaseUp = false;
    assert.equal((await client.check({ service })).status, ServingStatus.NOT_SERVING);
    databaseUp = true;
    assert.equal((await failureOf(client.check({ service: "nope" }))).code, Code.NotFound);
    for await (const { status } of client.watch({ service: "nope" })) {
      assert.equal(status, ServingStatus.SERVICE_UNKNOWN);
      break;
    }
    assert.equal(seen.length, before);
  });

  for (const [name, service] of [
    ["v1", ServerReflection],
    ["v1alpha", ServerReflectionAlpha],
  ] as const) {
    test(`reflection ${name} lists services and gives their files with imports`, async () => {
      const client = createClient(service as typeof ServerReflection, grpc);
      async function* questions() {
        yield { messageRequest: { case: "listServices" as const, value: "" } };
        yield { messageRequest: { case: "fileContainingSymbol" as const, value: "appserver.v2.MarketplaceService.GetApp" } };
        yield { messageRequest: { case: "fileByFilename" as const, value: "appserver/v2/manifest.proto" } };
        yield { messageRequest: { case: "fileContainingSymbol" as const, value: "nope.Nope" } };
        yield { messageRequest: { case: "fileContainingSymbol" as const, value: "google.rpc.ErrorInfo" } };
      }
      const answers = [];
      for await (const { messageResponse } of client.serverReflectionInfo(questions())) answers.push(messageResponse);
      const [list, symbol, file, unknown, errorInfo] = answers;
      assert.equal(errorInfo?.case, "fileDescriptorResponse");
      assert.ok(list?.case === "listServicesResponse");
      assert.ok(list.value.service.some((entry) => entry.name === "appserver.v2.MarketplaceService"));
      assert.ok(symbol?.case === "fileDescriptorResponse");
      const names = symbol.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
      assert.equal(names[0], "appserver/v2/marketplace.proto");
      assert.ok(names.includes("google/protobuf/timestamp.proto"));
      assert.ok(file?.case === "fileDescriptorResponse");
      assert.ok(unknown?.case === "errorResponse");
      assert.equal(unknown.value.errorCode, Code.NotFound);
    });
  }

  test("reflection is off by default", async () => {
    const plain = await started({ reflection: false });
    const transport = createGrpcTransport({ baseUrl: `http://${plain.address().host}:${plain.address().port}` });
    async function* questions() {
      yield { messageRequest: { case: "listServices" as const, value: "" } };
    }
    const answers = createClient(ServerReflection, transport).serverReflectionInfo(questions())[Symbol.asyncIterator]();
    assert.equal((await failureOf(answers.next())).code, Code.Unimplemented);
    await plain.stop();
  });

  test("a port in use is reported in one clear sentence", async () => {
    const { port } = listener.address();
    const expected = `Port ${port} on 127.0.0.1 is in use: stop what listens there, or choose another with APPSERVER_GRPC_PORT.`;
    await assert.rejects(started({ port }), (error) => error instanceof PortInUseError && error.message === expected);
  });
});

test("stop lets unary calls finish and ends streams with UNAVAILABLE", async () => {
  const listener = await started();
  const transport = createGrpcTransport({ baseUrl: `http://${listener.address().host}:${listener.address().port}` });
  const client = createClient(MarketplaceService, transport);
  const stream = createClient(SettingsService, transport).watchSettings({ appId: "a" })[Symbol.asyncIterator]();
  await stream.next();
  const before = seen.length;
  const slow = client.getApp({ name: "slow" });
  await eventually(() => seen.length > before);
  const ended = stream.next().then(
    ({ done }) => done,
    (error: unknown) => ConnectError.from(error).code,
  );
  await listener.stop();
  assert.equal((await slow).app?.name, "slow");
  assert.ok([true, Code.Unavailable].includes((await ended) ?? false));
});
