import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { HttpOutbound } from "@appserver/outbound-http";
import { callBy, dumpTables, FakeClock, findCanary, rejectsWith } from "@appserver/testing/kit";
import { startTokenIssuer } from "@appserver/testing/kit/token-issuer";
import { OpenIdIssuers } from "../src/adapters/openid-issuers.ts";
import { sqlServiceAccounts } from "../src/adapters/sql-service-accounts.ts";
import { distrustPipeline } from "../src/use-cases/trusted-pipelines/distrust-pipeline.ts";
import { ada, notes, now, pipelinesUnderTest, platform, pushed, system } from "./pipelines-under-test.ts";

describe("the exchange of the token of a pipeline", () => {
  const { issuer, trust, home, outbound, lines, opened, logger, context, trustOf, server, callerOf, refusal } =
    pipelinesUnderTest();

  test("its token becomes one of the account for 15 minutes, with the run in the audit log and the token in no log or table", async () => {
    const subject = await issuer().sign(pushed(issuer()));
    const { token, expiresInSeconds } = await server()(subject);
    assert.equal(expiresInSeconds, 900);
    const caller = await callerOf(token);
    assert.deepEqual([caller.name, caller.pipeline?.trustId, caller.pipeline?.apps], ["ci", trust().id, [notes]]);
    assert.deepEqual(caller.pipeline?.run, {
      provider: "github",
      repository: "acme/notes",
      commit: "0123456789abcdef0123456789abcdef01234567",
      ref: "refs/heads/main",
      runUrl: `${issuer().url}/acme/notes/actions/runs/77`,
    });
    const [entry] = await context().audit.read({ action: "pipeline.exchange", limit: 1 });
    assert.deepEqual(
      [entry?.actor, entry?.details?.["repository"], entry?.details?.["runUrl"]],
      [`machine:${caller.id}`, "acme/notes", `${issuer().url}/acme/notes/actions/runs/77`],
    );
    const stored = await dumpTables(home().database);
    for (const secret of [subject, subject.split(".")[2] ?? "", token]) {
      assert.deepEqual(findCanary(secret, stored), []);
      assert.ok(!lines.some((line) => line.includes(secret)));
    }
    const [account] = await sqlServiceAccounts.list(home().database, caller.id);
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
      const token = await issuer().sign(pushed(issuer(), changed));
      await assert.rejects(exchange(token), refusal(reason), what);
      assert.ok(!lines.some((line) => line.includes(token)), what);
    }
    assert.ok(lines.some((line) => line.includes("the token of a pipeline was refused") && line.includes("evil/notes")));
    // The token of another repository does not show what is trusted.
    await assert.rejects(
      exchange(await issuer().sign(pushed(issuer(), { repository: "evil/notes" }))),
      (error: Error) => !error.message.includes("acme"),
    );
  });

  test("an environment that the trust names must be that of the job", async () => {
    await distrustPipeline(context(), trust().id, callBy(ada));
    await trustOf({ issuer: issuer().url, environment: "production" });
    const exchange = server();
    await assert.rejects(exchange(await issuer().sign(pushed(issuer()))), refusal(/environment must be production, got none/));
    await assert.rejects(
      exchange(await issuer().sign(pushed(issuer(), { environment: "Production" }))),
      refusal(/got Production/),
    );
    await exchange(await issuer().sign(pushed(issuer(), { environment: "production" })));
  });

  test("a token that the issuer has not signed is refused without a word about what is trusted", async () => {
    const parts = (await issuer().sign(pushed(issuer()))).split(".");
    const encode = (value: unknown) =>
      Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
    const claims = encode(pushed(issuer()));
    const confused = (secret: string) => {
      const signed = `${encode({ alg: "HS256", kid: "key-1" })}.${claims}`;
      return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
    };
    const other = await startTokenIssuer();
    opened.push(other);
    const attacks = {
      "algorithm none": `${encode({ alg: "none" })}.${claims}.`,
      "none with a signature": `${encode({ alg: "none" })}.${claims}.${parts[2]}`,
      "the public key as the secret of an HMAC": confused(await issuer().publicKey()),
      "no secret": confused(""),
      "claims of another signature": `${parts[0]}.${claims}.${parts[2]}`,
      "a key of its own": `${encode({ alg: "RS256", kid: "key-1", jwk: JSON.parse(await other.publicKey()) })}.${(await other.sign(pushed(issuer()))).split(".").slice(1).join(".")}`,
      "the key of another issuer": await other.sign(pushed(issuer())),
      "a key that is not there": (await issuer().sign(pushed(issuer()))).replace(
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
    await assert.rejects(exchange(await other.sign({ ...pushed(issuer()), iss: other.url })), (error: Error) => {
      messages.add(error.message);
      return true;
    });
    assert.equal(messages.size, 1);
    assert.equal(other.requests.length, before, "an issuer that is not trusted gets no request");
    assert.equal(issuer().requests.length, 2, "a key that is not there causes no further request");
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
    const token = await issuer().sign(pushed(issuer()));
    const outcomes = await Promise.allSettled([...Array(4)].map((_, index) => (index % 2 ? one : two)(token)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const replayed = refusal(/was exchanged before/);
    await assert.rejects(one(token), replayed);
    const claims = pushed(issuer(), { jti: undefined });
    const withoutId = await issuer().sign(claims);
    await two(withoutId);
    await assert.rejects(one(withoutId), replayed);
    const same = pushed(issuer());
    await one(await issuer().sign(same));
    await assert.rejects(two(await issuer().sign({ ...same, iat: now() - 2 })), replayed, "another token with the same jti");
  });

  test("an issuer that does not respond is no refusal, and is not asked again at once; a new key is found", async () => {
    const exchange = server();
    issuer().isDown = true;
    const token = await issuer().sign(pushed(issuer()));
    await assert.rejects(exchange(token), rejectsWith("SERVICE_UNAVAILABLE", /cannot be read at the moment/));
    await assert.rejects(exchange(token), rejectsWith("SERVICE_UNAVAILABLE"));
    assert.equal(issuer().requests.length, 1);
    issuer().isDown = false;
    await server()(token);
    const clock = new FakeClock(Date.now());
    const issuers = new OpenIdIssuers({ documents: outbound(), clock, logger });
    await issuers.verify(token, issuer().url);
    await issuer().rotate();
    const next = await issuer().sign(pushed(issuer()));
    const asked = issuer().requests.length;
    await assert.rejects(issuers.verify(next, issuer().url), refusal(/signature is not valid/));
    assert.equal(issuer().requests.length, asked, "the keys were read just before");
    await clock.advance(31_000);
    await Promise.all([issuers.verify(next, issuer().url), issuers.verify(next, issuer().url)]);
    assert.equal(issuer().requests.length, asked + 2);
    const closed = new HttpOutbound({
      allow: [],
      deny: [],
      allowLoopback: false,
      endpoints: () => [],
      clock: system,
      logger: silentLogger,
    });
    const walled = new OpenIdIssuers({ documents: closed, clock: system, logger });
    await assert.rejects(
      walled.verify(token, issuer().url),
      rejectsWith("SERVICE_UNAVAILABLE"),
      "the rules for addresses hold",
    );
    await closed.close();
  });
});
