import { after, before, beforeEach } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { installationTuples, scopeObject } from "@appserver/contracts/authorization";
import { type Caller, type Logger, type MachineCaller, SystemClock, silentLogger } from "@appserver/kernel";
import { HttpOutbound } from "@appserver/outbound-http";
import { callBy, MapCache, MapIdentity, rejectsWith, type TestDatabase } from "@appserver/testing/kit";
import { startTokenIssuer, type TokenIssuer } from "@appserver/testing/kit/token-issuer";
import { OpenIdIssuers } from "../src/adapters/openid-issuers.ts";
import { sqlServiceAccounts } from "../src/adapters/sql-service-accounts.ts";
import { sqlTrustedPipelines } from "../src/adapters/sql-trusted-pipelines.ts";
import { keyOfMachineToken } from "../src/domain/machine-token.ts";
import type { TrustedPipeline } from "../src/ports.ts";
import { createServiceAccount } from "../src/use-cases/service-accounts/create-service-account.ts";
import { exchangeToken } from "../src/use-cases/trusted-pipelines/exchange-token.ts";
import { type TrustRequest, trustPipeline } from "../src/use-cases/trusted-pipelines/trust-pipeline.ts";
import { MachineTokenMemory } from "../src/workers/machine-token-memory.ts";
import { contextOf, openHome, serverPermissions, startAuthorization } from "./access-fixture.ts";

export const system = new SystemClock();
export const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };
/** Gives and takes access, but may not install apps. */
export const max: Caller = { kind: "user", id: "max", displayName: "Max" };
export const notes = "com.example.notes";
export const platform = "https://apps.example.com";
export const holderOf = (permission: string) => ({ relation: "holder", object: scopeObject(permission) });
export const now = () => Math.floor(Date.now() / 1_000);
const ids = (function* () {
  for (let number = 1; ; number += 1) yield `run-${number}`;
})();

/** What GitHub says of a push to main of the trusted repository. */
export const pushed = (issuer: TokenIssuer, changed: Readonly<Record<string, unknown>> = {}) => ({
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

/** A platform that trusts a pipeline, with an issuer of its own for each test. Registers the hooks of the suite that calls it. */
export function pipelinesUnderTest() {
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

  const replica = () => serverPermissions(authorization, cache);
  const context = () => ({
    ...contextOf({ authorization, identity: new MapIdentity(), home }),
    permissions: replica(),
    pipelines: sqlTrustedPipelines,
    publicOrigin: platform,
    logger,
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
  return {
    /** Of this test. */
    issuer: (): TokenIssuer => issuer,
    trust: (): TrustedPipeline => trust,
    home: (): TestDatabase => home,
    outbound: (): HttpOutbound => outbound,
    /** The log. */
    lines,
    /** What is stopped at the end. */
    opened,
    logger,
    replica,
    context,
    trustOf,
    server,
    memory,
    callerOf,
    refusal,
  };
}
