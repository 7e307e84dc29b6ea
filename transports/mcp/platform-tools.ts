import { appBoundsOf, type BatchedPermissions, type Caller, onOwnApp } from "@appserver/kernel";
import { mayHaveEffect } from "./agent-bounds.ts";
import type { OperationTool } from "./operation-tool.ts";
import { type SearchWords, scoreOf } from "./search-words.ts";

/** The verbs of the platform as tools: finds them by their names and words, and those that a caller may call. */
export class PlatformTools {
  readonly #tools: ReadonlyMap<string, OperationTool>;
  readonly #permissions: BatchedPermissions;

  constructor(tools: readonly OperationTool[], permissions: BatchedPermissions) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#permissions = permissions;
  }

  find(name: string): OperationTool | undefined {
    return this.#tools.get(name);
  }

  /** Returns the tools of the list that the caller may call. */
  async listed(caller: Caller): Promise<readonly OperationTool[]> {
    return (await this.#allowed(caller)).filter(({ tool }) => tool.isListed);
  }

  /** Returns the tools that have one of the words and that the caller may call, those with most words first. */
  async search(
    words: SearchWords,
    caller: Caller,
  ): Promise<readonly { readonly tool: OperationTool; readonly score: number }[]> {
    return (await this.#allowed(caller))
      .map((tool) => ({ tool, score: scoreOf(`${tool.name} ${tool.definition.description}`.toLowerCase(), words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score);
  }

  async #allowed(caller: Caller): Promise<readonly OperationTool[]> {
    const isBound = appBoundsOf(caller) !== undefined;
    const tools = [...this.#tools.values()].filter((tool) => mayHaveEffect(caller, tool) && (!isBound || tool.isOfBound));
    const names = [...new Set(tools.flatMap(({ permission }) => permission?.permission ?? []))];
    const decisions = await this.#permissions.allowedEach(
      onOwnApp(caller),
      names.map((permission) => ({ permission })),
    );
    const held = new Set(names.filter((_, index) => decisions[index]));
    return tools.filter(({ permission }) => permission === undefined || held.has(permission.permission));
  }
}
