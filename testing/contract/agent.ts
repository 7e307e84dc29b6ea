import assert from "node:assert/strict";
import type { PlatformUnderTest } from "@appserver/testing/kit";
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";

/** A tool as a list or a search has it. */
export interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { readonly required?: readonly string[]; readonly properties?: object };
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

/** A client of the official package, on the newest revision of the protocol. */
export class Agent {
  changes = 0;
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Subscribed to changes of the list. */
  static async of({ httpUrl }: PlatformUnderTest, token: string): Promise<Agent> {
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const agent = await Agent.over(new StreamableHTTPClientTransport(new URL("/mcp", httpUrl), { requestInit }), "auto");
    await agent.#client.listen({ toolsListChanged: true });
    return agent;
  }

  /** Subscribed to changes of the list, with the tokens of a sign-in. */
  static async signedIn({ httpUrl }: PlatformUnderTest, authProvider: OAuthClientProvider): Promise<Agent> {
    const agent = await Agent.over(new StreamableHTTPClientTransport(new URL("/mcp", httpUrl), { authProvider }), "auto");
    await agent.#client.listen({ toolsListChanged: true });
    return agent;
  }

  static async over(transport: Transport, mode: "auto" | "legacy"): Promise<Agent> {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const agent = new Agent(client);
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      agent.changes += 1;
    });
    await client.connect(transport);
    return agent;
  }

  async tools(): Promise<readonly Listed[]> {
    return (await this.#client.listTools()).tools as readonly Listed[];
  }

  async text(name: string, input: Readonly<Record<string, unknown>>): Promise<string> {
    const [content] = (await this.#client.callTool({ name, arguments: input })).content;
    assert.ok(content?.type === "text");
    return content.text;
  }

  /** Whether the result says that it is an error. */
  async isError(name: string, input: Readonly<Record<string, unknown>>): Promise<boolean> {
    return (await this.#client.callTool({ name, arguments: input })).isError === true;
  }

  async resources(): Promise<readonly string[]> {
    return (await this.#client.listResources()).resources.map(({ uri }) => uri);
  }

  async resource(uri: string): Promise<string> {
    const [content] = (await this.#client.readResource({ uri })).contents;
    assert.ok(content && "text" in content);
    return content.text;
  }

  /** Returns the data of a result. */
  async call(name: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
    const value = dataOf(await this.text(name, input));
    assert.ok(!(typeof value === "object" && value !== null && "error" in value), JSON.stringify(value));
    return value;
  }

  async failure(name: string, input: Readonly<Record<string, unknown>>) {
    const text = await this.text(name, input);
    const { error } = dataOf(text) as {
      readonly error?: { readonly code: string; readonly details?: Record<string, unknown> };
    };
    assert.ok(error, `${JSON.stringify(input)}: ${text}`);
    return error;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Returns the data of a result. */
export function dataOf(text: string): unknown {
  return JSON.parse(text.split("\n").slice(1, -1).join("\n"));
}
