import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import test from "node:test";

const web = resolve(import.meta.dirname, "../web");
const mantine = dirname(createRequire(import.meta.url).resolve("@mantine/core/styles.css"));

test("each component of Mantine that the console uses brings its styles", () => {
  const styles = readFileSync(join(web, "mantine.css"), "utf8");
  const sources = globSync("**/*.{ts,tsx}", { cwd: web }).map((file) => readFileSync(join(web, file), "utf8"));
  const imports = sources.flatMap((source) => [...source.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)]);
  const used = new Set(imports.flatMap(([, names = ""]) => names.match(/\b[A-Z]\w+/g) ?? []));
  assert.ok(used.has("AppShell"));
  const styled = [...used].filter((name) => existsSync(join(mantine, `styles/${name}.css`)));
  for (const name of styled) assert.ok(styles.includes(`/styles/${name}.css"`), `web/mantine.css lacks the styles of ${name}`);
});
