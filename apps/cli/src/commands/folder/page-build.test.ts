import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { isBuiltByVite, PageBuild } from "./page-build.ts";

const repository = resolve(import.meta.dirname, "../../../../..");
const folder = mkdtempSync(join(tmpdir(), "appctl-page-"));
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const script = (build: string): void => write("package.json", JSON.stringify({ type: "module", scripts: { build } }));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a page that vite builds is built again at each change of a source; a mistake is reported with its line", async () => {
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  script("vite build --logLevel warn");
  write("dist/of-an-earlier-time.js", "");
  write("web/page.js", 'document.title = = "none";\n');
  write(
    "vite.config.js",
    `export default {
  root: "web",
  build: { outDir: "../dist", rolldownOptions: { input: ["web/page.js"], output: { entryFileNames: "page-[hash].js" } } },
};
`,
  );
  assert.equal(isBuiltByVite(folder), true);
  const happened: string[] = [];
  let notify = (): void => {};
  const add = (what: string): void => {
    happened.push(what);
    notify();
  };
  const next = async (): Promise<string> => {
    while (happened.length === 0) await new Promise<void>((done) => (notify = done));
    return happened.shift() ?? "";
  };
  const page = new PageBuild(folder, {
    isVerbose: false,
    onBuilt: () => add("built"),
    onProblem: ({ message }) => add(message),
  });
  try {
    await assert.rejects(page.ready(), /^Error: web\/page\.js:1:18: Unexpected token/);
    write("web/page.js", 'document.title = "one";\n');
    assert.equal(await next(), "built");
    await page.ready();
    const built = (): string =>
      readdirSync(join(folder, "dist"))
        .map((name) => readFileSync(join(folder, "dist", name), "utf8"))
        .join();
    assert.equal(readdirSync(join(folder, "dist")).length, 1, "what was there before is removed");
    assert.match(built(), /one/);

    write("web/page.js", 'document.title = "one";\ndocument.title = = "two";\n');
    assert.equal(await next(), 'web/page.js:2:18: Unexpected token\n  document.title = = "two";\n                   ^');
    assert.match(built(), /one/, "the last page stays");

    write("web/page.js", 'document.title = "two";\n');
    assert.equal(await next(), "built");
    assert.equal(readdirSync(join(folder, "dist")).length, 1, "the file of the earlier page is removed");
    assert.match(built(), /two/);
  } finally {
    page.stop();
  }
});

test("a script that does more than vite build decides by itself", () => {
  for (const build of ["tsc && vite build", "vite build --ssr src/entry.js", "node build.js"]) {
    script(build);
    assert.equal(isBuiltByVite(folder), false, build);
  }
});
