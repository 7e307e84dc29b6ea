import { type PlatformTool, platformOperations, platformTools } from "@appserver/contracts/operations";
import { AppError, type Call, type OwnedPermission, type RestCall, type RestReply, type RestRoute } from "@appserver/kernel";
import { schemaCheck } from "../rest/check-schema.ts";

type Values = Readonly<Record<string, unknown>>;
type Part = "params" | "query" | "body";

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
}

/** What callers that are bound to apps may use without one of them. */
const unboundPermission = "app:view";

/** The argument with which a change is confirmed. */
export const confirmArgument = "confirm";

const confirmSchema = {
  type: "string",
  description:
    "The digest of the plan that an earlier call with the same other arguments has returned. Without it nothing is changed",
};

/** An operation as a tool (docs/interface/mcp.md#tools). */
export class OperationTool {
  readonly name: string;
  readonly tool: PlatformTool;
  /** What callers need for it, undefined if that is not a permission of the platform. */
  readonly permission: OwnedPermission | undefined;
  /** As the protocol describes a tool. */
  readonly definition: ToolDefinition;
  readonly #route: RestRoute;
  readonly #parts: ReadonlyMap<string, Part>;
  readonly #check: (value: unknown) => Promise<void>;

  constructor(route: RestRoute, tool: PlatformTool) {
    this.name = route.documentation.operationId;
    this.tool = tool;
    this.#route = route;
    const permission = platformOperations[this.name]?.permission;
    this.permission = typeof permission === "string" ? { permission } : undefined;
    const { parts, schema } = argumentsOf(route, tool.plan === undefined ? [] : [planDigest]);
    this.#parts = parts;
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

  get changes(): boolean {
    return this.tool.effect !== "read";
  }

  /** Whether a caller that is bound to apps can use it: it names an app, or every caller may read it. */
  get isOfBound(): boolean {
    return (
      platformOperations[this.name]?.app !== undefined ||
      (!this.changes && (this.permission?.permission ?? unboundPermission) === unboundPermission)
    );
  }

  /** Returns what the arguments name as an app, by name or id. They need no check. */
  namedApp(input: Values): string | undefined {
    const named = input[this.#route.url.startsWith("/api/v2/apps/:id") ? "id" : "appName"];
    return typeof named === "string" ? named : undefined;
  }

  /** Rejects with INVALID_REQUEST for arguments that the operation does not have. */
  check(input: Values): Promise<void> {
    return this.#check(input);
  }

  /** Returns those of the arguments that this operation has, too. */
  ownOf(input: Values): Values {
    return Object.fromEntries(Object.entries(input).filter(([name]) => this.#parts.has(name)));
  }

  /**
   * Runs the operation. Returns its result as JSON. Rejects with the error of the use case. `input`: checked arguments. `reviewed`: the digest of its plan, without which a
   * plan that has changed since would be carried out.
   */
  async run(input: Values, call: Call, reviewed?: string): Promise<string> {
    const values: Record<Part, Record<string, unknown>> = { params: {}, query: {}, body: {} };
    if (reviewed !== undefined) values.body[planDigest] = reviewed;
    for (const [name, value] of Object.entries(input)) values[this.#parts.get(name) ?? "body"][name] = value;
    return jsonOf(await this.#route.handle(new ToolRestCall(call, values, this.#route.url)));
  }
}

/** A tool as the protocol describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

const howToConfirm =
  "The first call returns a plan with its digest; a second call with the digest as `confirm` carries it out.";

/** Returns the tools of the routes, in the order of the catalogue. Throws if a tool has no route. */
export function operationTools(routes: readonly RestRoute[]): readonly OperationTool[] {
  const byOperation = new Map(routes.map((route) => [route.documentation.operationId, route]));
  return Object.entries(platformTools).map(([name, tool]) => {
    const route = byOperation.get(name);
    if (!route) throw new Error(`the tool ${name} has no route of REST`);
    return new OperationTool(route, tool);
  });
}

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
