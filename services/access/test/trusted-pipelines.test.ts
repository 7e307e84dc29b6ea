import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { installationTuples, scopeObject } from "@appserver/contracts/authorization";
import { type Caller, callOn, type Logger, type MachineCaller, SystemClock, silentLogger } from "@appserver/kernel";
import { HttpOutbound } from "@appserver/outbound-http";
import {
  callBy,
  dumpTables,
  FakeClock,
  findCanary,
  MapCache,
  MapIdentity,
  RecordingMetrics,
  rejectsWith,
  SqlAuditLog,
  type TestDatabase,
  until,
} from "@appserver/testing/kit";
import { startTokenIssuer, type TokenIssuer } from "@appserver/testing/kit/token-issuer";
import { OpenIdIssuers } from "../src/adapters/openid-issuers.ts";
import { sqlGroupReadings } from "../src/adapters/sql-group-readings.ts";
import { sqlMappedGrants } from "../src/adapters/sql-mapped-grants.ts";
import { sqlServiceAccounts } from "../src/adapters/sql-service-accounts.ts";
import { sqlTrustedPipelines } from "../src/adapters/sql-trusted-pipelines.ts";
import { keyOfMachineToken } from "../src/domain/machine-token.ts";
import { RefusedChanges } from "../src/domain/refused-changes.ts";
import type { TrustedPipeline } from "../src/ports.ts";
import { grantAccess } from "../src/use-cases/change-access.ts";
import { CachedPermissions } from "../src/use-cases/check-permission.ts";
import { createServiceAccount } from "../src/use-cases/service-accounts/create-service-account.ts";
import { createToken } from "../src/use-cases/service-accounts/issue-token.ts";
import { distrustPipeline } from "../src/use-cases/trusted-pipelines/distrust-pipeline.ts";
import { exchangeToken } from "../src/use-cases/trusted-pipelines/exchange-token.ts";
import { type TrustRequest, trustPipeline } from "../src/use-cases/trusted-pipelines/trust-pipeline.ts";
import { MachineTokenMemory } from "../src/workers/machine-token-memory.ts";
import { openHome, startAuthorization } from "./access-fixture.ts";

const system = new SystemClock();
const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };
/** Gives and takes access, but may not install apps. */
const max: Caller = { kind: "user", id: "max", displayName: "Max" };
const notes = "com.example.notes";
const platform = "https://apps.example.com";
const holderOf = (permission: string) => ({ relation: "holder", object: scopeObject(permission) });
const now = () => Math.floor(Date.now() / 1_000);
const ids = (function* () {
  for (let number = 1; ; number += 1) yield `run-${number}`;
})();

/** What GitHub says of a push to main of the trusted repository. */
const pushed = (issuer: TokenIssuer, changed: Readonly<Record<string, unknown>> = {}) => ({
  iss: issuer.url,
  aud: platform,
  sub: "repo:acme/notes:ref:refs/heads/main",
  jti: ids.next().value,
  iat: now() - 1,
  exp: now() + 300,
  repository: "acme/notes",
  repository_id: "123",
  ref: "refs/heads/main",
  event_name: "push",
  sha: "0123456789abcdef0123456789abcdef01234567",
  run_id: "77",
  ...changed,
});

