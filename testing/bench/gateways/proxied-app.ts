import { send, testApp, until } from "@appserver/testing/kit";
import type { ServedApps } from "../served-apps.ts";

const name = "test.answering";

/** An app with the backend of all gateways. */
export interface ProxiedApp {
  readonly publicUrl: string;
  /** Needs a session, a permission and a limit that is counted and never reached. */
  readonly privateUrl: string;
  /** Cookie of a user who has the permission. */
  readonly cookie: string;
}

/** Installs the app. Resolves when the server forwards to it. */
export async function installProxiedApp({ group, server }: ServedApps, upstreamPort: number): Promise<ProxiedApp> {
  const api = {
    base_path: `/api/apps/${name}`,
    upstream_base_url: `http://127.0.0.1:${upstreamPort}`,
    strip_base_path: true,
    routes: [
      { pattern: "/public", methods: ["GET"], is_public: true, rate_limit: { rpm: 1_000_000 } },
      { pattern: "/read", methods: ["GET"], scopes: ["answers:read"], rate_limit: { rpm: 1_000_000 } },
    ],
  };
  await group.register(server, await testApp({ name, web_app: { api } }));
  await group.client(server).marketplace.installApp({ name });
  const { cookie } = await group.viewerOf(name);
  const url = `${server.httpUrl}/api/apps/${name}`;
  const isServed = async (path: string) =>
    (await send(server.httpUrl, `/api/apps/${name}${path}`, { headers: { cookie } })).status === 200;
  for (const path of ["/public", "/read"]) await until(`${path} is served`, () => isServed(path));
  return { publicUrl: `${url}/public`, privateUrl: `${url}/read`, cookie };
}
