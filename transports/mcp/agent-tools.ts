import { AppError, type Caller } from "@appserver/kernel";
import { withinBounds } from "./agent-bounds.ts";
import type { AppTools } from "./app-tools.ts";
import { isRecord } from "./is-record.ts";
import type { PlatformTools } from "./platform-tools.ts";
import { searchWords } from "./search-words.ts";
import {
  type AgentCall,
  confirmArgument,
  invalidArgument,
  type Tool,
  type ToolDefinition,
  type ToolOutcome,
  type Values,
} from "./tool.ts";
import { dataResult } from "./tool-results.ts";
import { inTwoSteps } from "./two-steps.ts";

/** How many tools the list has at most. */
const maxListed = 20;

/** How many tools a search returns at most. */
const maxFound = 10;

/** Characters of a search. */
const maxQueryLength = 200;

const searchTool: ToolDefinition = {
  name: "search_tools",
  description:
    "Finds tools that are not in the list, by words of what they do, with the arguments that call_tool passes to them.",
  inputSchema: {
    type: "object",
    required: ["query"],
    properties: { query: { type: "string", maxLength: maxQueryLength, description: "Words, such as: snapshot of an app" } },
  },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
};

const callTool: ToolDefinition = {
  name: "call_tool",
  description: "Calls a tool that search_tools has found.",
  inputSchema: {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, arguments: { type: "object" } },
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

/** All tools: the verbs of the platform and the routes of apps. Lists, searches and calls them as a caller. */
export class AgentTools {
  readonly #platform: PlatformTools;
  readonly #apps: AppTools;

  constructor(platform: PlatformTools, apps: AppTools) {
    this.#platform = platform;
    this.#apps = apps;
  }

  /** Returns the tools of the platform that the caller usually needs and may call, then routes of apps: at most 20. */
  async list(caller: Caller): Promise<readonly ToolDefinition[]> {
    const platform = await this.#platform.listed(caller);
    const apps = await this.#apps.listed(caller, maxListed - 2 - platform.length);
    return [...[...platform, ...apps].map(({ definition }) => definition), searchTool, callTool];
  }

  /**
   * Calls a tool. Rejects with NOT_FOUND if there is none of this name, PERMISSION_DENIED, INVALID_REQUEST for other arguments than its own, and
   * with the error of the use case or the proxy. A change without its confirmation returns the plan.
   */
  async call(name: string, input: Values, call: AgentCall): Promise<ToolOutcome> {
    if (name === searchTool.name)
      return { result: dataResult(await this.#search(textOf(input, "query"), call.caller)), effect: "done" };
    if (name === callTool.name) return this.#operate(textOf(input, "name"), objectOf(input["arguments"]), call);
    return this.#operate(name, input, call);
  }

  /** Returns the name of the tool that a call was about, "unknown" if there is none, and what it names as an app. */
  aboutOf(name: string, input: Values): { readonly tool: string; readonly app?: string | undefined } {
    const isIndirect = name === callTool.name;
    const called = isIndirect ? input["name"] : name;
    if (called === searchTool.name) return { tool: searchTool.name };
    const tool: Tool | undefined =
      typeof called === "string" ? (this.#platform.find(called) ?? this.#apps.known(called)) : undefined;
    if (!tool) return { tool: "unknown" };
    const own = isIndirect ? input["arguments"] : input;
    return { tool: tool.name, app: tool.namedApp(isRecord(own) ? own : {}) };
  }

  async #operate(name: string, input: Values, call: AgentCall): Promise<ToolOutcome> {
    const tool: Tool | undefined = this.#platform.find(name) ?? (await this.#apps.find(name));
    if (!tool) throw new AppError("NOT_FOUND", `there is no tool ${JSON.stringify(name.slice(0, 100))}`);
    const { [confirmArgument]: confirm, ...others } = input;
    const own = tool.effect === "read" ? input : others;
    const bound = await withinBounds(tool, own, call);
    await tool.admit(own, bound);
    if (tool.effect !== "read") return inTwoSteps(tool, own, confirm, bound);
    return { result: await tool.run(own, bound), effect: "done" };
  }

  /** Each kind of tools has half of the places, if both have so many: texts of apps must not hide the platform. */
  async #search(query: string, caller: Caller): Promise<readonly object[]> {
    if (query.length > maxQueryLength)
      throw invalidArgument("query", `must have at most ${maxQueryLength} characters, and has ${query.length}`);
    const words = searchWords(query);
    const ofPlatform = await this.#platform.search(words, caller);
    const ofApps = await this.#apps.search(words, caller, maxFound);
    const fromPlatform = Math.max(maxFound / 2, maxFound - ofApps.length);
    const found = [...ofPlatform.slice(0, fromPlatform), ...ofApps].slice(0, maxFound);
    return found.toSorted((one, other) => other.score - one.score).map(({ tool }) => tool.definition);
  }
}

function textOf(input: Values, name: string): string {
  const value = input[name];
  if (typeof value === "string") return value;
  throw invalidArgument(name, "must be a text");
}

function objectOf(value: unknown): Values {
  if (value === undefined || isRecord(value)) return value ?? {};
  throw invalidArgument("arguments", "must be an object");
}
