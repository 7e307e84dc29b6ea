import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Caller, callOn } from "@appserver/kernel";
import { callBy, rejectsWith, until } from "@appserver/testing/kit";
import { keyOfMachineToken } from "../src/domain/machine-token.ts";
import { grantAccess } from "../src/use-cases/change-access.ts";
import { createServiceAccount } from "../src/use-cases/service-accounts/create-service-account.ts";
import { createToken } from "../src/use-cases/service-accounts/issue-token.ts";
import { distrustPipeline } from "../src/use-cases/trusted-pipelines/distrust-pipeline.ts";
import { type TrustRequest, trustPipeline } from "../src/use-cases/trusted-pipelines/trust-pipeline.ts";
import { ada, holderOf, max, notes, now, pipelinesUnderTest, platform, pushed } from "./pipelines-under-test.ts";

describe("trusted pipelines", () => {
  const { issuer, trust, home, replica, context, trustOf, server, memory, callerOf, refusal } = pipelinesUnderTest();

  test("what it acts on is its apps: nothing of the platform without an app, nothing of another app, no access", async () => {
    const { token } = await server()(await issuer().sign(pushed(issuer())));
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
      rejectsWith("PERMISSION_DENIED", new RegExp(`${trust().id} acts on ${notes} and not on com.example.other`)),
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
        "ends a trust": () => distrustPipeline(context(), trust().id, acting),
      };
      for (const [what, attempt] of Object.entries(attempts))
        await assert.rejects(attempt(), rejectsWith("PERMISSION_DENIED", /lacks the permission access:manage/), what);
    }
  });

  test("its tokens end with the trust, and with the account, on every server", async () => {
    const servers = [await memory(), await memory()];
    const { token } = await server()(await issuer().sign(pushed(issuer())));
    const key = keyOfMachineToken(token) ?? "";
    for (const each of servers) await each.identify(key);
    await distrustPipeline(context(), trust().id, callBy(ada));
    for (const each of servers)
      await until("it is refused", async () =>
        Promise.resolve(each.identify(key)).then(() => false, rejectsWith("AUTHENTICATION_FAILED", /not valid/)),
      );
    await assert.rejects(server()(await issuer().sign(pushed(issuer()))), refusal(/issuer is not trusted/));
    await assert.rejects(distrustPipeline(context(), trust().id, callBy(ada)), rejectsWith("NOT_FOUND", /no trusted pipeline/));
    const [entry] = await context().audit.read({ action: "pipeline.distrust", limit: 1 });
    assert.deepEqual([entry?.actor, entry?.details?.["trust"]], ["user:ada", trust().id]);
  });

  test("a trust needs everything that its account holds, and conditions that name one pipeline", async () => {
    await assert.rejects(trustOf({ ref: "refs/heads/x" }, max), rejectsWith("PERMISSION_DENIED", /may not give app:/));
    await assert.rejects(trustOf({ account: "no-such" }), rejectsWith("NOT_FOUND", /no service account "no-such"/));
    await assert.rejects(
      trustOf({ issuer: issuer().url }),
      rejectsWith("CONFLICT", new RegExp(`${trust().id} has the same conditions`)),
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
      iss: issuer().url,
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
    const own = await trustOf({ provider: "gitlab", issuer: issuer().url, repositoryId: "9" });
    const exchange = server();
    const { token } = await exchange(await issuer().sign({ ...gitlab, jti: "gitlab-1" }));
    const caller = await callerOf(token);
    assert.deepEqual(
      [caller.pipeline?.trustId, caller.pipeline?.run.runUrl],
      [own.id, `${issuer().url}/acme/notes/-/pipelines/55`],
    );
    const merge = { ...gitlab, pipeline_source: "merge_request_event", ref_path: "refs/merge-requests/1/head" };
    await assert.rejects(
      exchange(await issuer().sign(merge)),
      refusal(/ref must be .*pipeline_source must be .*got merge_request_event/),
    );
    await assert.rejects(
      exchange(await issuer().sign({ ...gitlab, project_path: "fork/notes", project_id: "10" })),
      refusal(/no trust is for fork\/notes/),
    );

    await trustOf({
      provider: "oidc",
      issuer: issuer().url,
      repository: null,
      repositoryId: null,
      ref: null,
      claims: { sub: "pipeline:7", branch: "main" },
    });
    const other = { iss: issuer().url, aud: platform, iat: now() - 1, exp: now() + 300, sub: "pipeline:7" };
    await assert.rejects(exchange(await issuer().sign(other)), refusal(/branch must be main, got none/));
    await assert.rejects(exchange(await issuer().sign({ ...other, branch: ["main"] })), refusal(/branch must be main/));
    await assert.rejects(
      exchange(await issuer().sign({ ...other, branch: "main", event_name: "pull_request_target" })),
      refusal(/event_name/),
    );
    await exchange(await issuer().sign({ ...other, branch: "main" }));
  });

  test("the tokens of a trust and the notes of exchanges are bounded", async () => {
    await home().database.query(
      `insert into access.service_account_tokens (id, token_key, account_id, created_by, expires_at, trust_id, run)
       select gen_random_uuid(), 'filler-' || n, $1, 'test', now() + make_interval(secs => case when n <= 100 then 60 else -60 end), $2, '{}'
       from generate_series(1, 150) n`,
      [trust().accountId, trust().id],
    );
    await home().database.query(
      "insert into access.exchanged_tokens select 'over-' || n, now() - interval '1 s' from generate_series(1, 20) n",
    );
    const full = await issuer().sign(pushed(issuer()));
    await assert.rejects(server()(full), rejectsWith("RATE_LIMIT_EXCEEDED", /has 100 valid tokens/));
    await home().database.query("update access.service_account_tokens set expires_at = now() where token_key = 'filler-1'");
    await server()(full);
    const count = async (text: string) => (await home().database.query<{ n: number }>(text)).rows[0]?.n;
    assert.equal(
      await count(
        "select count(*)::int as n from access.service_account_tokens where trust_id is not null and expires_at <= now()",
      ),
      0,
    );
    assert.equal(await count("select count(*)::int as n from access.exchanged_tokens where expires_at < now()"), 0);
  });
});
