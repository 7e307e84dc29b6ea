import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createTestDatabase, send, startTestPostgres, uniqueName, until } from "@appserver/testing/kit";
import { AppserverProcess, isReady } from "../kit/appserver-process.ts";
import { appserver } from "../kit/production-process.ts";
import { quietPort } from "../kit/quiet-port.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");

interface Served {
  readonly greeting: string;
  readonly version: string;
  readonly pid: number;
  readonly files: readonly string[];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** `serve` and `orchestrate` on one PostgreSQL, with apps as processes. `appctl` shares nothing with them but the HTTP and gRPC ports. */
describe("appctl deploy to a platform that runs apps as processes", () => {
  const ends = new AsyncDisposableStack();
  const name = uniqueName("org.example.folders");
  let parent = "";
  let folder = "";
  let httpUrl = "";
  let environment: Record<string, string>;
  let orchestrator: AppserverProcess;
  /** Of the processes that served. */
  const pids = new Set<number>();

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-folders-"));
    ends.defer(() => rm(parent, { recursive: true, force: true }));
    const postgres = await startTestPostgres();
    ends.defer(() => postgres.stop());
    const database = await createTestDatabase(postgres);
    ends.defer(() => database.stop());
    const [http, grpc] = [await quietPort(), await quietPort()];
    httpUrl = `http://127.0.0.1:${http}`;
    const { host, port, user, password, database: databaseName } = database.connection;
    const platform = {
      ...{ APPSERVER_DB_HOST: host, APPSERVER_DB_PORT: `${port}`, APPSERVER_DB_USER: user },
      ...{ APPSERVER_DB_PASSWORD: password, APPSERVER_DB_NAME: databaseName },
      APPSERVER_SETTINGS_ENCRYPTION_KEY: randomBytes(32).toString("hex"),
      APPSERVER_BROKER_DRIVER: "postgres",
      APPSERVER_CONTAINERS_DRIVER: "process",
      APPSERVER_REGISTRY_ADDRESS: `127.0.0.1:${http}`,
      APPSERVER_APPS_SETTLE_TIME: "100ms",
    };
    const server = {
      ...platform,
      ...{ APPSERVER_BIND_ADDRESS: "127.0.0.1", APPSERVER_HTTP_PORT: `${http}`, APPSERVER_GRPC_PORT: `${grpc}` },
      ...{ APPSERVER_AUTHORIZATION_DRIVER: "embedded", APPSERVER_CACHE_DRIVER: "memory", APPSERVER_WORKERS: "1" },
      ...{ APPSERVER_IDENTITY_DRIVER: "accounts", APPSERVER_GRAPHQL_AUTH: "off", APPSERVER_REGISTRATION: "open" },
      APPSERVER_REGISTRY_FOLDER: join(parent, "images"),
    };
    const serve = start(["serve"], server);
    orchestrator = start(["orchestrate"], {
      ...platform,
      ...{ APPSERVER_EVENTBUS_ENABLED: "true", APPSERVER_CONTAINERS_ENABLED: "true" },
      ...{ APPSERVER_CONTAINERS_ISOLATION: "shared", APPSERVER_PROCESSES_FOLDER: join(parent, "processes") },
      ...{ APPSERVER_HTTP_URL: httpUrl, APPSERVER_GRPC_ADDRESS: `127.0.0.1:${grpc}` },
      APPSERVER_GRAPHQL_HTTP: `${httpUrl}/graphql`,
    });
    // The server waits for it.
    await appserver(["authz", "bootstrap"], server);
    await serve.until(() => isReady(httpUrl));
    await orchestrator.until(() => orchestrator.printed.includes("orchestrator: started"));
    environment = {
      PATH: dirname(process.execPath),
      APPSERVER_HTTP_URL: httpUrl,
      APPSERVER_GRPC_URL: `http://127.0.0.1:${grpc}`,
    };
    const permissions = ["app:register", "app:install", "app:uninstall", "app:view"].flatMap((each) => ["--permission", each]);
    const created = await ctl("--json", "service-accounts", "create", "deploys", ...permissions);
    environment["APPSERVER_TOKEN"] = (JSON.parse(created.stdout) as { secret: string }).secret;
    folder = join(parent, "app");
    await writeApp("1.0.0");
    await ctl("keys", "generate", folder, "--name", name);
    // Apps outlive their orchestrator, and an uninstallation does not wait until it has ended them.
    ends.defer(async () => {
      await ctl("uninstall", name);
      await until("the app has ended", () => [...pids].every((pid) => !isRunning(pid)));
    });
  });
  after(() => ends.disposeAsync());

