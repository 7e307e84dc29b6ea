import { signRequest } from "@appserver/sdk";
import { send, type TestApp, testApp, until } from "@appserver/testing/kit";
import type { ServedApps } from "../served-apps.ts";
import { type Gateway, requestsWith } from "./compare.ts";

const name = "test.answering";
const callingName = "test.calling";
/** Of the route `/limited`, for each user in an hour. */
export const strictLimit = 200;

/** An app with the backend of all gateways, and the platform as a gateway to it. */
export interface ProxiedApp {
  /** Cookie of a user who has the permission of `/read` and `/limited`. */
  readonly cookie: string;
  /** Returns the path of a route: `/public`, `/body`, `/read` or `/limited`. */
  path(route: string): string;
  /** Returns the platform as a gateway: a route without a session, or with that of the cookie. */
  gateway(name: string, route: "/public" | "/body" | "/read"): Gateway;
  /** Installs another app that has the permission. Resolves when its signed requests are allowed. */
  callingApp(): Promise<TestApp>;
  /** Origins of the servers. */
  readonly origins: readonly string[];
  /** Returns the cookie of another user who has the permission. */
  anotherCookie(): Promise<string>;
}

/** Installs the app. Resolves when the servers forward to it. */
export async function installProxiedApp({ group, server }: ServedApps, upstreamPort: number): Promise<ProxiedApp> {
  const limit = { rate_limit: { rpm: 1_000_000 } };
  const scoped = { methods: ["GET", "POST"], scopes: ["answers:read"] };
  const api = {
    base_path: `/api/apps/${name}`,
    upstream_base_url: `http://127.0.0.1:${upstreamPort}`,
    strip_base_path: true,
    routes: [
      { pattern: "/public", methods: ["GET"], is_public: true, ...limit },
      { pattern: "/body", methods: ["GET", "POST"], is_public: true, ...limit },
      { pattern: "/read", ...scoped, ...limit },
      { pattern: "/limited", ...scoped, rate_limit: { requests: strictLimit, window_seconds: 3_600 } },
    ],
  };
  const { marketplace } = group.client(server);
  await group.register(server, await testApp({ name, web_app: { api } }));
  await marketplace.installApp({ name });
  const path = (route: string): string => `/api/apps/${name}${route}`;
  const anotherCookie = async (): Promise<string> => (await group.viewerOf(name)).cookie;
  const cookie = await anotherCookie();
  for (const { httpUrl } of group.servers)
    for (const route of ["/public", "/read"])
      await until(`${route} is served`, async () => (await send(httpUrl, path(route), { headers: { cookie } })).status === 200);
  const gateway: ProxiedApp["gateway"] = (shownName, route) => ({
    name: shownName,
    servers: group.servers.map(({ httpUrl, pid }) => ({ url: `${httpUrl}${path(route)}`, pid })),
    ...(route === "/read" ? { requests: requestsWith({ cookie }) } : {}),
  });
  const callingApp = async (): Promise<TestApp> => {
    const app = await testApp({
      name: callingName,
      web_app: { api: { base_path: "/", upstream_base_url: api.upstream_base_url } },
      required_permissions: [{ scope: "answers:read", resource_type: name, reason: "Asks it." }],
    });
    await group.register(server, app);
    await group.approvePermissions(server, callingName);
    await marketplace.installApp({ name: callingName });
    const { privateKey } = app.keys;
    const isAllowed = async (): Promise<boolean> => {
      const input = { appName: callingName, privateKey, method: "GET", url: path("/read"), body: new Uint8Array() };
      return (await send(server.httpUrl, input.url, { headers: signRequest(input) })).status === 200;
    };
    await until(`${callingName} is allowed to call`, isAllowed);
    return app;
  };
  return { cookie, callingApp, path, gateway, origins: group.servers.map(({ httpUrl }) => httpUrl), anotherCookie };
}
