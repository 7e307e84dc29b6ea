import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { type PlatformUnderTest, platformVariant, send, startPlatform, testApp, uniqueName } from "@appserver/testing/kit";
import fc from "fast-check";
import { buildSchema, OperationTypeNode } from "graphql";
import { WebSocket } from "ws";
import { arbitraryDocument, arbitraryOperation, type Operation, rootFields } from "./arbitrary-operation.ts";

const schema = buildSchema(readSchema());
const stack = /\bat (?:async )?\S+ \(?(?:file:|node:|\/)/;
const { QUERY, MUTATION, SUBSCRIPTION } = OperationTypeNode;
/** Of each field. A production platform is tested longer. */
const numRuns = platformVariant === "embedded" ? 10 : 40;
const name = uniqueName("com.example.fuzzed");
const definitions = [
  { key: "text", data_type: "STRING" },
  { key: "data", data_type: "JSON" },
];

/** A socket on which operations run one after the other. */
class SocketClient {
  readonly socket: WebSocket;
  readonly #begin: string;
  readonly #end: string;
  readonly #heard: { readonly id?: string; readonly type: string; readonly text: string }[] = [];
  #next = 0;
  #closed: number | undefined;
  #wake = (): void => {};

  constructor(platform: PlatformUnderTest, protocol: "graphql-transport-ws" | "graphql-ws") {
    const url = `${platform.httpUrl.replace("http", "ws")}/graphql`;
    this.socket = new WebSocket(url, protocol, { headers: { ...platform.administrator } });
    [this.#begin, this.#end] = protocol === "graphql-ws" ? ["start", "stop"] : ["subscribe", "complete"];
    this.socket.on("message", (data) => {
      const text = String(data);
      this.#heard.push({ ...JSON.parse(text), text });
      this.#wake();
    });
    this.socket.once("close", (code) => {
      this.#closed = code;
      this.#wake();
    });
  }

  async open(): Promise<this> {
    await once(this.socket, "open");
    this.socket.send(JSON.stringify({ type: "connection_init" }));
    await this.#until((type) => type === "connection_ack");
    return this;
  }

  /**
   * Returns everything that the server sent about the operation. `health` runs after it and shows that the socket still works.
   */
  async run(operation: object): Promise<string> {
    const [id, probe] = [String(this.#next++), String(this.#next++)];
    this.#heard.length = 0;
    this.socket.send(JSON.stringify({ id, type: this.#begin, payload: operation }));
    this.socket.send(JSON.stringify({ id: probe, type: this.#begin, payload: { query: "{ health { status } }" } }));
    await this.#until((type, about) => about === probe && type === "complete");
    this.socket.send(JSON.stringify({ id, type: this.#end }));
    return this.#heard.map(({ text }) => text).join("\n");
  }

  async #until(isIt: (type: string, id: string | undefined) => boolean): Promise<void> {
    while (!this.#heard.some(({ type, id }) => isIt(type, id))) {
      assert.equal(this.#closed, undefined, "the server closed the socket");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

describe("GraphQL that no client should send", () => {
  let platform: PlatformUnderTest;
  let texts: readonly string[];
  before(async () => {
    platform = await startPlatform();
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9", timeout_ms: 1000 };
    await platform.register(await testApp({ name, settings: { definitions }, web_app: { api } }));
    const { data } = await platform.graphql(`{ app(name: "${name}") { id } }`);
    texts = [name, (data as { app: { id: string } }).app.id];
  });
  after(() => platform.stop());

  const post = async (body: unknown): Promise<string> => {
    const headers = { "content-type": "application/json", ...platform.administrator };
    const answer = await send(platform.httpUrl, "/graphql", { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
    return answer.text;
  };

  const assertFine = (answer: string, operation: unknown): void => {
    const shown = JSON.stringify(operation).slice(0, 2_000);
    assert.doesNotMatch(answer, /INTERNAL_ERROR|SERVICE_UNAVAILABLE/, shown);
    assert.doesNotMatch(answer, stack, shown);
  };

  for (const [kind, field] of rootFields(schema, [QUERY, MUTATION])) {
    test(`${kind} ${field.name}: no generated argument makes it fail inside the platform`, { timeout: 120_000 }, async () => {
      const property = fc.asyncProperty(arbitraryOperation(kind, field, texts), async (operation) => {
        assertFine(await post(operation), operation);
      });
      await fc.assert(property, { numRuns });
    });
  }

  for (const protocol of ["graphql-transport-ws", "graphql-ws"] as const) {
    test(`${protocol}: no generated operation makes the socket fail`, { timeout: 300_000 }, async () => {
      const client = await new SocketClient(platform, protocol).open();
      for (const [kind, field] of rootFields(schema, [QUERY, MUTATION, SUBSCRIPTION])) {
        const property = fc.asyncProperty(arbitraryOperation(kind, field, texts), async (operation: Operation) => {
          assertFine(await client.run(operation), operation);
        });
        await fc.assert(property, { numRuns: kind === SUBSCRIPTION ? numRuns : 5 });
      }
      const anything = fc.record({ query: arbitraryDocument, operationName: fc.constantFrom(null, "", "a\0") });
      const property = fc.asyncProperty(anything, async (operation) => assertFine(await client.run(operation), operation));
      await fc.assert(property, { numRuns });
      client.socket.terminate();
    });
  }

  test("no generated document and no form of a request causes an internal error", { timeout: 120_000 }, async () => {
    const request = fc.oneof(
      arbitraryDocument.map((query) => ({ query })),
      fc.record({ query: arbitraryDocument, variables: fc.jsonValue(), operationName: fc.string({ unit: "binary" }) }),
      fc.jsonValue(),
    );
    const property = fc.asyncProperty(request, async (body) => assertFine(await post(body), body));
    await fc.assert(property, { numRuns: 10 * numRuns });
  });
});
