import { createInstance } from "@module-federation/runtime";
import * as react from "react";
import * as reactDom from "react-dom";
import * as reactDomClient from "react-dom/client";
import type { PageModule } from "./page-module.ts";

const { version } = react;
const shareConfig = { singleton: true, requiredVersion: `^${version.split(".", 1)[0]}.0.0` };
const shared = {
  react: { version, lib: () => react, shareConfig },
  "react-dom": { version, lib: () => reactDom, shareConfig },
  "react-dom/client": { version, lib: () => reactDomClient, shareConfig },
};

/** All pages share one React. */
const host = createInstance({ name: "appserver_console", remotes: [], shared });

/** Loads the exposed module of a remote. Each release is a remote of its own. */
export async function loadExposed({ name, url, exposedModule }: PageModule): Promise<unknown> {
  const entry = new URL(url, location.href).href;
  const remote = `${name}@${entry}`.replaceAll(/[^a-zA-Z0-9]+/g, "_");
  await requireContainer(entry);
  host.registerRemotes([{ name: remote, entry, type: "module" }]);
  const exposed = (exposedModule ?? ".").replace(/^\.\//, "");
  return await host.loadRemote(`${remote}/${exposed}`);
}

/** The message of the runtime says nothing of what the developer could write. The browser evaluates the script once. */
async function requireContainer(entry: string): Promise<void> {
  const { init, get } = (await import(/* @vite-ignore */ entry)) as { readonly init?: unknown; readonly get?: unknown };
  if (typeof init === "function" && typeof get === "function") return;
  throw new Error(
    'its remote is not an ES module. Build it with library: { type: "module" } in ModuleFederationPlugin, and experiments: { outputModule: true }',
  );
}
