import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createPlatformClient } from "@appserver/sdk";
import {
  dumpTables,
  errorOf,
  findCanary,
  jsonOf,
  type PlatformUnderTest,
  platformVariant,
  send,
  startPlatform,
  testApp,
  uniqueName,
} from "@appserver/testing/kit";
import { startTokenIssuer, type TokenIssuer } from "@appserver/testing/kit/token-issuer";
import { ConnectError } from "@connectrpc/connect";
import { purgeApp } from "./commands.ts";

const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");
const run = promisify(execFile);
const name = uniqueName("com.example.piped");
const other = uniqueName("com.example.others");
const account = uniqueName("pipeline");
const webApp = { web_app: { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } } };
const audience = "https://apps.example.com";
const grant = "urn:ietf:params:oauth:grant-type:token-exchange";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";
const permissions = ["view", "install", "uninstall", "register", "delete", "replace_key"].map((each) => `app:${each}`);

/** docs/interface/permissions.md#trusted-pipelines */
describe("trusted pipelines", () => {
  let platform: PlatformUnderTest;
  let issuer: TokenIssuer;
  let folder = "";
  let otherId = "";
  let accountId = "";
  let trustId = "";
  let keys = { APPSERVER_APP_KEY: "", APPSERVER_APP_CERTIFICATE: "" };
  const secrets: string[] = [];
  before(async () => {
    [issuer, platform] = await Promise.all([startTokenIssuer(), startPlatform()]);
    folder = await mkdtemp(join(tmpdir(), "appserver-piped-"));
    await ctl(environment({}), "create", "app", "--name", name, "--no-install");
    const [key, certificate] = await Promise.all(
      ["key.pem", "certificate.pem"].map((file) => readFile(join(folder, "app", file), "utf8")),
    );
    // One line, as GitLab masks it.
    keys = { APPSERVER_APP_KEY: Buffer.from(key ?? "").toString("base64"), APPSERVER_APP_CERTIFICATE: certificate ?? "" };
    for (const file of ["key.pem", "certificate.pem"]) await rm(join(folder, "app", file));
    otherId = (await platform.register(await testApp({ name: other, ...webApp }))).app?.id ?? "";
    const flags = [...permissions, "settings:write", "settings:read"].flatMap((each) => ["--permission", each]);
    secrets.push(await ctl(await administrator(), "service-accounts", "create", account, ...flags));
  });
  after(async () => {
    if (accountId !== "") await rest("DELETE", `/access/service-accounts/${accountId}`).catch(() => {});
    if (platform) for (const each of [name, other]) await purgeApp(platform, each);
    await platform?.stop();
    await issuer?.stop();
    await rm(folder, { recursive: true });
  });

  const environment = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
    PATH: process.env["PATH"],
    HOME: folder,
    ...(platform && { APPSERVER_HTTP_URL: platform.httpUrl, APPSERVER_GRPC_URL: platform.grpcUrl }),
    ...more,
  });
  const administrator = async () => environment({ APPSERVER_TOKEN: await platform.sessionToken("admin") });
  const ctl = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    (await run(process.execPath, [appctl, ...args], { cwd: folder, env })).stdout.trim();
  let runs = 0;
  const idToken = async (changed: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    runs += 1;
    const now = Math.floor(Date.now() / 1_000);
    const token = await issuer.sign({
      iss: issuer.url,
      aud: audience,
      iat: now,
      exp: now + 300,
      jti: `${name}-${runs}`,
      repository: "acme/notes",
      repository_id: "123",
      ref: "refs/heads/main",
      event_name: "push",
      sha: "0123456789abcdef0123456789abcdef01234567",
      run_id: String(runs),
      ...changed,
    });
    secrets.push(token);
    return token;
  };
  const rest = (
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = platform.administrator,
  ) =>
    send(platform.httpUrl, `/api/v2${path}`, {
      method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const exchange = (form: Readonly<Record<string, string>>, path = "/oauth/token") =>
    send(platform.httpUrl, path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: String(new URLSearchParams({ grant_type: grant, subject_token_type: idTokenType, ...form })),
    });
  const exchanged = async (): Promise<string> => {
    const answer = await exchange({ subject_token: await idToken() });
    const { access_token: token } = jsonOf(answer) as { readonly access_token: string };
    assert.equal(answer.status, 200, answer.text);
    secrets.push(token);
    return token;
  };

  test("a job registers its app with the key in variables, and the release has the run on every interface", async () => {
    const flags = ["--repository", "acme/notes", "--repository-id", "123", "--ref", "refs/heads/main", "--account", account];
    const where = ["--app", name, "--audience", audience, "--issuer", issuer.url];
    const added = JSON.parse(await ctl(await administrator(), "--json", "trust", "add", "github", ...flags, ...where)) as {
      id: string;
      accountId: string;
    };
    [trustId, accountId] = [added.id, added.accountId];
    assert.match(
      await ctl(await administrator(), "trust", "list"),
      new RegExp(`${trustId} +${account} +github +acme/notes \\(123\\) +${name}`),
    );
    const { items } = jsonOf(await rest("GET", "/access/trusted-pipelines")) as {
      readonly items: readonly { readonly id: string }[];
    };
    assert.ok(items.some(({ id }) => id === trustId));

    const job = environment({ APPSERVER_ID_TOKEN: await idToken(), ...keys });
    // `appctl deploy` has it from the push. No test here runs the app.
    const image = platformVariant === "production" ? ["--image-digest", `sha256:${"0".repeat(64)}`] : [];
    assert.match(await ctl(job, "register", "app", ...image), new RegExp(`^${name} 0.1.0 registered$`));
    const source = {
      provider: "GITHUB",
      repository: "acme/notes",
      commit: "0123456789abcdef0123456789abcdef01234567",
      ref: "refs/heads/main",
      runUrl: `${issuer.url}/acme/notes/actions/runs/${runs}`,
    };
    const query =
      "query ($name: String!) { app(name: $name) { id releases { registeredBy source { provider repository commit ref runUrl } } } }";
    const { data } = await platform.graphql(query, { name });
    const { app } = data as { readonly app: { readonly id: string; readonly releases: readonly object[] } };
    assert.deepEqual(app.releases, [{ registeredBy: `machine:${accountId}`, source }]);
    const { releases } = jsonOf(await rest("GET", `/apps/${app.id}`)) as { readonly releases: readonly object[] };
    assert.partialDeepStrictEqual(releases, [{ source }]);
    assert.match(await ctl(await administrator(), "versions", name), /acme\/notes 0123456789ab refs\/heads\/main/);
    assert.match(
      await ctl(await administrator(), "describe", name),
      /source +acme\/notes 0123456789ab refs\/heads\/main http:/,
    );

    // Several commands in a job.
    const token = await ctl(environment({ APPSERVER_ID_TOKEN: await idToken() }), "trust", "exchange");
    secrets.push(token);
    const more = environment({ APPSERVER_TOKEN: token });
    await ctl(more, "install", name, "--detach");
    await assert.rejects(ctl(more, "uninstall", other), new RegExp(`${trustId} acts on ${name} and not on ${other}`));
  });

  test("a token of another repository is refused with the reason, and an error names the variable that a job lacks", async () => {
    const forked = environment({
      APPSERVER_ID_TOKEN: await idToken({ repository: "evil/notes", repository_id: "666" }),
      ...keys,
    });
    await assert.rejects(
      ctl(forked, "register", "app"),
      /did not exchange the id token of the pipeline: no trust is for evil\/notes \(id 666\) \(invalid_grant\)/,
    );
    await assert.rejects(
      ctl(environment(keys), "trust", "exchange"),
      /set APPSERVER_ID_TOKEN, or give a job of GitHub Actions the permission/,
    );
    const half = environment({ APPSERVER_TOKEN: "x", APPSERVER_APP_KEY: keys.APPSERVER_APP_KEY });
    await assert.rejects(ctl(half, "register", "app"), /APPSERVER_APP_CERTIFICATE is not set/);
    const broken = environment({ APPSERVER_TOKEN: "x", ...keys, APPSERVER_APP_KEY: "c2VjcmV0" });
    await assert.rejects(
      ctl(broken, "register", "app"),
      (error: Error) => /APPSERVER_APP_KEY must be PEM/.test(error.message) && !error.message.includes("c2VjcmV0"),
    );
  });

  test("it acts on no other app, and gives no access, on every interface", async () => {
    const token = await exchanged();
    const bearer = { authorization: `Bearer ${token}` };
    const refusedBy = async (answer: Promise<Awaited<ReturnType<typeof send>>>, reason: RegExp, what: string) => {
      const { status, ...response } = await answer;
      assert.deepEqual(
        [status, errorOf({ status, ...response }).code],
        [403, "PERMISSION_DENIED"],
        `${what}: ${response.text}`,
      );
      assert.match(response.text, reason, what);
    };
    const ofOther = new RegExp(`${trustId} acts on ${name} and not on ${other}`);
    const attempts: readonly (readonly [string, string, object | undefined, RegExp])[] = [
      ["POST", `/apps/${otherId}/install`, {}, ofOther],
      ["POST", `/apps/${other}/install`, {}, ofOther],
      ["DELETE", `/apps/${otherId}/uninstall`, undefined, ofOther],
      ["DELETE", `/apps/${otherId}`, undefined, ofOther],
      ["PUT", `/apps/${otherId}/enabled`, { enabled: false }, ofOther],
      ["PUT", `/apps/${otherId}/settings`, { values: {} }, ofOther],
      ["POST", `/apps/${otherId}/settings/validate`, { values: {} }, ofOther],
      ["POST", `/apps/${otherId}/approvals`, { scopes: ["x:y"] }, ofOther],
      ["PUT", `/apps/${otherId}/key`, { certificate: "-----BEGIN CERTIFICATE-----" }, ofOther],
      ["POST", "/access/service-accounts", { name: "child" }, /createServiceAccount names none of them/],
      ["POST", `/access/service-accounts/${accountId}/tokens`, {}, /createServiceAccountToken names none/],
      [
        "POST",
        "/access/grant",
        { user: `machine:${accountId}`, relation: "assignee", object: "role:easy" },
        /grantAccess names none/,
      ],
      ["DELETE", `/access/trusted-pipelines/${trustId}`, undefined, /distrustPipeline names none/],
      ["GET", "/audit-log", undefined, /lacks the permission audit:view/],
      ["GET", `/apps/${otherId}/settings`, undefined, ofOther],
      ["GET", `/apps/${other}/settings`, undefined, ofOther],
    ];
    for (const [method, path, body, reason] of attempts)
      await refusedBy(rest(method, path, body, bearer), reason, `${method} ${path}`);
    const trust = { account, provider: "GITHUB", apps: [other], repository: "evil/x", repositoryId: "6", ref: "refs/heads/x" };
    await refusedBy(rest("POST", "/access/trusted-pipelines", trust, bearer), /trustPipeline names none/, "trusts another");
    const body = JSON.stringify({
      query: "mutation ($id: String!) { ok: setAppEnabled(name: $id, enabled: true) { error { code } } }",
      variables: { id: other },
    });
    const graphql = await send(platform.httpUrl, "/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer },
      body,
    });
    assert.match(graphql.text, ofOther);
    const client = createPlatformClient({ grpcUrl: platform.grpcUrl, token });
    const { manifest, signature: manifestSignature } = await testApp({ name: uniqueName("com.example.new"), ...webApp });
    const calls = {
      registers: client.marketplace.registerApp({ manifest, manifestSignature }),
      installs: client.marketplace.installApp({ name: other }),
      uninstalls: client.marketplace.uninstallApp({ name: other }),
    };
    for (const [what, call] of Object.entries(calls))
      await assert.rejects(call, (error: unknown) => /acts on .* and not on/.test(ConnectError.from(error).message), what);
    assert.equal((await rest("GET", `/apps/${otherId}`, undefined, bearer)).status, 200, "plans name other apps");
    const viewer = jsonOf(await rest("GET", "/viewer", undefined, bearer)) as { readonly permissions: readonly string[] };
    assert.ok(viewer.permissions.includes("app:install"));
    assert.equal((await rest("GET", `/apps/${name}/settings`, undefined, bearer)).status, 200, "its own, by its name");
  });

  test("the endpoint takes a form, once for each token, and nothing from the address", async () => {
    const subject_token = await idToken();
    const problem = async (answer: ReturnType<typeof exchange>) => {
      const { status, text, headers } = await answer;
      const { error, error_description: description } = JSON.parse(text) as Readonly<Record<string, string>>;
      assert.match(headers["content-type"] ?? "", /^application\/json/);
      assert.ok(description);
      return [status, error];
    };
    const wrong: Readonly<Record<string, readonly [ReturnType<typeof exchange>, string]>> = {
      "a token in the address": [exchange({ subject_token }, `/oauth/token?subject_token=${subject_token}`), "invalid_request"],
      "another grant": [exchange({ subject_token, grant_type: "client_credentials" }), "unsupported_grant_type"],
      "another type": [
        exchange({ subject_token, subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }),
        "invalid_request",
      ],
      "a scope": [exchange({ subject_token, scope: "app:install" }), "invalid_scope"],
      "an actor": [exchange({ subject_token, actor_token: "x" }), "invalid_request"],
      "no token": [exchange({}), "invalid_request"],
      "a text": [exchange({ subject_token: "x.y" }), "invalid_request"],
      "the token of a service account": [exchange({ subject_token: secrets[0] ?? "" }), "invalid_request"],
    };
    for (const [what, [answer, error]] of Object.entries(wrong)) assert.deepEqual(await problem(answer), [400, error], what);
    assert.equal((await send(platform.httpUrl, "/oauth/token")).status, 405);
    const json = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ grant_type: grant, subject_token }),
    };
    assert.equal((await send(platform.httpUrl, "/oauth/token", json)).status, 400);
    const large = await exchange({ subject_token: "a".repeat(30_000) });
    assert.equal(large.status, 413);
    const good = await exchange({ subject_token });
    assert.deepEqual([good.status, good.headers["cache-control"]], [200, "no-store"]);
    const { access_token, ...terms } = jsonOf(good) as Readonly<Record<string, unknown>>;
    secrets.push(String(access_token));
    assert.deepEqual(terms, {
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 900,
    });
    assert.deepEqual(await problem(exchange({ subject_token })), [400, "invalid_grant"]);
    issuer.isDown = true;
    const elsewhere = await idToken({ iss: "https://no-such.example" });
    assert.deepEqual(await problem(exchange({ subject_token: elsewhere })), [400, "invalid_grant"]);
    issuer.isDown = false;
  });

  test("no token and no key is in the log or in a table, and the end of the trust ends its tokens", async () => {
    const token = await exchanged();
    const bearer = { authorization: `Bearer ${token}` };
    assert.equal((await rest("GET", "/apps", undefined, bearer)).status, 200);
    const texts = { log: await platform.log(), ...(await platform.onDatabase(dumpTables)) };
    for (const secret of [...secrets, keys.APPSERVER_APP_KEY]) assert.deepEqual(findCanary(secret, texts), []);
    assert.match(await ctl(await administrator(), "trust", "remove", trustId), /is not trusted any more/);
    assert.equal((await rest("GET", "/apps", undefined, bearer)).status, 401);
    const { items } = jsonOf(await rest("GET", `/audit-log?target=machine:${accountId}`)) as {
      readonly items: readonly { readonly action: string }[];
    };
    const actions = items.map(({ action }) => action);
    for (const action of ["pipeline.trust", "pipeline.exchange", "pipeline.distrust"])
      assert.ok(actions.includes(action), action);
  });
});
