import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { dumpTables, publishApp, RunningPlatform, type SearchedTexts, untilState } from "@appserver/testing/kit";
import { identityFilesOf } from "../../contract/app-identity-files.ts";
import { appProcess } from "../../contract/app-process.ts";
import { deploymentCanarySuite, type SearchedPlatform } from "./deployment-canary-suite.ts";
import { deploymentSecrets } from "./deployment-secrets.ts";

async function start(): Promise<SearchedPlatform> {
  const platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: { APPSERVER_LOG_LEVEL: "debug" } });
  return {
    httpUrl: platform.httpUrl,
    administrator: platform.administrator,
    kinds: [
      "file server.log",
      "printed",
      "container app-",
      "table broker.",
      "table marketplace.",
      "table platform.audit_log",
      "metrics",
    ],
    client: () => platform.client(),
    graphql: (query, variables) => platform.graphql(query, variables),
    onDatabase: (work) => platform.onDatabase(work),
    install: async (app, folder) => {
      const { name } = app.manifest;
      await platform.register(app);
      await publishApp(platform, name, folder);
      await platform.client().marketplace.installApp({ name });
      await untilState(platform, name, "RUNNING", 60_000);
    },
    secretsOf: async (appName) =>
      deploymentSecrets(appProcess(platform, appName)?.environment ?? [], await identityFilesOf(platform, undefined, appName)),
    places: async () => ({
      ...(await filesBelow(platform.dataDir)),
      ...named("table", await platform.onDatabase(dumpTables)),
      printed: platform.printed,
      metrics: await (await fetch(`${platform.httpUrl}/metrics`)).text(),
    }),
    isOwn: (place, appName) => new RegExp(`^container app-${appName}(-g\\d+)? `).test(place),
    // Lines are in the broker for a minute, on their way to the reader.
    isOutput: (place) => place.startsWith("table broker."),
    stop: () => platform.stop(),
  };
}

/** The files of the data folder, except those of PostgreSQL. What the driver keeps of a container has the container's name. */
async function filesBelow(dataDir: string): Promise<SearchedTexts> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("postgres"))
    .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)));
  const contents = new Map<string, Buffer>();
  // A file may have been replaced since the folder was read.
  for (const path of paths) contents.set(path, await readFile(join(dataDir, path)).catch(() => Buffer.alloc(0)));
  const names = new Map(
    [...contents].flatMap(([path, bytes]) => {
      const [, name = ""] = /^processes\/(app-[^/]+)\.json$/.exec(path) ?? [];
      return name === "" || bytes.length === 0 ? [] : [[(JSON.parse(bytes.toString()) as { id: string }).id, name] as const];
    }),
  );
  const ownerOf = (path: string): string | undefined => {
    const [, name, id] = /^processes\/(?:(app-[^/]+?)(?:\.err)?\.(?:json|log|lock)|identities\/([^/]+)\/)/.exec(path) ?? [];
    return name ?? names.get(id ?? "");
  };
  return Object.fromEntries(
    [...contents].map(([path, bytes]) => {
      const owner = ownerOf(path);
      return [owner === undefined ? `file ${path}` : `container ${owner} ${path}`, bytes];
    }),
  );
}

function named<T>(kind: string, places: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(places).map(([name, place]) => [`${kind} ${name}`, place]));
}

deploymentCanarySuite("the development platform", start, process.platform === "linux" ? undefined : "needs /proc");
