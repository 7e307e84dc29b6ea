import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { ValidateManifestRequestSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { EventLoopGuard, RunningPlatform } from "@appserver/testing/kit";
import { appserver, ProductionServer, startProductionServices } from "@appserver/testing/kit/production";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { connectForFloods, enveloped, partOf, RawCall } from "./raw-call.ts";

/** A server that unauthenticated callers can reach. */
interface Target {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  stop(): Promise<unknown>;
}

const mebibyte = 1024 * 1024;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

const atOnce = (count: number, send: (index: number) => Promise<number>): Promise<number[]> => Promise.all(times(count, send));

/** A hundred at once, each on a new connection: three hundred ordinary requests at once already take up to 40 ms to accept and parse. */
async function inWaves(count: number, send: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < count) {
    const sent = statuses.length;
    statuses.push(...(await atOnce(Math.min(100, count - sent), (index) => send(sent + index))));
  }
  return statuses;
}

/** Sends bytes unchanged and resolves with the status of the first response, or with 0 if the connection closes without one. */
async function statusOfBytes(httpUrl: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(httpUrl);
  const socket = connectTcp({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  socket.end(bytes);
  const answer = await text(socket).catch(() => "");
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, init).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status ?? 0;
}

function assertNoServerError(statuses: readonly number[]): void {
  // Over a budget or a limit the status is 429. A 503 with a reason means that an app or a service is unavailable, which does
  // not happen here.
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  );
}

const signature = (index: number): Record<string, string> => ({
  "x-app-name": `com.example.unknown${index % 7}`,
  "x-app-signature": randomBytes(384).toString("base64"),
  "x-request-timestamp": new Date().toISOString(),
});
const grpcFailures: readonly number[] = [Code.Internal, Code.Unknown];

const overHttp: Readonly<Record<string, (target: Target) => Promise<number[]>>> = {
  "paths of 16,000 characters": ({ httpUrl }) =>
    Promise.all(times(50, (index) => statusOf(`${httpUrl}/api/apps/com.example.a${index}/${"%41/".repeat(4_000)}`))),
  "a megabyte of headers": ({ httpUrl }) =>
    Promise.all(
      times(4, () =>
        statusOfBytes(
          httpUrl,
          `GET /health HTTP/1.1\r\nhost: ${new URL(httpUrl).host}\r\nconnection: close\r\n${"x-a: b\r\n".repeat(1_900)}cookie: ${"identity_session=x; ".repeat(45_000)}\r\n\r\n`,
        ),
      ),
    ),
  "invalid names and ids": ({ httpUrl }) =>
    inWaves(300, (index) => statusOf(`${httpUrl}/assets/${"z".repeat(index)}/%00${index}`)),
  "three hundred signatures that fail": ({ httpUrl }) =>
    inWaves(300, (index) =>
      statusOf(`${httpUrl}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", ...signature(index) },
        body: JSON.stringify({ query: "{ health { status } }" }),
      }),
    ),
  "a megabyte of nested JSON for REST": ({ httpUrl }) =>
    Promise.all(
      times(4, () =>
        statusOf(`${httpUrl}/api/v2/apps/0198c0de-0000-7000-8000-000000000001/settings`, {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: `${"[".repeat(500_000)}${"]".repeat(500_000)}`,
        }),
      ),
    ),
};

async function overHttp2(httpUrl: string): Promise<number[]> {
  const session = connectHttp2(httpUrl);
  session.on("error", () => {});
  const fields = Object.fromEntries(times(1_500, (index) => [`x-field-${index}`, "value"]));
  const statuses = await Promise.all(
    times(
      40,
      () =>
        new Promise<number>((resolve) => {
          const stream = session.request({ ":path": "/health", ...fields });
          stream.on("error", () => resolve(0)).on("response", (headers) => resolve(Number(headers[":status"])));
          stream.on("close", () => resolve(0)).resume();
        }),
    ),
  );
  session.destroy();
  return statuses;
}

const bomb = toBinary(
  ValidateManifestRequestSchema,
  create(ValidateManifestRequestSchema, {
    manifest: create(AppManifestSchema, {
      name: "com.example.bomb",
      webApp: { api: { routes: times(3, () => ({ pattern: `regex:/${"[a-z]{0,999}".repeat(70)}x`, methods: ["GET"] })) } },
    }),
  }),
);

const overGrpc: Readonly<
  Record<string, (start: (method: string, more?: Record<string, string>) => RawCall) => Promise<number[]>>
> = {
  "forty thousand empty chunks": async (start) => {
    const call = start("RegisterAppStream");
    const header = partOf({ case: "header", value: { manifest: create(AppManifestSchema, { name: "com.example.flood" }) } });
    await call.write([header, Buffer.concat(times(40_000, () => partOf({ case: "chunk", value: { name: "a" } })))]);
    call.stream.end();
    return [await call.status];
  },
  "messages of 20 MiB that mean nothing": (start) =>
    Promise.all(
      times(4, async () => {
        const call = start("GetApp");
        await call.write([enveloped(Buffer.alloc(20 * mebibyte, 0x0a))]);
        call.stream.end();
        return call.status;
      }),
    ),
  "a manifest with expressions of a hundred thousand instructions": async (start) => {
    const call = start("ValidateManifest");
    await call.write([enveloped(bomb)]);
    call.stream.end();
    return [await call.status];
  },
  "two hundred signatures that fail": (start) =>
    atOnce(200, async (index) => {
      const call = start("GetApp", signature(index));
      await call.write([enveloped(Buffer.alloc(16))]);
      call.stream.end();
      return call.status;
    }),
};

function describeAnonymousCalls(
  what: string,
  skip: string | false,
  open: (environment: Readonly<Record<string, string>>) => Promise<Target>,
) {
  describe(`the event loop of ${what} during unauthenticated calls`, { skip }, () => {
    let guard: EventLoopGuard;
    let target: Target;
    before(async () => {
      guard = await EventLoopGuard.create();
      target = await open(guard.environment);
    });
    after(() => target?.stop());

    for (const [input, attack] of Object.entries(overHttp))
      test(input, () => guard.assertUnharmed(async () => assertNoServerError(await attack(target))));

    test("forty HTTP/2 requests with 1,500 header fields each", () =>
      guard.assertUnharmed(async () => assertNoServerError(await overHttp2(target.httpUrl))));

    for (const port of ["grpcUrl", "httpUrl"] as const)
      for (const [input, attack] of Object.entries(overGrpc))
        test(`gRPC on the port of ${port}: ${input}`, () =>
          guard.assertUnharmed(async () => {
            const session = connectForFloods(target[port]);
            const codes = await attack((method, more) => new RawCall(session, method, more));
            session.destroy();
            assert.deepEqual(
              codes.filter((code) => grpcFailures.includes(code)),
              [],
            );
          }));
  });
}

describeAnonymousCalls("appserver dev", false, (environment) =>
  RunningPlatform.start({ flags: ["--no-examples"], environment }),
);

const services = await startProductionServices();
const skip = "unavailable" in services ? services.unavailable : false;
after(async () => {
  if (!("unavailable" in services)) await services.stop();
});
describeAnonymousCalls("appserver serve on production drivers", skip, async (environment) => {
  if ("unavailable" in services) throw new Error(services.unavailable);
  await appserver(["migrate"], services.environment);
  await appserver(["authz", "bootstrap"], services.environment);
  const server = await ProductionServer.create({ ...services.environment, APPSERVER_WORKERS: "1", ...environment });
  server.start();
  await server.ready();
  return server;
});
