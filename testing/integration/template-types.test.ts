import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { buildPackage, packages } from "@appserver/builds/package";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../..");
const compiler = join(repository, "node_modules/typescript-native/bin/tsc");
const appctl = join(repository, "bin/appctl.mjs");
/** What the template in TypeScript installs, from the packages of the repository. */
const installed = [
  ...["@module-federation/vite", "@types/node", "@types/pg", "@types/react", "@types/react-dom"],
  ...["@vitejs/plugin-react", "pg", "react", "react-dom", "vite"],
];

/** New apps next to an installed package of the SDK, as outside of the repository. */
describe("types of new apps", () => {
  const ends = new AsyncDisposableStack();
  let parent = "";
  let env: Readonly<Record<string, string | undefined>>;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-templates-"));
    ends.defer(() => rm(parent, { recursive: true, force: true }));
    const sdkPackage = packages.find((each) => each.folder === "sdk") ?? assert.fail();
    const { folder, file, path } = sdkPackage;
    await buildPackage(join(repository, folder), sdkPackage);
    const sdk = join(repository, folder, "dist", file);
    const target = join(parent, "node_modules/@appserver/sdk");
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", sdk, "-C", target, "--strip-components=1"]);
    for (const name of installed) {
      await mkdir(dirname(join(parent, "node_modules", name)), { recursive: true });
      await symlink(join(repository, "node_modules", name), join(parent, "node_modules", name));
    }
    // What `create` asks of a platform.
    const platform = createServer(({ url }, response) => {
      if (url === `${path}/${file}`) createReadStream(sdk).pipe(response);
      else response.end("{}");
    }).listen(0, "127.0.0.1");
    ends.defer(() => void platform.close());
    await once(platform, "listening");
    const { port } = platform.address() as AddressInfo;
    env = { ...process.env, NODE_TEST_CONTEXT: undefined, APPSERVER_HTTP_URL: `http://127.0.0.1:${port}` };
  });
  after(() => ends.disposeAsync());

  async function create(template: string): Promise<string> {
    await run(process.execPath, [appctl, "create", template, "--template", template, "--no-install"], { cwd: parent, env });
    return join(parent, template);
  }

  async function check(folder: string, args: readonly string[]): Promise<void> {
    const options = ["--strict", "--noEmit", ...args];
    await run(process.execPath, [compiler, ...options], { cwd: folder }).catch(({ stdout }: { stdout: string }) =>
      assert.fail(stdout),
    );
  }

  test("the template in TypeScript passes the compiler and its own test", async () => {
    const folder = await create("typescript");
    await check(folder, []);
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", "src"], { cwd: folder, env });
    assert.match(stdout, /^# pass 2$/m);
  });

  test("the backends of both tutorials pass the compiler as strict JavaScript", async () => {
    const folder = await create("esm");
    const strict = [
      "--allowJs",
      "--checkJs",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--skipLibCheck",
      "--types",
      "node",
    ];
    await check(folder, [...strict, "src/server.js"]);
    const tutorial = await readFile(join(repository, "docs/tutorials/hooks-and-activities.md"), "utf8");
    const [, backend] = /^cat > \.\.\/hello\/src\/server\.js <<'EOM'\n([\s\S]*?)^EOM$/m.exec(tutorial) ?? [];
    await writeFile(join(folder, "src/server.js"), backend ?? assert.fail("the tutorial has no src/server.js"));
    await check(folder, [...strict, "src/server.js"]);
  });
});
