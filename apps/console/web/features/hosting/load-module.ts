import { elementName, type MountPage, type PageContext, type PageElement } from "@appserver/sdk/page";
import type { PageModule } from "./page-module.ts";
import { scriptHashes } from "./script-hashes.ts";
import { importMapText } from "./trusted-types.ts";

/** Loads the page of an app and shows it in the element. Returns a function that removes it. Rejects with what went wrong. */
export async function mountModule(module: PageModule, element: HTMLElement, page: PageContext): Promise<() => void> {
  if (!module.scripts.some(({ url }) => url === module.url))
    throw new Error(`its entry is not a script, and the console shows scripts only; see ${module.url}`);
  holdToHashes(module.scripts, page.nonce);
  if (module.mode === "WEB_COMPONENT") return await mountElement(module, element, page);
  const mount = mountOf(module.mode === "FEDERATION" ? await loadRemote(module) : await importModule(module.url));
  return mount(element, page) ?? (() => {});
}

/** From here on the browser runs these scripts only if their bytes have these hashes, also if another script imports them. */
function holdToHashes(scripts: PageModule["scripts"], nonce: string): void {
  const map = document.createElement("script");
  map.type = "importmap";
  map.nonce = nonce;
  map.textContent = importMapText({ integrity: scriptHashes(scripts) });
  document.head.append(map);
  map.remove();
}

async function importModule(url: string): Promise<unknown> {
  return import(/* @vite-ignore */ new URL(url, location.href).href);
}

async function loadRemote(module: PageModule): Promise<unknown> {
  const { loadExposed } = await import("./federation.ts");
  return loadExposed(module);
}

function mountOf(loaded: unknown): MountPage {
  const { mount } = (loaded ?? {}) as { readonly mount?: unknown };
  if (typeof mount !== "function") throw new Error("its script exports no function `mount`");
  return mount as MountPage;
}

async function mountElement({ name, url }: PageModule, element: HTMLElement, page: PageContext): Promise<() => void> {
  await importModule(url);
  const tag = elementName(name);
  if (!customElements.get(tag)) throw new Error(`its script defines no custom element <${tag}>`);
  const content = document.createElement(tag) as PageElement;
  content.page = page;
  element.append(content);
  return () => content.remove();
}
