import { type PlatformTool, platformOperations, platformTools, toolsWithoutApp } from "@appserver/contracts/operations";
import {
  AppError,
  type Call,
  type OwnedPermission,
  type Permissions,
  type RestCall,
  type RestReply,
  type RestRoute,
  requirePermission,
} from "@appserver/kernel";
import { schemaCheck } from "../rest/check-schema.ts";
import {
  type AgentCall,
  confirmArgument,
  confirmSchema,
  howToConfirm,
  type ObjectSchema,
  type Tool,
  type ToolDefinition,
  type ToolEffect,
  type ToolPlan,
  type Values,
} from "./tool.ts";
import { jsonResult, type ToolResult } from "./tool-results.ts";

type Part = "params" | "query" | "body";

/** What tools of operations need. */
export interface OperationToolDeps {
  readonly permissions: Permissions;
  /** Returns the name of the app with this id, undefined if there is none. */
  readonly nameOf: (appId: string) => Promise<string | undefined>;
}

/** How the routes of one app begin. */
const urlOfApp = "/api/v2/apps/:id";

/** An operation as a tool (docs/interface/mcp.md#tools). */
export class OperationTool implements Tool {
  readonly name: string;
  readonly tool: PlatformTool;
  /** What callers need for it, undefined if that is not a permission of the platform. */
  readonly permission: OwnedPermission | undefined;
  /** The argument that names the app on which it acts, by its name or its id. Undefined if it acts on none. */
  readonly appArgument: string | undefined;
  readonly definition: ToolDefinition;
  readonly #route: RestRoute;
  readonly #planner: OperationTool | undefined;
  readonly #deps: OperationToolDeps;
  readonly #parts: ReadonlyMap<string, Part>;
  readonly #check: (value: unknown) => Promise<void>;

  /** `planner`: the operation that plans it, if it has one. */
  constructor(route: RestRoute, tool: PlatformTool, planner: OperationTool | undefined, deps: OperationToolDeps) {
    this.name = route.documentation.operationId;
    this.tool = tool;
    this.#route = route;
    this.#planner = planner;
    this.#deps = deps;
    const { permission, app } = platformOperations[this.name] ?? {};
    this.permission = typeof permission === "string" ? { permission } : undefined;
    const { parts, schema } = argumentsOf(route, planner ? [planDigest] : []);
    this.#parts = parts;
    const isOfApp = app !== undefined || route.url.startsWith(urlOfApp);
    this.appArgument = isOfApp ? [appInPath, app].find((name) => name !== undefined && parts.has(name)) : undefined;
    this.#check = schemaCheck(schema, { part: "arguments" });
    const changes = tool.effect !== "read";
    const properties = { ...schema.properties, ...(changes ? { [confirmArgument]: confirmSchema } : {}) };
    this.definition = {
      name: this.name,
      description: changes ? `${tool.about} ${howToConfirm}` : tool.about,
      inputSchema: { ...schema, properties },
      annotations: {
        readOnlyHint: !changes,
        destructiveHint: tool.effect === "destroy",
        openWorldHint: false,
      },
    };
  }

  get isWithoutApp(): boolean {
    return Object.hasOwn(toolsWithoutApp, this.name);
  }

  /** Whether an agent of some apps can use it. */
  get isOfBound(): boolean {
    return this.appArgument !== undefined || this.isWithoutApp;
  }

  get effect(): ToolEffect {
    return this.tool.effect;
  }

  get isAudited(): boolean {
    return this.tool.isUnaudited !== true;
  }

