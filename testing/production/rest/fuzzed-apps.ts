import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorOf, eventually, jsonOf, type PlatformUnderTest, send, testApp } from "@appserver/testing/kit";

/** Names and ids of what a platform has. */
export type Dictionaries = Readonly<Record<string, readonly string[]>>;

/** Requests read them and change their settings. They stay installed. */
const staying = namesOf("stays", 3);
/** Enough for the requests that uninstall and delete apps: some are left until the end. */
const passing = namesOf("passes", 24);
const upgraded = passing.slice(0, 8);
const uninstalled = namesOf("waits", 12);

interface Page {
  readonly items: readonly { readonly id: string; readonly status?: string; readonly traceId?: string | null }[];
}
type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Registers and installs apps with settings, hooks and activities, and uses them. Returns what requests can name. */
export async function fillPlatform(platform: PlatformUnderTest, backend: Server): Promise<Dictionaries> {
  const call = callsTo(platform);
  const ids = new Map<string, string>();
  const operations: string[] = [];
  for (const name of [...staying, ...passing, ...uninstalled])
    ids.set(name, await registerApp(platform, backend, name, operations));
  const idOf = (name: string): string => ids.get(name) ?? "";
  for (const name of staying) await useApp(call, name, idOf(name));
  const listed = async (path: string) => (await call<Page>("GET", path)).items;
  const isDone = (deliveries: Page["items"]) => deliveries.every(({ status }) => status === "DELIVERED" || status === "DEAD");
  await eventually(() => listed("/hook-deliveries"), isDone, { what: "the hooks are delivered or dead" });
  const hookEvents = await listed("/hook-events");
  const idsOf = async (path: string) => (await listed(path)).map(({ id }) => id);
  const withIds = (names: readonly string[]) => names.flatMap((name) => [name, idOf(name)]);
  return {
    apps: [...withIds(staying), "com.example.notes", "com.example.clock"],
    "app-ids": staying.map(idOf),
    certificates: await Promise.all(["a", "b", "c"].map(newCertificate)),
    // Each restart of a sample app starts a process.
    "commanded-apps": [...withIds([...passing, ...uninstalled]), ...Array<string>(6).fill("com.example.clock")],
    "passing-apps": withIds([...passing, ...uninstalled]),
    operations,
    hooks: staying.flatMap((name) => [`${name}.changed`, `${name}.lost`]),
    objects: ["role:easy", ...staying.map((name) => `app:${name}`), "permission_scope:view_audit"],
    deliveries: await idsOf("/hook-deliveries"),
    "hook-events": hookEvents.map(({ id }) => id),
    traces: hookEvents.flatMap(({ traceId }) => traceId ?? []),
    runs: await idsOf("/activity-runs"),
    schedules: await idsOf("/activity-schedules"),
    events: await idsOf("/events"),
  };
}

/** Returns a function that calls REST as the administrator. It rejects if the response is not a success. */
function callsTo({ httpUrl, administrator }: PlatformUnderTest): Call {
  return async <T>(method: string, path: string, body?: unknown) => {
    const answer = await send(httpUrl, `/api/v2${path}`, {
      method,
      headers: { ...administrator, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${errorOf(answer).error}`);
    return jsonOf(answer) as T;
  };
}

/** Returns the id of the app. Adds its operations. */
async function registerApp(platform: PlatformUnderTest, backend: Server, name: string, operations: string[]): Promise<string> {
  const call = callsTo(platform);
  const command = async (path: string): Promise<void> => {
    operations.push((await call<{ readonly id: string }>("POST", `/apps/${name}/${path}?wait=true`)).id);
  };
  const { port } = backend.address() as AddressInfo;
  const manifest = (version: string) => manifestOf(name, version, `http://127.0.0.1:${port}`);
  const app = await testApp(manifest("1.0.0"));
  const id = (await platform.register(app)).app?.id ?? "";
  if (uninstalled.includes(name)) return id;
  await call("POST", `/apps/${id}/approvals`, { scopes: ["audit:view"] });
  await command("install");
  await platform.register(await testApp(manifest("1.1.0"), {}, app.keys));
  if (upgraded.includes(name)) await command("upgrade");
  return id;
}

/** Gives the app values of settings, deliveries and runs. */
async function useApp(call: Call, name: string, id: string): Promise<void> {
  await call("PUT", `/apps/${id}/settings`, { values: { title: "mine", count: 3 } });
  for (const hook of ["changed", "lost"]) await call("POST", `/hooks/${name}.${hook}/trigger`, { data: { number: 1 } });
  for (let run = 0; run < 3; run++) await call("POST", `/apps/${name}/activities/count/runs`, { input: { run } });
}

/** The backend of the apps. It accepts the hook `changed` and has no place for the hook `lost`, whose deliveries are dead at once. */
export async function startBackend(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url?.endsWith("/lost") ? 410 : 200).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

async function newCertificate(name: string): Promise<string> {
  return (await testApp(manifestOf(`com.example.${name}`, "1.0.0", "http://127.0.0.1:9"))).keys.certificate;
}

function namesOf(word: string, number: number): readonly string[] {
  return Array.from({ length: number }, (_, index) => `com.example.${word}-${index}`);
}

function manifestOf(name: string, version: string, backend: string) {
  return {
    name,
    version,
    web_app: {
      api: { base_path: "/", upstream_base_url: backend, routes: [{ pattern: "/**", methods: ["GET"], is_public: true }] },
    },
    hooks: ["changed", "lost"].map((hook) => ({ hook_name: `${name}.${hook}`, path: `/${hook}` })),
    activities: [{ name: "count", max_retries: 0, schedule: { cron: "0 3 1 1 *", timezone: "UTC" } }],
    required_permissions: [{ scope: "audit:view", resource_type: "platform", reason: "Shows who did what." }],
    settings: {
      definitions: [
        { key: "title", data_type: "STRING", default_value: '"none"' },
        { key: "count", data_type: "INT" },
        { key: "secret", data_type: "STRING", sensitive: true },
      ],
    },
  };
}
