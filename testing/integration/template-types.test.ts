import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { buildPackage, packages } from "@appserver/builds/package";
import { copyTemplate, type Template } from "../../apps/cli/src/templates.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../..");
const compiler = join(repository, "node_modules/typescript-native/bin/tsc");
const values = {
  ...{ NAME: "com.example.hello", TITLE: "Hello", ROUTE: "hello", RESOURCE: "hello", MODULE: "com_example_hello" },
  ...{ ELEMENT: "com-example-hello", MAIN: "src/server.ts", SDK: "appserver-sdk.tgz", SCHEMA: "#" },
};
/** What the template in TypeScript installs, from the packages of the repository. */
const installed = [
  ...["@module-federation/vite", "@types/node", "@types/pg", "@types/react", "@types/react-dom"],
  ...["@vitejs/plugin-react", "pg", "react", "react-dom", "vite"],
];

/** New apps next to an installed package of the SDK, as outside of the repository. */
describe("types of new apps", () => {
  let parent: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-templates-"));
    const sdk = packages.find(({ file }) => file === "appserver-sdk.tgz") ?? assert.fail();
    await buildPackage(join(repository, sdk.folder), sdk);
    const target = join(parent, "node_modules/@appserver/sdk");
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", join(repository, sdk.folder, "dist", sdk.file), "-C", target, "--strip-components=1"]);
    for (const name of installed) {
      await mkdir(dirname(join(parent, "node_modules", name)), { recursive: true });
      await symlink(join(repository, "node_modules", name), join(parent, "node_modules", name));
    }
  });
  after(() => rm(parent, { recursive: true, force: true }));

  async function create(template: Template): Promise<string> {
    const folder = join(parent, template);
    await copyTemplate(template, folder, values);
    return folder;
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
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
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
