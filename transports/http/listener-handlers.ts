import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrowserSession } from "@appserver/access";
import type { Branding } from "@appserver/contracts/branding";
import type { MaybePromise } from "@appserver/kernel";
import type { DevLogin, Exposition, SignIn } from "@appserver/kernel/ports";
import type { Ui } from "@appserver/ui";
import type { AgentSignIn } from "./agents/agent-sign-in.ts";
import type { DevPlatform } from "./dev-platform.ts";
import type { DeviceLogins } from "./device/device-logins.ts";
import type { HealthChecks } from "./health-checks.ts";
import type { MetricsAccessOptions } from "./metrics-access.ts";
import type { GraphqlHandler, ProxyHandler, RawHandler } from "./request-context.ts";
import type { SessionEnd } from "./sign-in.ts";
import type { Site } from "./site.ts";
import type { LimitedExchange } from "./token-endpoint.ts";

export interface PagePaths {
  /** Returns whether an app has pages at this path, which has no query. */
  covers(path: string): boolean;
  /** Returns the app that would have pages at this path, if it is being installed or its installation has failed. */
  unserved(path: string): UnservedPage | undefined;
  /** Returns the names of the apps whose pages run in the documents of the platform. */
  originApps(): MaybePromise<readonly string[]>;
  /** Returns whether the user of the browser may read the logs of apps. Never rejects. */
  mayReadLogs(request: IncomingMessage): MaybePromise<boolean>;
}

/** An app whose pages are not served yet. */
export interface UnservedPage {
  readonly appName: string;
  readonly state: "starting" | "failed";
}

/** Handles calls of gRPC, gRPC-Web and Connect (docs/interface/grpc.md), and refuses those that it does not have. */
export interface CallHandler {
  handle(request: IncomingMessage, response: ServerResponse, remoteAddress: string): void;
  /** Ends streams, after the unary calls in progress. */
  drain(): Promise<void>;
}

/** The handlers that need services. */
export interface ServiceHandlers {
  /** `/apps/{appName}/assets/{assetName}` and `/assets/{appId}/{assetPath}` */
  readonly ui: Pick<Ui["http"], "handle">;
  /** The paths at which apps have pages. A site with `isShell` shows them. */
  readonly pages: PagePaths;
  /** `/api/apps/*`. It logs its requests itself. */
  readonly proxy: ProxyHandler;
  /** `/graphql` */
  readonly graphql: GraphqlHandler;
  /** `/api/v2/*` */
  readonly rest: RawHandler;
  /** `/mcp` */
  readonly mcp: RawHandler;
  /** `/appserver.v2.*`, `/grpc.*`, unless clients must present a certificate, which this port does not request. */
  readonly calls?: CallHandler;
  /** `/console/command-line`, with {@link ListenerHandlers.signIn}. */
  readonly browserSession: (request: IncomingMessage) => MaybePromise<BrowserSession | undefined>;
  /** `/console/device` and below, with {@link browserSession} and {@link ListenerHandlers.signIn}. */
  readonly deviceLogins: DeviceLogins;
  /** `/oauth/agents/*`, with {@link browserSession} and {@link ListenerHandlers.signIn}. */
  readonly agentSignIn: AgentSignIn;
  /** `/oauth/token` */
  readonly tokenExchange: LimitedExchange;
  /** Ends the streams of a session that {@link ListenerHandlers.signIn} ends. */
  readonly sessionEnd?: SessionEnd;
  /** `/self-service/*`, with {@link ListenerHandlers.hasSelfService}. */
  readonly selfService?: RawHandler;
  /** `/scim/v2/*`, with {@link ListenerHandlers.hasProvisioning}. */
  readonly provisioning?: RawHandler;
  /** `/v2/*`, with {@link ListenerHandlers.hasRegistry}. */
  readonly registry?: RawHandler;
}

/** The handlers of the listener, by path. */
export interface ListenerHandlers {
  readonly health: HealthChecks;
  /** The handlers to serve; other paths are 404. If absent, {@link HttpListener.serve} sets all of them later. */
  readonly services?: Partial<ServiceHandlers>;
  /** `/metrics`, if {@link metricsAccess} is given. */
  readonly scrape?: () => Promise<Exposition>;
  /** Access rules of `/metrics`. */
  readonly metricsAccess?: MetricsAccessOptions;
  /** What the pages of the platform show. Undefined for a listener without pages. */
  readonly branding?: Branding;
  /** Web applications of the platform. */
  readonly sites?: readonly Site[];
  /** Whether the pages of the identity provider are those of the platform. Default false. */
  readonly hasSelfService?: boolean;
  /** Whether accounts are made by SCIM. Default false. */
  readonly hasProvisioning?: boolean;
  /** Whether the platform takes images of apps. Default false. */
  readonly hasRegistry?: boolean;
  /** `/console/sign-in`, `/console/account` and `/console/sign-out`. */
  readonly signIn?: SignIn;
  /** `/dev/login`. Only in development. */
  readonly devLogin?: DevLogin;
  /** `/dev/platform` and `/dev/images`. Only in development. */
  readonly devPlatform?: DevPlatform;
}
