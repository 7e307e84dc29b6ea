import type { KeyObject } from "node:crypto";
import { rootCertificates } from "node:tls";
import { AccessService } from "@appserver/contracts/proto/appserver/v2/access";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { DevelopmentService } from "@appserver/contracts/proto/appserver/v2/development";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import {
  MarketplaceService,
  RegisterAppHeaderSchema,
  type RegisterAppResponse,
  type RegisterAppStreamRequest,
  RegisterAppStreamRequestSchema,
  type RegisterAppStreamResponse,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { registrationTokenHeader, unprovenMessageBytes } from "@appserver/contracts/signature";
import { create, toBinary } from "@bufbuild/protobuf";
import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { currentTrace } from "./current-trace.ts";
import type { SignedManifest } from "./load-manifest.ts";
import { PlatformConnection } from "./platform-connection.ts";
import { repeatingRefused } from "./refused-calls.ts";
import { signRequest } from "./sign-request.ts";

export interface PlatformClientOptions {
  /** `http://127.0.0.1:9090` (APPSERVER_GRPC_ADDRESS with its scheme). */
  readonly grpcUrl: string;
  /** If set, calls are signed as this app. */
  readonly app?: { readonly name: string; readonly privateKey: KeyObject };
  /** A user's session token, sent as `authorization: bearer`. */
  readonly token?: string;
  /** PEM certificates to trust in addition to the system's if `grpcUrl` is `https:`. */
  readonly ca?: string;
  /** Deadline of a call. Default 30000. Streams have none: they wait. */
  readonly timeoutMs?: number;
  /** Interval of keep-alive pings on open streams, which find a lost connection. Default 30000. */
  readonly keepAliveMs?: number;
  /** How long the connection is kept without a call. Default: 15 minutes. */
  readonly idleMs?: number;
}

/** The platform's gRPC services. */
export interface PlatformClient {
  readonly marketplace: Client<typeof MarketplaceService>;
  readonly hooks: Client<typeof HooksService>;
  readonly activities: Client<typeof ActivityService>;
  readonly settings: Client<typeof SettingsService>;
  readonly access: Client<typeof AccessService>;
  readonly development: Client<typeof DevelopmentService>;
}

export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { grpcUrl, keepAliveMs, idleMs, ca } = options;
  const transport = withoutStreamDeadlines(
    repeatingRefused(
      createGrpcTransport({
        baseUrl: grpcUrl,
        defaultTimeoutMs: options.timeoutMs ?? 30_000,
        interceptors: [continueTrace, credentials(options)],
        sessionManager: new PlatformConnection(
          grpcUrl,
          {
            pingIntervalMs: keepAliveMs ?? 30_000,
            ...(idleMs === undefined ? {} : { idleConnectionTimeoutMs: idleMs }),
          },
          ca === undefined ? {} : { ca: [...rootCertificates, ca] },
        ),
      }),
    ),
  );
  return {
    marketplace: createClient(MarketplaceService, transport),
    hooks: createClient(HooksService, transport),
    activities: createClient(ActivityService, transport),
    settings: createClient(SettingsService, transport),
    access: createClient(AccessService, transport),
    development: createClient(DevelopmentService, transport),
  };
}

/** A stream that waits for an event, or sends a large file, is no failure. Only a deadline that its caller gives ends it. */
function withoutStreamDeadlines(transport: Transport): Transport {
  return {
    unary: (...call) => transport.unary(...call),
    stream: (method, signal, timeoutMs = 0, ...call) => transport.stream(method, signal, timeoutMs, ...call),
  };
}

/** Continues the current trace. A stream outlives what the app did when it was opened. */
const continueTrace: Interceptor = (next) => (request) => {
  const { traceparent } = currentTrace();
  if (traceparent !== undefined && !request.stream && !request.header.has("traceparent"))
    request.header.set("traceparent", traceparent);
  return next(request);
};

/**
 * Signs `"POST" + ":path" + timestamp + serialized message`, for streams with an empty body instead of the message
 * (docs/interface/signatures.md#signed-calls).
 */
function credentials(options: PlatformClientOptions): Interceptor {
  const { app, token } = options;
  return (next) => (request) => {
    if (token !== undefined) request.header.set("authorization", `Bearer ${token}`);
    if (app) {
      // The transport serializes the message in the same way, so the signature covers the bytes that are sent.
      const body = request.stream ? new Uint8Array(0) : toBinary(request.method.input, request.message);
      const { pathname } = new URL(request.url);
      const signature = signRequest({ appName: app.name, privateKey: app.privateKey, method: "POST", url: pathname, body });
      for (const [name, value] of Object.entries(signature)) request.header.set(name, value);
    }
    return next(request);
  };
}

/** Returns the metadata with the registration token. The platform checks it before it reads the message. */
export function registrationHeaders(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { [registrationTokenHeader]: token };
}

/** Assets from this size on are sent in chunks: the platform refuses large messages from unauthenticated callers. */
const streamFromBytes: number = unprovenMessageBytes / 2;
const chunkBytes = 256 * 1024;

/**
 * Registers a manifest in one message, or as a stream if its assets are large. Only a platform that takes unsigned manifests registers
 * one without a signature.
 */
export function registerApp(
  client: Pick<PlatformClient, "marketplace">,
  signed: Pick<SignedManifest, "manifest"> & Partial<SignedManifest>,
  token?: string,
): Promise<RegisterAppResponse | RegisterAppStreamResponse> {
  const { manifest, signature } = signed;
  const size = (manifest.webApp?.assets ?? []).reduce((sum, asset) => sum + asset.contents.length, 0);
  const access = { ...(signature && { manifestSignature: signature }), ...(token === undefined ? {} : { token }) };
  const options = { headers: registrationHeaders(token) };
  if (size < streamFromBytes) return client.marketplace.registerApp({ manifest, ...access }, options);
  return client.marketplace.registerAppStream(chunks(manifest, access), options);
}

async function* chunks(
  manifest: AppManifest,
  access: { readonly manifestSignature?: Uint8Array; readonly token?: string },
): AsyncGenerator<RegisterAppStreamRequest> {
  const assets = manifest.webApp?.assets ?? [];
  const bare = assets.map((asset) => ({ ...asset, contents: new Uint8Array(0) }));
  const header = create(RegisterAppHeaderSchema, {
    manifest: { ...manifest, ...(manifest.webApp ? { webApp: { ...manifest.webApp, assets: bare } } : {}) },
    ...access,
  });
  yield create(RegisterAppStreamRequestSchema, { part: { case: "header", value: header } });
  for (const asset of assets) {
    for (let from = 0; from < asset.contents.length; from += chunkBytes) {
      const value = { name: asset.name, data: asset.contents.subarray(from, from + chunkBytes) };
      yield create(RegisterAppStreamRequestSchema, { part: { case: "chunk", value } });
    }
  }
}
