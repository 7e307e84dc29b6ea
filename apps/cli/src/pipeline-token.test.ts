import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, test } from "node:test";
import { globalOptions } from "./global-options.ts";
import { exchangeIdToken, withPipelineToken } from "./pipeline-token.ts";
import { takeSecrets } from "./secret-variables.ts";

const exchanged = { access_token: "asv_x", issued_token_type: "x", token_type: "Bearer", expires_in: 900 };
let received: { readonly path: string; readonly authorization: string | undefined; readonly body: string }[] = [];
let outages = 0;
let url = "";
const server = createServer((request, response) => void respond(request, response));

/** GitHub's service for id tokens below /github, and the platform. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  received.push({ path, authorization: request.headers.authorization, body: await text(request) });
  if (path.startsWith("/github")) {
    response.end(JSON.stringify({ value: "the-id-token" }));
    return;
  }
  const isOut = outages > 0;
  outages -= 1;
  response.writeHead(isOut ? 503 : 200, { "retry-after": "0.01" });
  response.end(JSON.stringify(isOut ? { error: "temporarily_unavailable", error_description: "no keys" } : exchanged));
}

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
  outages = 0;
});

const ofGithub = (more: Readonly<Record<string, string>> = {}) => ({
  APPSERVER_HTTP_URL: url,
  ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/github?api-version=2`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-runner",
  ...more,
});
const optionsOf = (environment: Readonly<Record<string, string>>) => globalOptions({ json: false }, environment);

test("a job of GitHub requests its id token for the platform, which exchanges it without another credential", async () => {
  const { token } = await withPipelineToken(optionsOf(ofGithub()));
  assert.equal(token, "asv_x");
  const [first, second] = received;
  assert.equal(first?.path, `/github?api-version=2&audience=${encodeURIComponent(url)}`);
  assert.equal(first?.authorization, "Bearer of-the-runner");
  assert.deepEqual([second?.path, second?.authorization], ["/oauth/token", undefined]);
  assert.equal(new URLSearchParams(second?.body).get("subject_token"), "the-id-token");
  await withPipelineToken(optionsOf(ofGithub({ APPSERVER_AUDIENCE: "https://apps.example.com" })));
  assert.match(received[2]?.path ?? "", /&audience=https%3A%2F%2Fapps\.example\.com$/);
});

test("a token that is given is used as it is, and an outage is tried again", async () => {
  const given = optionsOf(ofGithub({ APPSERVER_TOKEN: "given" }));
  assert.deepEqual([(await withPipelineToken(given)).token, received.length], ["given", 0]);
  outages = 2;
  const options = optionsOf({ APPSERVER_HTTP_URL: url, APPSERVER_ID_TOKEN: "of-gitlab" });
  assert.deepEqual(await exchangeIdToken(options), exchanged);
  assert.equal(received.length, 3);
  outages = 9;
  await assert.rejects(
    exchangeIdToken(options),
    /did not exchange the id token of the pipeline: no keys \(temporarily_unavailable\)/,
  );
});

test("programs that appctl runs inherit no secret", () => {
  const variables: NodeJS.ProcessEnv = {
    PATH: "/bin",
    ...ofGithub({ APPSERVER_APP_KEY: "k", APPSERVER_APP_CERTIFICATE: "c" }),
  };
  const environment = takeSecrets(variables);
  assert.equal(environment["APPSERVER_APP_KEY"], "k");
  assert.deepEqual(variables, { PATH: "/bin", APPSERVER_HTTP_URL: url });
});
