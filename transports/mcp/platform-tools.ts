import { createHash } from "node:crypto";
import {
  AppError,
  actorOf,
  agentOf,
  appBoundsOf,
  type BatchedPermissions,
  type Call,
  type Caller,
  onOwnApp,
  requirePermission,
} from "@appserver/kernel";
import { isRecord } from "./is-record.ts";
import { confirmArgument, type OperationTool, type ToolDefinition } from "./operation-tool.ts";
import { dataResult, jsonResult, type ToolResult } from "./tool-results.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a call did. A change that leaves no entry in the audit log is `done`. */
export type Effect = "done" | "planned" | "changed";

export interface ToolOutcome {
  readonly result: ToolResult;
  readonly effect: Effect;
}

/** How many tools a search returns at most. */
const maxFound = 10;

/** Characters of a search: each word is looked for in each tool. */
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

/** The verbs of the platform as tools: lists, searches and calls them as a caller. */
export class PlatformTools {
  readonly #tools: ReadonlyMap<string, OperationTool>;
  readonly #permissions: BatchedPermissions;

  constructor(tools: readonly OperationTool[], permissions: BatchedPermissions) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#permissions = permissions;
  }

  /** Returns the listed tools that the caller may call, at most 20. */
  async list(caller: Caller): Promise<readonly ToolDefinition[]> {
    const listed = (await this.#allowed(caller)).filter(({ tool }) => tool.isListed);
    return [...listed.map(({ definition }) => definition), searchTool, callTool];
  }

  /**
   * Calls a tool. Rejects with NOT_FOUND if there is none of this name, PERMISSION_DENIED, INVALID_REQUEST for other arguments than its own, and
   * with the error of the use case. A change without its confirmation returns the plan.
   */
  async call(name: string, input: Values, call: Call): Promise<ToolOutcome> {
    if (name === searchTool.name)
      return { result: dataResult(await this.#search(textOf(input, "query"), call.caller)), effect: "done" };
    if (name === callTool.name) return this.#operate(textOf(input, "name"), objectOf(input["arguments"]), call);
    return this.#operate(name, input, call);
  }

  /** Returns the name of the tool that a call is about, "unknown" if there is none, and what it names as an app. */
  aboutOf(name: string, input: Values): { readonly tool: string; readonly app?: string | undefined } {
    const isIndirect = name === callTool.name;
    const called = isIndirect ? input["name"] : name;
    if (called === searchTool.name) return { tool: searchTool.name };
    const tool = typeof called === "string" ? this.#tools.get(called) : undefined;
    if (!tool) return { tool: "unknown" };
    const own = isIndirect ? input["arguments"] : input;
    return { tool: tool.name, app: isRecord(own) ? tool.namedApp(own) : undefined };
  }

  async #operate(name: string, input: Values, call: Call): Promise<ToolOutcome> {
    const tool = this.#tools.get(name);
    if (!tool) throw new AppError("NOT_FOUND", `there is no tool ${JSON.stringify(name.slice(0, 100))}`);
    // A plan would else promise what the caller may not do.
    if (tool.changes && isReadOnly(call.caller))
      throw new AppError("PERMISSION_DENIED", `${tool.name} changes something, and this agent may only read`);
    if (tool.permission)
      await requirePermission(this.#permissions, { caller: onOwnApp(call.caller) }, tool.permission.permission);
    const { [confirmArgument]: confirm, ...others } = input;
    const own = tool.changes ? others : input;
    await tool.check(own);
    if (tool.changes) return this.#change(tool, own, { confirm, call });
    return { result: jsonResult(await tool.run(own, call)), effect: "done" };
  }

  async #change(
    tool: OperationTool,
    input: Values,
    { confirm, call }: { readonly confirm: unknown; readonly call: Call },
  ): Promise<ToolOutcome> {
    const plan = await this.#planOf(tool, input, call);
    const digest = digestOf([tool.name, input, actorOf(call.caller), plan?.digest]);
    if (confirm === digest) {
      const result = jsonResult(await tool.run(input, call, plan?.digest));
      return { result, effect: tool.tool.isUnaudited ? "done" : "changed" };
    }
    if (confirm !== undefined)
      throw new AppError("CONFLICT", "the plan or the arguments have changed: call again without confirm for the plan of now");
    const { about, effect } = tool.tool;
    const result = dataResult({
      nothingChangedYet: true,
      plan: { tool: tool.name, about, canBeUndone: effect !== "destroy", ...(plan ? { details: plan.value } : {}) },
      [confirmArgument]: digest,
    });
    return { result, effect: "planned" };
  }

  /** Returns the plan of the operation, if it has one. */
  async #planOf(
    { tool }: OperationTool,
    input: Values,
    call: Call,
  ): Promise<{ readonly value: unknown; readonly digest: string } | undefined> {
    const planner = tool.plan && this.#tools.get(tool.plan);
    if (!planner) return undefined;
    const value = JSON.parse(await planner.run(planner.ownOf(input), call)) as Values;
    return { value, digest: textOf(value, "digest") };
  }

  async #search(query: string, caller: Caller): Promise<readonly object[]> {
    if (query.length > maxQueryLength)
      throw invalid("query", `must have at most ${maxQueryLength} characters, and has ${query.length}`);
    const words = query.toLowerCase().split(/\W+/).filter(Boolean);
    const scored = (await this.#allowed(caller))
      .map(({ definition }) => ({ definition, score: scoreOf(`${definition.name} ${definition.description}`, words) }))
      .filter(({ score }) => score > 0);
    scored.sort((one, other) => other.score - one.score);
    return scored.slice(0, maxFound).map(({ definition }) => definition);
  }

  async #allowed(caller: Caller): Promise<readonly OperationTool[]> {
    const tools = [...this.#tools.values()];
    const needed = tools.flatMap(({ permission }) => (permission ? [permission] : []));
    const names = [...new Set(needed.map(({ permission }) => permission))];
    const decisions = await this.#permissions.allowedEach(
      onOwnApp(caller),
      names.map((permission) => ({ permission })),
    );
    const held = new Set(names.filter((_, index) => decisions[index]));
    return tools.filter(
      (tool) =>
        (tool.permission === undefined || held.has(tool.permission.permission)) &&
        !(tool.changes && isReadOnly(caller)) &&
        (appBoundsOf(caller) === undefined || tool.isOfBound),
    );
  }
}

function isReadOnly(caller: Caller): boolean {
  return agentOf(caller)?.isReadOnly === true;
}

function scoreOf(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  return words.filter((word) => lower.includes(word)).length;
}

/** Equal values give equal digests, in whatever order a client writes their names. */
function digestOf(value: unknown): string {
  const ordered = JSON.stringify(value, (_, each: unknown) => (isRecord(each) ? Object.fromEntries(entriesOf(each)) : each));
  return createHash("sha256").update(ordered).digest("hex").slice(0, 32);
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function textOf(input: Values, name: string): string {
  const value = input[name];
  if (typeof value === "string") return value;
  throw invalid(name, "must be a text");
}

function objectOf(value: unknown): Values {
  if (value === undefined || isRecord(value)) return value ?? {};
  throw invalid("arguments", "must be an object");
}

function invalid(name: string, message: string): AppError {
  const field = `arguments.${name}`;
  return new AppError("INVALID_REQUEST", `${field} ${message}`, { violations: [{ field, message }] });
}