  namedApp(input: Values): string | undefined {
    const named = input[this.#route.url.startsWith(urlOfApp) ? appInPath : "appName"];
    return typeof named === "string" ? named : undefined;
  }

  async appOf(input: Values): Promise<string | undefined> {
    const given = this.appArgument && input[this.appArgument];
    return typeof given === "string" ? ((await this.#deps.nameOf(given)) ?? given) : undefined;
  }

  async admit(input: Values, call: AgentCall): Promise<void> {
    // A plan would else promise what the caller may not do.
    if (this.permission) await requirePermission(this.#deps.permissions, call, this.permission.permission);
    await this.#check(input);
  }

  /** The plan is that of the operation, if it has one. */
  async plan(input: Values, call: AgentCall): Promise<ToolPlan> {
    const { about, effect } = this.tool;
    const plan = { about, canBeUndone: effect !== "destroy" };
    if (!this.#planner) return plan;
    const details = JSON.parse(await this.#planner.#json(this.#planner.#ownOf(input), call)) as Values;
    return { ...plan, details, digest: String(details["digest"]) };
  }

  async run(input: Values, call: AgentCall, reviewed?: string): Promise<ToolResult> {
    return jsonResult(await this.#json(input, call, reviewed));
  }

  /** Returns those of the arguments that this operation has, too. */
  #ownOf(input: Values): Values {
    return Object.fromEntries(Object.entries(input).filter(([name]) => this.#parts.has(name)));
  }

  /** Returns the result of the operation as JSON. Without `reviewed`, a plan that has changed since would be carried out. */
  async #json(input: Values, call: Call, reviewed?: string): Promise<string> {
    const values: Record<Part, Record<string, unknown>> = { params: {}, query: {}, body: {} };
    if (reviewed !== undefined) values.body[planDigest] = reviewed;
    for (const [name, value] of Object.entries(input)) values[this.#parts.get(name) ?? "body"][name] = value;
    return jsonOf(await this.#route.handle(new ToolRestCall(call, values, this.#route.url)));
  }
}

/** Returns the tools of the routes, in the order of the catalogue. Throws if a tool has no route. */
export function operationTools(routes: readonly RestRoute[], deps: OperationToolDeps): readonly OperationTool[] {
  const byOperation = new Map(routes.map((route) => [route.documentation.operationId, route]));
  const toolOf = (name: string, tool: PlatformTool): OperationTool => {
    const route = byOperation.get(name);
    if (!route) throw new Error(`the tool ${name} has no route of REST`);
    const planner = tool.plan && platformTools[tool.plan];
    return new OperationTool(route, tool, planner && tool.plan && toolOf(tool.plan, planner), deps);
  };
  return Object.entries(platformTools).map(([name, tool]) => toolOf(name, tool));
}

/** The parameter of paths that names an app. */
const appInPath = "id";

/** The argument of an operation that its plan guards. */
const planDigest = "planDigest";

/** Returns the parameters of a route as the arguments of one object, but for those left out, and where each belongs. */
function argumentsOf({ schema, documentation }: RestRoute, leftOut: readonly string[]) {
  const parts = new Map<string, Part>();
  const properties: Record<string, object> = {};
  const required: string[] = [];
  for (const part of ["params", "query", "body"] as const) {
    const { properties: own = {}, required: needed = [] } = (schema[part] ?? {}) as ObjectSchema;
    for (const [name, property] of Object.entries(own)) {
      if (leftOut.includes(name)) continue;
      if (parts.has(name)) throw new Error(`${documentation.operationId} has two parameters ${name}`);
      parts.set(name, part);
      properties[name] = property;
    }
    required.push(...needed);
  }
  const { limits = {} } = documentation;
  for (const [name, limit] of Object.entries(limits))
    if (properties[name]) properties[name] = { ...properties[name], ...limit };
  return { parts, schema: { type: "object" as const, properties, required, additionalProperties: false } };
}

function jsonOf({ json, jsonText, error, status }: RestReply): string {
  if (error) throw error;
  const text = jsonText ?? JSON.stringify(json);
  if (text === undefined) throw new AppError("INTERNAL_ERROR", `a tool has no result (${status})`);
  return text;
}

/** The call of a tool as one of its route. Tools have no headers. */
class ToolRestCall implements RestCall {
  readonly caller: Call["caller"];
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly required: Call["required"];
  readonly params: Values;
  readonly query: Values;
  readonly body: Values;
  readonly target: string;

  constructor(call: Call, { params, query, body }: Record<Part, Values>, target: string) {
    this.caller = call.caller;
    this.signal = call.signal;
    this.requestId = call.requestId;
    this.traceparent = call.traceparent;
    this.required = call.required;
    this.params = params;
    this.query = query;
    this.body = body;
    this.target = target;
  }

  header(): undefined {
    return undefined;
  }
}