describe("trusted pipelines", () => {
  let home: TestDatabase;
  let authorization: EmbeddedAuthorization;
  let issuer: TokenIssuer;
  let outbound: HttpOutbound;
  let cache: MapCache;
  let trust: TrustedPipeline;
  const lines: string[] = [];
  const opened: { stop(): unknown }[] = [];
  const add = (fields: object, message = ""): void => {
    lines.push(`${JSON.stringify(fields)} ${message}`);
  };
  const logger: Logger = { debug: add, info: add, warn: add, error: add, child: () => logger };

  before(async () => {
    home = await openHome();
    authorization = await startAuthorization([
      ...installationTuples(notes, ["notes:read"]),
      { user: "user:ada", relation: "assignee", object: "role:easy" },
      { user: "user:max", ...holderOf("access:manage") },
    ]);
    outbound = new HttpOutbound({
      allow: [],
      deny: [],
      allowLoopback: true,
      endpoints: () => [],
      clock: system,
      logger: silentLogger,
    });
    cache = new MapCache(system);
    const grants = ["app:view", "app:install", "app:register", "permission:approve"].map(holderOf);
    await createServiceAccount(context(), { name: "ci", grants }, callBy(ada));
  });
  beforeEach(async () => {
    await issuer?.stop();
    issuer = await startTokenIssuer();
    lines.length = 0;
    trust = await trustOf({ issuer: issuer.url });
  });
  after(async () => {
    await Promise.all(opened.map((each) => each.stop()));
    await issuer?.stop();
    await outbound?.close();
    await authorization?.stop();
    await home?.stop();
  });

  const replica = () =>
    new CachedPermissions({
      authorization,
      cache,
      changes: { recent: () => ({ horizon: 0, latestOf: () => 0 }) },
      clock: system,
      logger: silentLogger,
      macKey: Buffer.alloc(32, 1),
      metrics: new RecordingMetrics(),
    });
  const context = () => ({
    authorization,
    identity: new MapIdentity(),
    permissions: replica(),
    audit: new SqlAuditLog({ database: home.database, clock: system }),
    database: home.database,
    readings: sqlGroupReadings,
    mapped: sqlMappedGrants,
    accounts: sqlServiceAccounts,
    pipelines: sqlTrustedPipelines,
    publicOrigin: platform,
    logger,
    clock: system,
    refused: new RefusedChanges(),
  });
  const trustOf = (changed: Partial<TrustRequest> = {}, caller = ada) => {
    const repository = { repository: "acme/notes", repositoryId: "123", ref: "refs/heads/main" };
    return trustPipeline(
      context(),
      { account: "ci", provider: "github", apps: [notes], ...repository, ...changed },
      callBy(caller),
    );
  };
  /** A server: it has read no keys yet. */
  const server = () => {
    const issuers = new OpenIdIssuers({ documents: outbound, clock: system, logger });
    return (token: string) => exchangeToken({ ...context(), issuers }, token);
  };
  const memory = async () => {
    const tokens = new MachineTokenMemory({
      database: home.database,
      table: sqlServiceAccounts,
      clock: system,
      logger: silentLogger,
    });
    await tokens.start();
    opened.push(tokens);
    return tokens;
  };
  const callerOf = async (token: string): Promise<MachineCaller> => (await memory()).identify(keyOfMachineToken(token) ?? "");
  const refusal = (reason: RegExp) => rejectsWith("AUTHENTICATION_FAILED", reason);

  test("its token becomes one of the account for 15 minutes, with the run in the audit log and the token in no log or table", async () => {
    const subject = await issuer.sign(pushed(issuer));
    const { token, expiresInSeconds } = await server()(subject);
    assert.equal(expiresInSeconds, 900);
    const caller = await callerOf(token);
    assert.deepEqual([caller.name, caller.pipeline?.trustId, caller.pipeline?.apps], ["ci", trust.id, [notes]]);
    assert.deepEqual(caller.pipeline?.run, {
      provider: "github",
      repository: "acme/notes",
      commit: "0123456789abcdef0123456789abcdef01234567",
      ref: "refs/heads/main",
      runUrl: `${issuer.url}/acme/notes/actions/runs/77`,
    });
    const [entry] = await context().audit.read({ action: "pipeline.exchange", limit: 1 });
    assert.deepEqual(
      [entry?.actor, entry?.details?.["repository"], entry?.details?.["runUrl"]],
      [`machine:${caller.id}`, "acme/notes", `${issuer.url}/acme/notes/actions/runs/77`],
    );
    const stored = await dumpTables(home.database);
    for (const secret of [subject, subject.split(".")[2] ?? "", token]) {
      assert.deepEqual(findCanary(secret, stored), []);
      assert.ok(!lines.some((line) => line.includes(secret)));
    }
    const [account] = await sqlServiceAccounts.list(home.database, caller.id);
    assert.equal(account?.tokens.length, 1, "it is none of the tokens that were made by hand");
  });

  test("a token that differs in one claim is refused with what differs", async () => {
    const attacks: Readonly<Record<string, readonly [Readonly<Record<string, unknown>>, RegExp]>> = {
      "another audience": [
        { aud: "https://other.example" },
        /aud must be https:\/\/apps.example.com, got https:\/\/other.example/,
      ],
      "an audience among others": [
        { aud: [platform, "https://other.example"] },
        /aud must be https:\/\/apps.example.com, got none/,
      ],
      "another repository": [{ repository: "evil/notes", repository_id: "666" }, /no trust is for evil\/notes \(id 666\)$/],
      "the same name with another id": [{ repository_id: "666" }, /no trust is for acme\/notes \(id 666\)$/],
      "the same id with another name": [{ repository: "evil/notes" }, /no trust is for evil\/notes \(id 123\)$/],
      "a pull request of a fork": [
        { event_name: "pull_request", ref: "refs/pull/7/merge" },
        /ref must be refs\/heads\/main, got refs\/pull\/7\/merge; event_name/,
      ],
      "a pull request that names main": [{ event_name: "pull_request" }, /event_name must be push, .*got pull_request$/],
      pull_request_target: [{ event_name: "pull_request_target" }, /got pull_request_target$/],
      workflow_run: [{ event_name: "workflow_run" }, /got workflow_run$/],
      "no event": [{ event_name: undefined }, /event_name must be .*, got none/],
      "another branch": [{ ref: "refs/heads/main2" }, /ref must be refs\/heads\/main, got refs\/heads\/main2$/],
      "a tag of that name": [{ ref: "refs/tags/main" }, /ref must be/],
      "no ref": [{ ref: undefined }, /ref must be refs\/heads\/main, got none/],
      "an environment that the trust does not have": [{ environment: "staging" }, /environment must be none, got staging/],
      expired: [{ iat: now() - 600, exp: now() - 120 }, /"exp" claim/],
      "not valid yet": [{ nbf: now() + 300 }, /"nbf" claim/],
      "issued later": [{ iat: now() + 300, exp: now() + 600 }, /must have iat, which has passed/],
      "valid for a day": [{ exp: now() + 86_400 }, /end within 3600 s/],
      "without an end": [{ exp: undefined }, /must have iat/],
    };
    const exchange = server();
    for (const [what, [changed, reason]] of Object.entries(attacks)) {
      const token = await issuer.sign(pushed(issuer, changed));
      await assert.rejects(exchange(token), refusal(reason), what);
      assert.ok(!lines.some((line) => line.includes(token)), what);
    }
    assert.ok(lines.some((line) => line.includes("the token of a pipeline was refused") && line.includes("evil/notes")));
    // The token of another repository does not show what is trusted.
    await assert.rejects(
      exchange(await issuer.sign(pushed(issuer, { repository: "evil/notes" }))),
      (error: Error) => !error.message.includes("acme"),
    );
  });

  test("an environment that the trust names must be that of the job", async () => {
    await distrustPipeline(context(), trust.id, callBy(ada));
    await trustOf({ issuer: issuer.url, environment: "production" });
    const exchange = server();
    await assert.rejects(exchange(await issuer.sign(pushed(issuer))), refusal(/environment must be production, got none/));
    await assert.rejects(exchange(await issuer.sign(pushed(issuer, { environment: "Production" }))), refusal(/got Production/));
    await exchange(await issuer.sign(pushed(issuer, { environment: "production" })));
  });

  test("a token that the issuer has not signed is refused without a word about what is trusted", async () => {
    const parts = (await issuer.sign(pushed(issuer))).split(".");
    const encode = (value: unknown) =>
      Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
    const claims = encode(pushed(issuer));
    const confused = (secret: string) => {
      const signed = `${encode({ alg: "HS256", kid: "key-1" })}.${claims}`;
      return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
    };
    const other = await startTokenIssuer();
    opened.push(other);
    const attacks = {
      "algorithm none": `${encode({ alg: "none" })}.${claims}.`,
      "none with a signature": `${encode({ alg: "none" })}.${claims}.${parts[2]}`,
      "the public key as the secret of an HMAC": confused(await issuer.publicKey()),
      "no secret": confused(""),
      "claims of another signature": `${parts[0]}.${claims}.${parts[2]}`,
      "a key of its own": `${encode({ alg: "RS256", kid: "key-1", jwk: JSON.parse(await other.publicKey()) })}.${(await other.sign(pushed(issuer))).split(".").slice(1).join(".")}`,
      "the key of another issuer": await other.sign(pushed(issuer)),
      "a key that is not there": (await issuer.sign(pushed(issuer))).replace(
        /^[^.]+/,
        encode({ alg: "RS256", kid: "no-such" }),
      ),
    };
    const exchange = server();
    const messages = new Set<string>();
    for (const [what, token] of Object.entries(attacks))
      await assert.rejects(
        exchange(token),
        (error: Error) => {
          messages.add(error.message);
          return refusal(/its issuer is not trusted, or its signature is not valid/)(error);
        },
        what,
      );
    const before = other.requests.length;
    await assert.rejects(exchange(await other.sign({ ...pushed(issuer), iss: other.url })), (error: Error) => {
      messages.add(error.message);
      return true;
    });
    assert.equal(messages.size, 1);
    assert.equal(other.requests.length, before, "an issuer that is not trusted gets no request");
    assert.equal(issuer.requests.length, 2, "a key that is not there causes no further request");
    for (const [what, token] of Object.entries({
      "no token": "x",
      "two parts": "e30.e30",
      text: "a b.c.d",
      "no claims": "e30.W10.x",
      large: `e30.${"a".repeat(20_000)}.x`,
    }))
      await assert.rejects(exchange(token), rejectsWith("INVALID_REQUEST", /subject_token must be/), what);
  });

  test("a token is exchanged once, also by two servers at the same time, and after its text was changed", async () => {
    const [one, two] = [server(), server()];
    const token = await issuer.sign(pushed(issuer));
    const outcomes = await Promise.allSettled([...Array(4)].map((_, index) => (index % 2 ? one : two)(token)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const replayed = refusal(/was exchanged before/);
    await assert.rejects(one(token), replayed);
    const claims = pushed(issuer, { jti: undefined });
    const withoutId = await issuer.sign(claims);
    await two(withoutId);
    await assert.rejects(one(withoutId), replayed);
    const same = pushed(issuer);
    await one(await issuer.sign(same));
    await assert.rejects(two(await issuer.sign({ ...same, iat: now() - 2 })), replayed, "another token with the same jti");
  });

  test("an issuer that does not respond is no refusal, and is not asked again at once; a new key is found", async () => {
    const exchange = server();
    issuer.isDown = true;
    const token = await issuer.sign(pushed(issuer));
    await assert.rejects(exchange(token), rejectsWith("SERVICE_UNAVAILABLE", /cannot be read at the moment/));
    await assert.rejects(exchange(token), rejectsWith("SERVICE_UNAVAILABLE"));
    assert.equal(issuer.requests.length, 1);
    issuer.isDown = false;
    await server()(token);
    const clock = new FakeClock(Date.now());
    const issuers = new OpenIdIssuers({ documents: outbound, clock, logger });
    await issuers.verify(token, issuer.url);
    await issuer.rotate();
    const next = await issuer.sign(pushed(issuer));
    const asked = issuer.requests.length;
    await assert.rejects(issuers.verify(next, issuer.url), refusal(/signature is not valid/));
    assert.equal(issuer.requests.length, asked, "the keys were read just before");
    await clock.advance(31_000);
    await Promise.all([issuers.verify(next, issuer.url), issuers.verify(next, issuer.url)]);
    assert.equal(issuer.requests.length, asked + 2);
    const closed = new HttpOutbound({
      allow: [],
      deny: [],
      allowLoopback: false,
      endpoints: () => [],
      clock: system,
      logger: silentLogger,
    });
    const walled = new OpenIdIssuers({ documents: closed, clock: system, logger });
    await assert.rejects(walled.verify(token, issuer.url), rejectsWith("SERVICE_UNAVAILABLE"), "the rules for addresses hold");
    await closed.close();
  });

  test("what it acts on is its apps: nothing of the platform without an app, nothing of another app, no access", async () => {
    const { token } = await server()(await issuer.sign(pushed(issuer)));
    const caller = await callerOf(token);
    const call = callBy(caller);
    const permissions = replica();
    const held = async (of: Caller) =>
      Promise.all(
        ["app:view", "app:install", "app:register", "access:manage"].map(async (each) => await permissions.allowed(of, each)),
      );
    assert.deepEqual(await held(caller), [true, false, false, false]);
    assert.deepEqual(await held(callOn(call, notes).caller), [true, true, true, false]);
    assert.throws(
      () => callOn(call, "com.example.other"),
      rejectsWith("PERMISSION_DENIED", new RegExp(`${trust.id} acts on ${notes} and not on com.example.other`)),
    );
    assert.equal(await permissions.allowed(caller, "notes:read", "com.example.other"), false);
    const itself = { user: `machine:${caller.id}`, ...holderOf("app:delete") };
    for (const acting of [call, callOn(call, notes)]) {
      const attempts = {
        "grants itself more": () => grantAccess(context(), itself, acting),
        "makes a token": () => createToken(context(), { id: caller.id }, acting),
        "makes an account": () => createServiceAccount(context(), { name: "more", grants: [] }, acting),
        "trusts another pipeline": () =>
          trustPipeline(
            context(),
            { account: "ci", provider: "github", apps: [notes], repository: "evil/x", repositoryId: "1", ref: "refs/heads/x" },
            acting,
          ),
        "ends a trust": () => distrustPipeline(context(), trust.id, acting),
      };
      for (const [what, attempt] of Object.entries(attempts))
        await assert.rejects(attempt(), rejectsWith("PERMISSION_DENIED", /lacks the permission access:manage/), what);
    }
  });

  test("its tokens end with the trust, and with the account, on every server", async () => {
    const servers = [await memory(), await memory()];
    const { token } = await server()(await issuer.sign(pushed(issuer)));
    const key = keyOfMachineToken(token) ?? "";
    for (const each of servers) await each.identify(key);
    await distrustPipeline(context(), trust.id, callBy(ada));
    for (const each of servers)
      await until("it is refused", async () =>
        Promise.resolve(each.identify(key)).then(() => false, rejectsWith("AUTHENTICATION_FAILED", /not valid/)),
      );
    await assert.rejects(server()(await issuer.sign(pushed(issuer))), refusal(/issuer is not trusted/));
    await assert.rejects(distrustPipeline(context(), trust.id, callBy(ada)), rejectsWith("NOT_FOUND", /no trusted pipeline/));
    const [entry] = await context().audit.read({ action: "pipeline.distrust", limit: 1 });
    assert.deepEqual([entry?.actor, entry?.details?.["trust"]], ["user:ada", trust.id]);
  });

  test("a trust needs everything that its account holds, and conditions that name one pipeline", async () => {
    await assert.rejects(trustOf({ ref: "refs/heads/x" }, max), rejectsWith("PERMISSION_DENIED", /may not give app:/));
    await assert.rejects(trustOf({ account: "no-such" }), rejectsWith("NOT_FOUND", /no service account "no-such"/));
    await assert.rejects(
      trustOf({ issuer: issuer.url }),
      rejectsWith("CONFLICT", new RegExp(`${trust.id} has the same conditions`)),
    );
    const oidc = { provider: "oidc", repository: null, repositoryId: null, ref: null, issuer: "https://ci.example" } as const;
    const wrong: Readonly<Record<string, readonly [Partial<TrustRequest>, RegExp]>> = {
      "every branch": [{ ref: "refs/heads/*" }, /ref must be a full name/],
      "a short ref": [{ ref: "main" }, /ref must be a full name/],
      "no id": [{ repositoryId: null }, /repositoryId must be/],
      "a star for a repository": [{ repository: "acme/*" }, /repository must be a path/],
      "http elsewhere": [{ issuer: "http://ci.example" }, /issuer must be the address/],
      "a query": [{ issuer: "https://ci.example?x" }, /issuer must be the address/],
      "no apps": [{ apps: [] }, /apps must be 1 to 20/],
      "an invalid app name": [{ apps: ["Not an app"] }, /apps\[0\] must be/],
      "claims of GitHub": [{ claims: { sub: "x" } }, /claims must be empty/],
      "GitHub without its rules": [
        { ...oidc, issuer: "https://token.actions.githubusercontent.com", claims: { sub: "x" } },
        /use the provider github/,
      ],
      "no claim": [{ ...oidc, claims: {} }, /claims must be 1 to 10/],
      "no claim that identifies": [{ ...oidc, claims: { ref: "main" } }, /claims must have one of sub/],
      "an own claim": [{ ...oidc, claims: { sub: "x", iss: "y" } }, /must not have the name "iss"/],
      "a ref of oidc": [{ ...oidc, ref: "refs/heads/main", claims: { sub: "x" } }, /ref must be absent/],
    };
    for (const [what, [changed, reason]] of Object.entries(wrong))
      await assert.rejects(trustOf(changed), rejectsWith("INVALID_REQUEST", reason), what);
    await assert.rejects(
      trustPipeline(
        { ...context(), publicOrigin: undefined },
        { account: "ci", provider: "github", apps: [notes], repository: "a/b", repositoryId: "1", ref: "refs/heads/main" },
        callBy(ada),
      ),
      rejectsWith("INVALID_REQUEST", /audience must be/),
    );
  });

  test("GitLab and other issuers are compared by their own claims", async () => {
    const gitlab = {
      iss: issuer.url,
      aud: platform,
      iat: now() - 1,
      exp: now() + 300,
      project_path: "acme/notes",
      project_id: "9",
      ref: "main",
      ref_type: "branch",
      pipeline_source: "push",
      pipeline_id: "55",
      sha: "abc1234",
    };
    const own = await trustOf({ provider: "gitlab", issuer: issuer.url, repositoryId: "9" });
    const exchange = server();
    const { token } = await exchange(await issuer.sign({ ...gitlab, jti: "gitlab-1" }));
    const caller = await callerOf(token);
    assert.deepEqual(
      [caller.pipeline?.trustId, caller.pipeline?.run.runUrl],
      [own.id, `${issuer.url}/acme/notes/-/pipelines/55`],
    );
    const merge = { ...gitlab, pipeline_source: "merge_request_event", ref_path: "refs/merge-requests/1/head" };
    await assert.rejects(
      exchange(await issuer.sign(merge)),
      refusal(/ref must be .*pipeline_source must be .*got merge_request_event/),
    );
    await assert.rejects(
      exchange(await issuer.sign({ ...gitlab, project_path: "fork/notes", project_id: "10" })),
      refusal(/no trust is for fork\/notes/),
    );

    await trustOf({
      provider: "oidc",
      issuer: issuer.url,
      repository: null,
      repositoryId: null,
      ref: null,
      claims: { sub: "pipeline:7", branch: "main" },
    });
    const other = { iss: issuer.url, aud: platform, iat: now() - 1, exp: now() + 300, sub: "pipeline:7" };
    await assert.rejects(exchange(await issuer.sign(other)), refusal(/branch must be main, got none/));
    await assert.rejects(exchange(await issuer.sign({ ...other, branch: ["main"] })), refusal(/branch must be main/));
    await assert.rejects(
      exchange(await issuer.sign({ ...other, branch: "main", event_name: "pull_request_target" })),
      refusal(/event_name/),
    );
    await exchange(await issuer.sign({ ...other, branch: "main" }));
  });

  test("the tokens of a trust and the notes of exchanges are bounded", async () => {
    await home.database.query(
      `insert into access.service_account_tokens (id, token_key, account_id, created_by, expires_at, trust_id, run)
       select gen_random_uuid(), 'filler-' || n, $1, 'test', now() + make_interval(secs => case when n <= 100 then 60 else -60 end), $2, '{}'
       from generate_series(1, 150) n`,
      [trust.accountId, trust.id],
    );
    await home.database.query(
      "insert into access.exchanged_tokens select 'over-' || n, now() - interval '1 s' from generate_series(1, 20) n",
    );
    const full = await issuer.sign(pushed(issuer));
    await assert.rejects(server()(full), rejectsWith("RATE_LIMIT_EXCEEDED", /has 100 valid tokens/));
    await home.database.query("update access.service_account_tokens set expires_at = now() where token_key = 'filler-1'");
    await server()(full);
    const count = async (text: string) => (await home.database.query<{ n: number }>(text)).rows[0]?.n;
    assert.equal(
      await count(
        "select count(*)::int as n from access.service_account_tokens where trust_id is not null and expires_at <= now()",
      ),
      0,
    );
    assert.equal(await count("select count(*)::int as n from access.exchanged_tokens where expires_at < now()"), 0);
  });
});
