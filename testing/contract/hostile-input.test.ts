import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AccessService } from "@appserver/contracts/proto/appserver/v2/access";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { type HttpAnswer, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";
import type { DescMessage, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import fc from "fast-check";
import { arbitraryMessage, hostileText } from "./arbitrary-message.ts";

const services: readonly DescService[] = [MarketplaceService, HooksService, ActivityService, SettingsService, AccessService];
/** Codes of the platform's own failures, which no input may cause. */
const failures: ReadonlySet<Code> = new Set([Code.Internal, Code.Unknown, Code.DataLoss, Code.Unavailable]);
const stack = /\bat (?:async )?\S+ \(?(?:file:|node:|\/)/;

type AnyClient = Readonly<Record<string, (message: object) => Promise<unknown>>>;

/** Unary methods only. Messages of streams pass the same check (see the listener's tests). */
function unaryMethods() {
  return services.flatMap((service) =>
    service.methods.filter(({ methodKind }) => methodKind === "unary").map((method) => ({ service, method })),
  );
}

describe("input that no caller should send", () => {
  let platform: PlatformUnderTest;
  let administrator: Interceptor;
  before(async () => {
    platform = await startPlatform();
    administrator = (next) => (request) => {
      for (const [name, value] of Object.entries(platform.administrator)) request.header.set(name, String(value));
      return next(request);
    };
  });
  after(() => platform.stop());

  const assertFine = ({ status, text }: HttpAnswer, what: string): void => {
    assert.ok(status < 500, `${what} returned ${status} ${text}`);
    assert.doesNotMatch(text, stack, what);
  };

  const failureOf = async (client: AnyClient, method: string, message: object): Promise<ConnectError | undefined> => {
    const outcome = await client[method]?.(message).then(
      () => undefined,
      (error: unknown) => ConnectError.from(error),
    );
    return outcome;
  };

  test("a NUL in an asset's name is 400; an app id that is not a UUID is 404", async () => {
    assert.equal((await send(platform.httpUrl, "/apps/com.example.notes/assets/a%00b")).status, 400);
    assert.equal((await send(platform.httpUrl, "/apps/com.example%00notes/assets/a")).status, 400);
    assert.equal((await send(platform.httpUrl, "/assets/foo/bar")).status, 404);
    assert.equal((await send(platform.httpUrl, "/assets/%00/bar")).status, 400);
  });

  for (const { service, method } of unaryMethods()) {
    test(`${service.name}.${method.name}: a NUL in any text is INVALID_ARGUMENT`, async () => {
      const transport = createGrpcTransport({ baseUrl: platform.grpcUrl, interceptors: [administrator] });
      const client = createClient(service, transport) as unknown as AnyClient;
      for (const field of method.input.fields) {
        if (field.fieldKind !== "scalar" || field.scalar !== 9) continue;
        const error = await failureOf(client, method.localName, { [field.localName]: "a\0b" });
        assert.equal(error?.code, Code.InvalidArgument, `${field.name}: ${error}`);
      }
    });
  }

  test("gRPC: no generated message makes a call fail inside the platform", { timeout: 300_000 }, async () => {
    const transport = createGrpcTransport({ baseUrl: platform.grpcUrl, interceptors: [administrator] });
    await neverFails(transport, 25);
  });

  test("Connect in JSON: no generated message makes a call fail inside the platform", { timeout: 300_000 }, async () => {
    const transport = createConnectTransport({ baseUrl: platform.grpcUrl, httpVersion: "1.1", interceptors: [administrator] });
    await neverFails(transport, 10);
  });

  async function neverFails(transport: ReturnType<typeof createGrpcTransport>, numRuns: number): Promise<void> {
    for (const { service, method } of unaryMethods()) {
      const client = createClient(service, transport) as unknown as AnyClient;
      const property = fc.asyncProperty(arbitraryMessage(method.input as DescMessage), async (message) => {
        const error = await failureOf(client, method.localName, message);
        assert.ok(!error || !failures.has(error.code), `${method.name}: ${error}`);
        assert.doesNotMatch(String(error?.rawMessage), stack);
      });
      await fc.assert(property, { numRuns });
    }
  }

  test("REST: no generated id or body makes a request fail inside the platform", { timeout: 120_000 }, async () => {
    const segment = hostileText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 2000) || "x");
    const method = fc.constantFrom("GET", "PUT", "POST", "DELETE");
    const body = fc.oneof(fc.json(), fc.string(), fc.constant('{"values":{"a":"\\u0000","b\\ud800":1}}'));
    const suffix = fc.constantFrom("", "/validate", "/", "//");
    const property = fc.asyncProperty(segment, suffix, method, body, async (id, end, verb, content) => {
      const path = `/api/v2/apps/${id}/settings${end}`;
      const headers = { "content-type": "application/json", "if-match": '"1"', ...platform.administrator };
      const withBody = verb === "PUT" || verb === "POST";
      const answer = await send(platform.httpUrl, path, { method: verb, headers, ...(withBody && { body: content }) });
      assertFine(answer, `${verb} ${path} ${content}`);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  test("HTTP: no generated path or header makes a request fail inside the platform", { timeout: 120_000 }, async () => {
    const piece = fc.oneof(
      hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
      fc.stringMatching(/^[\x21-\x7e]{0,20}$/),
      fc.constantFrom("%00", "%ff", "%", "..", ".", "", "%2f", "%2e%2e", ";", "com.example.notes", "@", "#", "\\"),
    );
    const prefix = fc.constantFrom("/", "/apps/", "/assets/", "/api/apps/", "/api/v2/", "/graphql", "/health", "/metrics");
    const headers = fc.dictionary(
      fc
        .constantFrom("cookie", "authorization", "x-app-name", "x-app-signature", "x-request-timestamp", "x-request-id")
        .map(String),
      fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,60}$/),
    );
    const more = fc.dictionary(
      fc.constantFrom("traceparent", "range", "if-none-match", "accept-encoding", "accept", "origin", "user-agent", "host"),
      fc.stringMatching(/^[\x20-\x7e]{0,60}$/),
    );
    const property = fc.asyncProperty(
      prefix,
      fc.array(piece, { maxLength: 5 }),
      headers,
      more,
      async (start, rest, one, two) => {
        const path = `${start}${rest.join("/")}`.replace(/[^\x21-\x7e]/g, "");
        const answer = await send(platform.httpUrl, path, { headers: { ...one, ...two } });
        assertFine(answer, path);
      },
    );
    await fc.assert(property, { numRuns: 400 });
  });
});
