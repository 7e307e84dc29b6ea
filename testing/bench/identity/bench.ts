import { RunningPlatform, testApp, untilRouted } from "@appserver/testing/kit";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { compare, type Gateway, requestsWith } from "../gateways/compare.ts";
import { startForked } from "../gateways/forked.ts";
import { pinSending } from "../served-apps.ts";

const name = "test.answering";
const route = "/read";

/** Compares the check of a session of the driver `accounts` with that of the development identity, whose sessions are in memory. */
export const bench: Bench = {
  name: "identity",
  work: "A route that needs a session and a permission, by the identity driver.",
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const upstream = await startForked("upstream-process.ts");
  cleanup.defer(async () => void (await upstream.stop()));
  const start = async (driver: string): Promise<RunningPlatform> => {
    const environment = { APPSERVER_IDENTITY_DRIVER: driver };
    const platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
    cleanup.defer(() => platform.stop());
    return platform;
  };
  const gateways = [await withAccounts(await start("accounts"), upstream.port)];
  gateways.push(await withDevelopment(await start("dev"), upstream.port));
  for (const pid of [upstream.pid, process.pid]) pinSending(pid);
  const { figures } = await compare(gateways, { [development]: 1.05 }, options);
  return { figures, notes };
}

const development = "development identity";

async function withDevelopment(platform: RunningPlatform, upstreamPort: number): Promise<Gateway> {
  return await gateway(development, platform, upstreamPort, { id: "user:alice", cookie: await platform.login("alice") });
}

/** The first administrator completes the account of the link. */
async function withAccounts(platform: RunningPlatform, upstreamPort: number): Promise<Gateway> {
  const [, token = ""] = /http:\S+#token=(\S+)/.exec(platform.printed) ?? [];
  const account = { method: "password", token, email: "ada@example.test", name: "Ada", password: "a horse is no battery" };
  const registered = await fetch(`${platform.httpUrl}/self-service/registration?flow=link`, {
    method: "POST",
    headers: { accept: "application/json", "sec-fetch-site": "same-origin" },
    body: new URLSearchParams(account),
  });
  const cookie = registered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const headers = { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" };
  const body = JSON.stringify({ query: "{ viewer { subject } }" });
  const answer = await fetch(`${platform.httpUrl}/graphql`, { method: "POST", headers, body });
  const { data } = (await answer.json()) as { readonly data: { readonly viewer: { readonly subject: string } } };
  return await gateway("accounts", platform, upstreamPort, { id: data.viewer.subject, cookie });
}

/** Installs an app, and gives the caller its permission. */
async function gateway(
  shownName: string,
  platform: RunningPlatform,
  upstreamPort: number,
  { id, cookie }: { readonly id: string; readonly cookie: string },
): Promise<Gateway> {
  const routes = [{ pattern: route, methods: ["GET"], scopes: ["answers:read"], rate_limit: { rpm: 1_000_000 } }];
  const api = { base_path: "/", upstream_base_url: `http://127.0.0.1:${upstreamPort}`, routes };
  await platform.register(await testApp({ name, web_app: { api } }));
  await platform.client().marketplace.installApp({ name });
  await untilRouted(platform.httpUrl, name, route);
  const grant = `grantAccess(user: "${id}", relation: "viewer", object: "app:${name}") { user }`;
  const { errors } = await platform.graphql(`mutation { ${grant} }`);
  if (errors) throw new Error(`the permission was not granted: ${JSON.stringify(errors)}`);
  return {
    name: shownName,
    servers: [{ url: `${platform.httpUrl}/api/apps/${name}${route}`, pid: platform.process.pid }],
    requests: requestsWith({ cookie }),
  };
}

const notes = [
  "Both are `appserver dev` without sample apps, one after the other in each round; CPU is that of all its processes, PostgreSQL included.",
  "accounts: sessions are rows, which the process remembers until a notification ends them.",
];
