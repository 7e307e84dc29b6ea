import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const file = resolve(import.meta.dirname, "../../../../apps/console/web/router.tsx");

/** Returns the paths of all routes of the console's router that show a page, such as `/console/apps/$name/settings`. */
export function consoleRoutes(): readonly string[] {
  const source = readFileSync(file, "utf8");
  const shape = /(?:const (\w+) = )?createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(path|id): "([^"]*)"/g;
  const routes = [...source.matchAll(shape)].map(([, name, parent = "", kind, part = ""]) => ({
    ...{ name, parent },
    part: kind === "path" ? part.replace(/^\/|\/$/g, "") : "",
  }));
  // A route that is written in another way would not be found.
  assert.equal(routes.length, source.match(/createRoute\(/g)?.length);
  const pathOf = ({ parent, part }: { readonly parent: string; readonly part: string }): string => {
    const above = routes.find(({ name }) => name === parent);
    return `${above ? pathOf(above) : ""}${part && `/${part}`}`;
  };
  return [...new Set(routes.map((route) => pathOf(route) || "/"))].sort();
}
