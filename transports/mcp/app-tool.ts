import { scopeOwner } from "@appserver/contracts/authorization";
import type { AppRoute } from "@appserver/contracts/manifest";
import type { OwnedPermission } from "@appserver/kernel";
import type { AppRequests, ServedApp, ToolOperation } from "./app-tool-source.ts";
import { argumentsSchema, queryOf } from "./route-arguments.ts";
import { RouteTemplate } from "./route-template.ts";
import { shownPath } from "./shown-path.ts";
import {
  type AgentCall,
  howToConfirm,
  invalidArgument,
  type Tool,
  type ToolDefinition,
  type ToolEffect,
  type ToolPlan,
  type Values,
} from "./tool.ts";
import { responseResult, type ToolResult } from "./tool-results.ts";
import { markedAsData, visibleLine } from "./untrusted-text.ts";

/** One method of a route, or one described operation of it. */
export interface AppOperation {
  readonly app: ServedApp;
  readonly route: AppRoute;
  readonly method: string;
  readonly description: ToolOperation | undefined;
}

/** Characters of the path and of the texts of the app in the description of a tool. */
const maxPath = 1_000;
const maxText = 300;

/** A route of an app as a tool (docs/interface/mcp.md#routes-of-apps). */
export class AppTool implements Tool {
  readonly name: string;
  readonly #operation: AppOperation;
  readonly #requests: AppRequests;
  #template: RouteTemplate | undefined;
  #definition: ToolDefinition | undefined;

  constructor(name: string, operation: AppOperation, requests: AppRequests) {
    this.name = name;
    this.#operation = operation;
    this.#requests = requests;
  }

  get effect(): ToolEffect {
    return effectOf(this.#operation.method);
  }

  /** It is made at its first use. */
  get definition(): ToolDefinition {
    this.#definition ??= this.#describe();
    return this.#definition;
  }

  /** The platform does not know what the app has changed. */
  get isAudited(): boolean {
    return false;
  }

  get isWithoutApp(): boolean {
    return false;
  }

  namedApp(): string {
    return this.appOf();
  }

  appOf(): string {
    return this.#operation.app.name;
  }

  /** What a change needs is checked before its plan. Of what reads, the call decides. */
  async admit(input: Values, call: AgentCall): Promise<void> {
    const request = this.#requestOf(input);
    if (this.effect !== "read") await this.#requests.check(request, call);
  }

  plan(input: Values): ToolPlan {
    const { app, method } = this.#operation;
    const { target } = this.#requestOf(input);
    const details = { app: app.name, method, target, body: input["body"] };
    return { about: `${this.#title}.`, canBeUndone: this.effect === "destroy" ? false : undefined, details };
  }

  async run(input: Values, call: AgentCall): Promise<ToolResult> {
    return responseResult(await this.#requests.call(this.#requestOf(input), call));
  }

  get #title(): string {
    const { app, method } = this.#operation;
    return `${method} ${shownPath(this.#path) ?? "a path"} of the app ${app.name}`;
  }

  get #path(): string {
    return pathOf(this.#operation);
  }

  #describe(): ToolDefinition {
    const { app, method, description } = this.#operation;
    const path = shownPath(this.#path) === this.#path ? "" : visibleLine(this.#path, maxPath);
    const said = [app.displayName, description?.summary, description?.description, app.description];
    const text = [path, visibleLine(said.filter(Boolean).join(": "), maxText)].filter(Boolean).join(": ");
    const confirm = this.effect === "read" ? "" : ` ${howToConfirm}`;
    return {
      name: this.name,
      title: this.#title,
      description: `${this.#title}.${confirm} What the app says of it: ${markedAsData(text)}`,
      inputSchema: argumentsSchema(this.#templateOf(), method, description),
      annotations: {
        readOnlyHint: this.effect === "read",
        destructiveHint: this.effect === "destroy",
        openWorldHint: true,
      },
    };
  }

  #templateOf(): RouteTemplate {
    const { route, description } = this.#operation;
    this.#template ??= description ? RouteTemplate.ofPath(description.path) : RouteTemplate.ofPattern(route.pattern);
    return this.#template;
  }

  /** Throws INVALID_REQUEST for arguments that the tool does not have. */
  #requestOf(input: Values) {
    const { app, route, method, description } = this.#operation;
    const template = this.#templateOf();
    const { properties = {}, required = [] } = argumentsSchema(template, method, description);
    for (const name of Object.keys(input))
      if (!Object.hasOwn(properties, name)) throw invalidArgument(name.slice(0, 100), "is unknown");
    for (const name of required) if (!Object.hasOwn(input, name)) throw invalidArgument(name, "is required");
    const path = template.path(objectOf(input, "params"));
    const { body } = input;
    return {
      app: app.name,
      pattern: route.pattern,
      method,
      target: app.api.basePath + path + queryOf(objectOf(input, "query"), description),
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }
}

/** Returns the path of an operation, with its parameters. */
export function pathOf({ route, description }: Pick<AppOperation, "route" | "description">): string {
  return description?.path ?? route.pattern;
}

export function effectOf(method: string): ToolEffect {
  if (method === "GET" || method === "HEAD") return "read";
  return method === "DELETE" ? "destroy" : "change";
}

/** Returns what a caller needs for a route. Nothing for a public one. */
export function scopesOf({ app, route }: Pick<AppOperation, "app" | "route">): readonly OwnedPermission[] {
  if (route.isPublic) return [];
  return route.scopes.map((permission) => ({ permission, owner: scopeOwner(permission, app.name) }));
}

function objectOf(input: Values, name: string): Values {
  const value = input[name];
  if (value === undefined) return {};
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Values;
  throw invalidArgument(name, "must be an object");
}
