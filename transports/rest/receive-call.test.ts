import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { AppError, BufferBudget, type Caller, SystemClock, silentLogger } from "@appserver/kernel";
import type { GraphqlCredentials } from "../graphql/index.ts";
import { toErrorResponse } from "../http/error-response.ts";
import type { RawHandler } from "../http/request-context.ts";
import { createRestListener } from "./index.ts";

const bodyBytes = 100_000;

/** Authenticates like the listeners: signatures cover the body, sessions do not. */
async function authenticate({ header, readBody }: GraphqlCredentials): Promise<Caller> {
  if (header("x-app-signature") !== undefined) await readBody("com.example.notes");
  if (header("authorization") === "Bearer alice") return { kind: "user", id: "alice", displayName: "Alice" };
  throw new AppError("AUTHENTICATION_REQUIRED", "sign in");
}

describe("bodies of requests over HTTP", () => {
  let budget: BufferBudget;
  let rest: RawHandler;
  const server = createServer((incoming, response) => void answer(incoming, response));
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await rest.handle(incoming, response, { requestId: "id", remoteAddress: "127.0.0.1" } as never);
    } catch (error) {
      const { status, body } = toErrorResponse(error as AppError);
      response.writeHead(status).end(body);
    }
  };
  const fail = (): never => assert.fail("no request has a key");
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  beforeEach(async () => {
    budget = new BufferBudget({ totalBytes: 8 * bodyBytes, unprovenBytes: 2 * bodyBytes });
    const handle = async () => ({ status: 200, json: budget.usedBytes });
    const documentation = { operationId: "things", summary: "Does things", tag: "things", responses: {} };
    const routes = [{ method: "POST", url: "/things", schema: { body: {} }, documentation, handle } as const];
    const idempotencyKeys = { begin: fail, complete: fail, fail };
    const unused = { reauthentication: fail, connections: { join: fail }, clock: new SystemClock(), logger: silentLogger };
    rest = await createRestListener({ ...unused, routes, authenticate, idempotencyKeys, budget });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Starts a request whose body does not end before `finish`. */
  function begin(headers: Record<string, string>) {
    const { port } = server.address() as AddressInfo;
    const outgoing = request({
      port,
      host: "127.0.0.1",
      path: "/things",
      method: "POST",
      headers: { "content-type": "application/json", "content-length": String(bodyBytes), ...headers },
    });
    outgoing.on("error", () => {});
    outgoing.write(`"${"x".repeat(bodyBytes - 10)}`);
    return {
      response: once(outgoing, "response").then(async ([response]: IncomingMessage[]) => ({
        status: response?.statusCode,
        body: response ? await text(response) : "",
      })),
      finish: () => outgoing.end(`${"x".repeat(8)}"`),
    };
  }

  test("a caller without credentials is refused before the body is read", async () => {
    const { status } = await begin({}).response;
    assert.deepEqual([status, budget.usedBytes], [401, 0]);
  });

  test("bodies that signatures cover use only the unproven callers' part of the budget, and are released", async () => {
    const held = [begin({ "x-app-signature": "x" }), begin({ "x-app-signature": "x" })];
    while (budget.usedBytes < 2 * (bodyBytes - 10)) await new Promise((resolve) => setTimeout(resolve, 5));
    const { status } = await begin({ "x-app-signature": "x" }).response;
    assert.equal(status, 429);
    for (const { finish } of held) finish();
    assert.deepEqual(
      (await Promise.all(held.map(({ response }) => response))).map((each) => each.status),
      [401, 401],
    );
    assert.equal(budget.usedBytes, 0);
  });

  test("the body of a caller with a session counts as proven, and does not count while the request is handled", async () => {
    const { finish, response } = begin({ authorization: "Bearer alice" });
    finish();
    assert.deepEqual(await response, { status: 200, body: "0" });
  });
});
