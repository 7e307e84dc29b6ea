import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@appserver/kernel";
import type { RecordedCalls } from "./recorded-calls.ts";
import type { AgentCall } from "./tool.ts";
import { fenced } from "./tool-results.ts";

/** Where the built pages of the documentation are. */
export type DocsFolder = () => Promise<string>;

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

export interface ReadResource {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** What a client can read of an app or a request, with the permission of the tool that has it. */
export const resourceTemplates = [
  {
    uriTemplate: "appserver://apps/{name}/logs",
    name: "Log of an app",
    description: "The last lines that an app has printed",
    mimeType: "text/plain",
  },
  {
    uriTemplate: "appserver://traces/{id}",
    name: "Trace of a request",
    description: "A request with all that it caused, by its request id or trace id",
    mimeType: "text/plain",
  },
] as const;

/** A resource by its address, as a call of a tool. */
const toolResources = [
  { uri: /^appserver:\/\/apps\/([^/?#]+)\/logs$/, tool: "appLogs" },
  { uri: /^appserver:\/\/traces\/([^/?#]+)$/, tool: "trace" },
] as const;
const docUri = /^appserver:\/\/docs\/([a-z0-9_-]+(?:\/[a-z0-9_-]+)*)$/;

/** Returns the pages of the documentation, which are public. */
export async function listDocs(folder: DocsFolder | undefined): Promise<readonly ListedResource[]> {
  if (!folder) return [];
  const list = await readFile(join(await folder(), "llms.txt"), "utf8");
  return [...list.matchAll(/^- \[(.+)\]\(\/docs\/(.+)\.md\)$/gm)].map(([, name = "", path = ""]) => ({
    uri: `appserver://docs/${path}`,
    name,
    mimeType: "text/markdown",
  }));
}

/** Reads a resource. Rejects with NOT_FOUND if there is none, and as the tool that has it. */
export async function readResource(
  uri: string,
  { calls, docs, call }: { readonly calls: RecordedCalls; readonly docs: DocsFolder | undefined; readonly call: AgentCall },
): Promise<ReadResource> {
  for (const { uri: pattern, tool } of toolResources) {
    const [, written] = pattern.exec(uri) ?? [];
    if (written === undefined) continue;
    const id = decoded(written);
    if (id === undefined) break;
    const [content] = (await calls.call(tool, { id }, call)).content;
    return { uri, mimeType: "text/plain", text: content?.text ?? fenced("") };
  }
  const [, page] = docUri.exec(uri) ?? [];
  const text = page === undefined || !docs ? undefined : await markdownOf(await docs(), page);
  if (text === undefined) throw new AppError("NOT_FOUND", `there is no resource ${JSON.stringify(uri.slice(0, 200))}`);
  return { uri, mimeType: "text/markdown", text };
}

/** Undefined if the percent-encoding is invalid. */
function decoded(written: string): string | undefined {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

async function markdownOf(folder: string, page: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, `${page}.md`), "utf8");
  } catch {
    return undefined;
  }
}
