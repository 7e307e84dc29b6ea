import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { inspect } from "node:util";
import { isAppError, SystemClock, silentLogger } from "@appserver/kernel";
import { rejectsWith } from "@appserver/testing/kit";
import { OpenFgaAuthorization } from "./openfga-authorization.ts";

type Answer = readonly [status: number, body: unknown] | "nothing" | "reset";

/** Responses that a real server sends only when it has a fault. None may count as yes or no. */
describe("OpenFgaAuthorization: responses", () => {
  const question = { user: "user:ann", relation: "owner", object: "app:notes" };
  const received: IncomingMessage[] = [];
  let answers: Answer[] = [];
  let apiUrl: string;
  let authorization: OpenFgaAuthorization;

  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "GET") return end(response, [200, { authorization_model: { id: "m", type_definitions: [] } }]);
    received.push(request);
    return end(response, answers[Math.min(received.length, answers.length) - 1] ?? "nothing");
  });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fga/`;
    authorization = open(10_000);
    await authorization.start();
  });
  after(async () => {
    await authorization.stop();
    server.closeAllConnections();
    server.close();
  });

  it("sends its key and nothing from the environment, below the configured path", async () => {
    answering([200, { allowed: true }]);
    assert.equal(await authorization.check(question), true);
    const [request] = received;
    assert.equal(request?.url, "/fga/stores/s/check");
    assert.equal(request?.headers.authorization, "Bearer a-key");
    assert.equal(request?.headers.cookie, undefined);
  });

  it("does not accept a missing or malformed response as a result", async () => {
    for (const body of ["<html>", "", {}, { allowed: null }, { allowed: "true" }, { allowed: 1 }, [], null]) {
      answering([200, body]);
      await assert.rejects(authorization.check(question), rejectsWith("SERVICE_UNAVAILABLE"), JSON.stringify(body));
    }
    for (const body of [{}, { result: {} }, { result: { 0: {} } }, { result: { 0: { allowed: "yes" } } }, "<html>"]) {
      answering([200, body]);
      await assert.rejects(authorization.batchCheck([question]), rejectsWith("SERVICE_UNAVAILABLE"), JSON.stringify(body));
    }
    answering([200, { result: { 0: { allowed: true, error: { internal_error: "unavailable" } } } }]);
    await assert.rejects(authorization.batchCheck([question]), rejectsWith("SERVICE_UNAVAILABLE"));
  });

  it("distinguishes an invalid check from a server fault", async () => {
    for (const [status, code] of [
      [401, "unauthenticated"],
      [403, "forbidden"],
      [404, "store_id_not_found"],
      [400, "latest_authorization_model_not_found"],
      [400, "authorization_model_resolution_too_complex"],
      [302, undefined],
      [501, "unimplemented"],
    ] as const) {
      answering([status, { code, message: "no" }]);
      await assert.rejects(authorization.check(question), rejectsWith("SERVICE_UNAVAILABLE"), `${status} ${code}`);
    }
    answering([400, { code: "validation_error", message: "relation 'x' is unknown" }]);
    await assert.rejects(authorization.check(question), (error) => {
      assert.ok(isAppError(error, "INVALID_REQUEST"));
      assert.deepEqual(error.details, { openfgaCode: "validation_error" });
      assert.match(error.message, /relation 'x' is unknown/);
      return true;
    });
    assert.equal(received.length, 1, "an invalid check is not retried");
    answering([200, { result: { 0: { error: { input_error: "validation_error", message: "relation 'x' is unknown" } } } }]);
    await assert.rejects(authorization.batchCheck([question]), (error) => isAppError(error, "INVALID_REQUEST"));
  });

  it("tries three times if a retry may help", async () => {
    for (const trouble of [
      "reset",
      [429, {}],
      [500, {}],
      [503, {}],
      [409, { code: "aborted" }],
      [422, {}],
    ] satisfies Answer[]) {
      answering(trouble, trouble, [200, { allowed: true }]);
      assert.equal(await authorization.check(question), true, String(trouble));
      answering(trouble);
      await assert.rejects(authorization.check(question), rejectsWith("SERVICE_UNAVAILABLE"));
      assert.equal(received.length, 3);
    }
  });

  it("gives up at its deadline", async () => {
    const hasty = open(100);
    await hasty.start();
    answering("nothing");
    await assert.rejects(hasty.check(question), rejectsWith("SERVICE_UNAVAILABLE"));
    await assert.rejects(hasty.check(question), { dependency: "authorization" });
    await assert.rejects(hasty.write({ writes: [question] }), rejectsWith("SERVICE_UNAVAILABLE"));
    await hasty.stop();
  });

  it("does not reveal its key in errors", async () => {
    for (const trouble of [[500, { message: "broken" }], [400, { code: "validation_error" }], "reset"] satisfies Answer[]) {
      answering(trouble);
      const error = await authorization.check(question).catch((cause: unknown) => cause);
      assert.ok(isAppError(error));
      assert.doesNotMatch(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }), /a-key/);
    }
  });

  function open(timeoutMs: number): OpenFgaAuthorization {
    const store = { storeName: "appserver", storeId: "s", modelId: "m", apiToken: "a-key" };
    return new OpenFgaAuthorization({ apiUrl, ...store, timeoutMs, clock: new SystemClock(), logger: silentLogger });
  }

  function answering(...next: Answer[]): void {
    received.length = 0;
    answers = next;
  }
});

function end(response: ServerResponse, answer: Answer): void {
  if (answer === "nothing") return;
  if (answer === "reset") {
    response.destroy();
    return;
  }
  const [status, body] = answer;
  response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