  function start(args: readonly string[], variables: Readonly<Record<string, string>>): AppserverProcess {
    const started = new AppserverProcess(args, { environment: { PATH: process.env["PATH"] ?? "", ...variables } });
    ends.defer(() => started.kill());
    started.start();
    return started;
  }

  const ctl = (...args: string[]) => run(process.execPath, [appctl, ...args], { cwd: parent, env: environment });

  /** An app with a package that it needs, and one for development only. */
  async function writeApp(version: string): Promise<void> {
    const files: Readonly<Record<string, string>> = {
      "app.yaml": `name: ${name}
display_name: Folders
version: ${version}
web_app:
  api:
    base_path: /api/apps/${name}
    upstream_base_url: http://app-${name}:3000
    health_check: { path: /, interval_seconds: 5 }
    routes:
      - { pattern: "/", methods: [GET], is_public: true }
`,
      "package.json": JSON.stringify({ type: "module", main: "src/server.js", dependencies: { greeting: "1.0.0" } }),
      "src/server.js": `import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { greeting } from "greeting";
const body = JSON.stringify({ greeting, version: "${version}", pid: process.pid, files: readdirSync(".", { recursive: true }).sort() });
createServer((_request, response) => response.end(body)).listen(Number(process.env.PORT), process.env.HOST);
`,
      "node_modules/greeting/package.json": '{ "name": "greeting", "type": "module", "exports": "./index.js" }',
      "node_modules/greeting/index.js": 'export const greeting = "hello";',
      "node_modules/tool/cli.js": "",
      "node_modules/.package-lock.json": JSON.stringify({
        packages: { "node_modules/greeting": {}, "node_modules/tool": { dev: true } },
      }),
      ".env": "SECRET=1",
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
    await symlink("../tool/cli.js", join(folder, "node_modules/.bin/tool")).catch(() => {});
  }

  async function served(): Promise<Served> {
    const found = JSON.parse((await send(httpUrl, `/api/apps/${name}/`)).text) as Served;
    pids.add(found.pid);
    return found;
  }

  const digests = async (): Promise<readonly string[]> =>
    (await readdir(join(parent, "processes/snapshots"), { recursive: true })).filter((path) => /\/[0-9a-f]{64}$/.test(path));

  test("the folder is pushed over HTTP without Docker, pulled by its digest, and serves behind the proxy", async () => {
    const { stdout } = await ctl("--json", "deploy", folder);
    assert.equal((JSON.parse(stdout) as { version: string }).version, "1.0.0");
    const app = await served();
    assert.deepEqual([app.greeting, app.version], ["hello", "1.0.0"]);
    assert.deepEqual(
      app.files.filter((file) => /tool|\.env|pem$/.test(file)),
      [],
      "neither secrets nor packages for development",
    );
    assert.equal((await digests()).length, 1);
    assert.match(orchestrator.log, /containers\.driver is process: .* without isolation/);
  });

  test("a second version replaces the first, which is taken into use again by a rollback", async () => {
    await writeApp("1.1.0");
    await ctl("--json", "deploy", folder);
    assert.equal((await served()).version, "1.1.0");
    assert.equal((await digests()).length, 2);
    await orchestrator.stop();
    assert.equal((await served()).version, "1.1.0", "apps run on without the orchestrator");
    orchestrator.start();
    await orchestrator.until(() => orchestrator.printed.includes("orchestrator: started"));
    await ctl("rollback", name);
    assert.equal((await served()).version, "1.0.0");
  });
});
