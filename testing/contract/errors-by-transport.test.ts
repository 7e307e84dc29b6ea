import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ErrorCode, errorCatalogue } from "@appserver/contracts/errors";
import { ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import { errorOf, type GraphqlAnswer, jsonOf, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { developmentTest, productionTest } from "./variants.ts";

/** One cause of an error, asked for on each transport. */
interface Cause {
  readonly code: ErrorCode;
  readonly graphqlCode?: string;
  /** Credentials of the caller. Default: the administrator. */
  readonly token?: string | null;
  readonly rest: { readonly method?: string; readonly path: string };
  readonly graphql: { readonly query: string; readonly field: string };
  readonly grpc: (client: PlatformClient) => Promise<unknown>;
}

const unknown = "com.example.unknown";
const listApps = {
  rest: { path: "/api/v2/apps" },
  graphql: { query: "{ apps { edges { node { name } } } }", field: "apps" },
  grpc: ({ marketplace }: PlatformClient) => marketplace.listApps({}),
} as const;

describe("an error has the same code on every transport, each time in its own form", () => {
  let platform: PlatformUnderTest;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform?.stop());

  const headersOf = ({ token }: Cause): Readonly<Record<string, string>> => {
    if (token === null) return {};
    return token === undefined ? platform.administrator : { authorization: `Bearer ${token}` };
  };

  async function checkRest(cause: Cause): Promise<void> {
    const { rest, code } = cause;
    const answer = await send(platform.httpUrl, rest.path, { method: rest.method ?? "GET", headers: headersOf(cause) });
    assert.deepEqual([errorOf(answer).code, answer.status], [code, errorCatalogue[code].http], answer.text);
    const headers = { ...headersOf(cause), accept: "application/problem+json" };
    const problem = await send(platform.httpUrl, rest.path, { method: rest.method ?? "GET", headers });
    assert.partialDeepStrictEqual(jsonOf(problem), { code, status: errorCatalogue[code].http });
  }

  async function checkGraphql(cause: Cause): Promise<void> {
    const { graphql, code, graphqlCode = code } = cause;
    const body = JSON.stringify({ query: graphql.query });
    const headers = { ...headersOf(cause), "content-type": "application/json" };
    const answer = await send(platform.httpUrl, "/graphql", { method: "POST", headers, body });
    const { data, errors = [] } = jsonOf(answer) as GraphqlAnswer;
    assert.equal(answer.status, 200, answer.text);
    assert.equal(data ?? null, null, answer.text);
    const [error] = errors;
    assert.ok(error && errors.length === 1 && error.message !== "", answer.text);
    assert.equal(error.extensions.code, graphqlCode, answer.text);
    // The caller is refused before the operation runs, so that no field has failed.
    if (data !== undefined) assert.deepEqual(error.path, [graphql.field]);
  }

  async function checkGrpc(cause: Cause): Promise<void> {
    const { grpc, code, token } = cause;
    const { grpcUrl } = platform;
    const client =
      token === undefined ? platform.client() : createPlatformClient({ grpcUrl, ...(token === null ? {} : { token }) });
    const error = await grpc(client).then(() => assert.fail("the call succeeded"), ConnectError.from);
    assert.equal(Code[error.code], Code[errorCatalogue[code].grpc as Code], error.message);
    assert.deepEqual(
      error.findDetails(ErrorInfoSchema).map(({ reason }) => reason),
      [code],
    );
  }

  async function check(cause: Cause): Promise<void> {
    await checkRest(cause);
    await checkGraphql(cause);
    await checkGrpc(cause);
  }

  test("INVALID_REQUEST: a page of more than 250 apps", () =>
    check({
      code: "INVALID_REQUEST",
      graphqlCode: "VALIDATION_ERROR",
      rest: { path: "/api/v2/apps?first=251" },
      graphql: { query: '{ apps(first: 2, after: "?") { edges { node { name } } } }', field: "apps" },
      grpc: ({ marketplace }) => marketplace.listApps({ pageSize: 251 }),
    }));

  productionTest("AUTHENTICATION_REQUIRED: no credentials", () =>
    check({ ...listApps, code: "AUTHENTICATION_REQUIRED", token: null }),
  );

  test("AUTHENTICATION_FAILED: a forged session", () => check({ ...listApps, code: "AUTHENTICATION_FAILED", token: "forged" }));

  test("PERMISSION_DENIED: a user without a role", async () =>
    check({ ...listApps, code: "PERMISSION_DENIED", token: await platform.sessionToken("bob") }));

  test("NOT_FOUND: an unknown app", () =>
    check({
      code: "NOT_FOUND",
      rest: { method: "POST", path: `/api/v2/apps/${unknown}/install` },
      graphql: { query: `mutation { installApp(name: "${unknown}") { success } }`, field: "installApp" },
      grpc: ({ marketplace }) => marketplace.installApp({ name: unknown }),
    }));

  // Only on a database that no other test uses.
  developmentTest("INTERNAL_ERROR: a table of the platform is missing", async () => {
    const rename = (from: string, to: string) =>
      platform.onDatabase((sql) => sql.query(`alter table marketplace.${from} rename to ${to}`));
    await rename("apps", "hidden");
    try {
      await check({ ...listApps, code: "INTERNAL_ERROR" });
    } finally {
      await rename("hidden", "apps");
    }
  });
});
